import type { Json, JsonObject } from '../json.ts';
import { isList, isObject, keywordOf } from './json-schema/evaluation/node.ts';
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
function keepAssertions(schema: Json): Json {
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

export interface ExcerptOptions {
  /** The arguments that it is about. */
  readonly names: readonly string[];
  /** Most characters of JSON. */
  readonly most: number;
  /** Only what it asks of a value, nothing that is said about it. */
  readonly bare?: boolean;
}

const MOST_DEFINITIONS = 10;
const REFERENCE = /"\$ref":"#\/(\$defs|definitions)\/([A-Za-z0-9_.-]{1,64})"/g;

/** The part of a schema of arguments that says how these arguments have to be. Undefined when it says nothing of them. */
export function excerptSchema(schema: JsonObject, { names, most, bare = false }: ExcerptOptions): JsonObject | undefined {
  const [properties = null, required, additionalProperties] = ['properties', 'required', 'additionalProperties'].map((keyword) => keywordOf(schema, keyword));
  const described = isObject(properties) ? properties : {};
  const needed = isList(required) ? required.filter((name) => typeof name === 'string' && names.includes(name)) : [];
  const room = new Room(most - 120 - JSON.stringify(needed).length, bare);
  const chosen = room.take(pick(described, names));
  if (Object.keys(chosen).length === 0) return undefined;
  return {
    type: 'object',
    properties: chosen,
    ...(needed.length > 0 && { required: needed }),
    ...(additionalProperties === false && { additionalProperties }),
    ...takeDefinitions(schema, { chosen, room }),
  };
}

/** What is left of the characters, and how much of each part fits in. */
class Room {
  readonly #bare: boolean;
  #characters: number;

  constructor(characters: number, bare: boolean) {
    this.#characters = characters;
    this.#bare = bare;
  }

  take(members: JsonObject): JsonObject {
    const taken: [string, Json][] = [];
    for (const [name, schema] of Object.entries(members)) {
      const fitting = this.#fit(name, schema);
      if (fitting !== undefined) taken.push([name, fitting]);
    }
    return Object.fromEntries(taken);
  }

  #fit(name: string, schema: Json): Json | undefined {
    const forms = this.#bare ? [keepAssertions, outline] : [whole, keepAssertions, outline];
    for (const form of forms) {
      const part = form(schema);
      const length = JSON.stringify(part).length + JSON.stringify(name).length + 2;
      if (length > this.#characters) continue;
      this.#characters -= length;
      return part;
    }
    return undefined;
  }
}

function whole(schema: Json): Json {
  return schema;
}

/** Only what stands at the top of it, and is short. */
function outline(schema: Json): Json {
  const kept = keepAssertions(schema);
  if (!isObject(kept)) return kept;
  const isShort = (value: Json) => typeof value !== 'object' && String(value).length <= 100;
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => isShort(value)));
}

function pick(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name] ?? null]));
}

/** The definitions that the chosen parts refer to, as far as there is room. */
function takeDefinitions(schema: JsonObject, { chosen, room }: { readonly chosen: JsonObject; readonly room: Room }): JsonObject {
  const wanted = [...JSON.stringify(chosen).matchAll(REFERENCE)].slice(0, MOST_DEFINITIONS);
  const taken: { [keyword: string]: JsonObject } = {};
  for (const keyword of ['$defs', 'definitions']) {
    const members = keywordOf(schema, keyword) ?? null;
    const names = [...new Set(wanted.filter(([, place]) => place === keyword).map(([, , name = '']) => name))];
    const parts = isObject(members) ? room.take(pick(members, names)) : {};
    if (Object.keys(parts).length > 0) taken[keyword] = parts;
  }
  return taken;
}
