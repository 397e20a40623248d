import type { JsonObject } from '../json.ts';

/** A group of keys that may be left out whole. */
export function section(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, default: {}, description, properties };
}

/** A whole number in a range, both ends included. */
export function integer([minimum, maximum]: readonly [number, number], byDefault: number, description: string): JsonObject {
  return { type: 'integer', minimum, maximum, default: byDefault, description };
}
