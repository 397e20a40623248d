/** A value that JSON can carry. Everything that crosses the gate is one, once it has been checked. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * True for an object that is no array and not `null`.
 * @example
 * ```ts
 * import { isRecord } from '@devs/core';
 * console.log(isRecord({}), isRecord([]), isRecord(null)); // true false false
 * ```
 */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What the value itself has under the key; never what it inherits: a polluted prototype answers for nobody.
 * @example
 * ```ts
 * import { ownValue } from '@devs/core';
 * console.log(ownValue({ a: 1 }, 'a'), ownValue({}, 'constructor')); // 1 undefined
 * ```
 */
export function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
