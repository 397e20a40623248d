import type { Json, JsonObject } from '../json.ts';

/** A group of keys that may be left out whole. */
export function section(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, default: {}, description, properties };
}

/** A whole number in a range, both ends included. */
export function integer([minimum, maximum]: readonly [number, number], byDefault: number, description: string): JsonObject {
  return { type: 'integer', minimum, maximum, default: byDefault, description };
}

/** The same without a default: what is not said is as for all. */
export function integerWithout(minimum: number, maximum: number, description: string): JsonObject {
  return { type: 'integer', minimum, maximum, description };
}

/** Without defaults: what is not said here is as for all. */
export function part(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, description, properties };
}

export function toByDefault(schema: JsonObject, byDefault: Json): JsonObject {
  return { ...schema, default: byDefault };
}
