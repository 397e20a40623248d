import { DevsError } from '../errors.ts';
import type { Json } from '../json.ts';
import { copyPlain, isRefused } from '../validation/plain-copy.ts';

/**
 * A copy with every string cleaned, values and keys. Throws `OUTPUT_WITHHELD` for what JSON cannot
 * carry, for keys that reach a prototype, and when two keys become one: silence would drop a value.
 */
export function cleanJson(value: unknown, cleanString: (text: string) => string): Json {
  const copied = copyPlain(value);
  if (isRefused(copied)) throw withheld(copied.refusal.problem);
  return cleanValue(copied.value, cleanString);
}

function cleanValue(value: Json, cleanString: (text: string) => string): Json {
  if (typeof value === 'string') return cleanString(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => cleanValue(item, cleanString));
  const cleaned = new Map<string, Json>();
  for (const [key, inner] of Object.entries(value)) {
    const cleanKey = cleanString(key);
    if (cleaned.has(cleanKey) || cleanKey === '__proto__') throw withheld('two keys are the same once cleaned');
    cleaned.set(cleanKey, cleanValue(inner, cleanString));
  }
  return Object.fromEntries(cleaned);
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function withheld(problem: string): DevsError {
  return new DevsError('OUTPUT_WITHHELD', { cause: new Error(`structured content: ${problem}`) });
}
