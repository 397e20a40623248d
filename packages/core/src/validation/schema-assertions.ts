import type { Json, JsonObject } from '../json.ts';
import { isList, isObject } from './json-schema/evaluation/node.ts';
import { holdsSchemas } from './json-schema/subschemas.ts';

/** Keywords that ask something of a value by themselves, and what they may say. */
const ASSERTIONS = new Map<string, (value: Json) => boolean>([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'pattern', 'uniqueItems', 'multipleOf'].map((keyword) => [keyword, isAnything] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => [keyword, isNumber] as const),
  ...['Length', 'Items', 'Properties', 'Contains'].flatMap((what) => [[`min${what}`, isNumber] as const, [`max${what}`, isNumber] as const]),
  ['format', (value) => isWord(value, /^[A-Za-z0-9-]{1,40}$/)],
  ['$ref', (value) => isWord(value, /^#[\w/$.-]{0,100}$/)],
]);

/**
 * A schema without anything but what it asks. An unknown keyword is free text of whoever wrote the schema,
 * and would stand in a refusal as if devs had said it.
 */
export function keepAssertions(schema: Json): Json {
  if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {};
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => keep(keyword, value)));
}

function keep(keyword: string, value: Json): readonly (readonly [string, Json])[] {
  if (ASSERTIONS.get(keyword)?.(value) === true) return [[keyword, value]];
  if (!holdsSchemas(keyword)) return [];
  if (isList(value)) return [[keyword, value.map(keepAssertions)]];
  return [[keyword, holdsSchemas(keyword) === 'members' && isObject(value) ? keepMembers(value) : keepAssertions(value)]];
}

function keepMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, keepAssertions(schema)]));
}

function isAnything(): boolean {
  return true;
}

function isNumber(value: Json): boolean {
  return typeof value === 'number';
}

function isWord(value: Json, word: RegExp): boolean {
  return typeof value === 'string' && word.test(value);
}
