import { isRecord, type Json } from './json.ts';

/**
 * JSON text that is the same for equal values, whatever the order of their keys. Code unit order, no spaces.
 * @example
 * ```ts
 * import { canonicalJson } from '@devs/core';
 * console.log(canonicalJson({ b: 1, a: [true, null] })); // {"a":[true,null],"b":1}
 * ```
 */
export function canonicalJson(value: Json): string {
  if (isRecord(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
    return `{${members.join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  return JSON.stringify(value);
}
