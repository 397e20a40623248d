import type { Json, JsonObject } from '../../json.ts';
import type { Dialect } from './dialects.ts';
import { isList, isObject } from './evaluation/node.ts';

/** How a keyword holds schemas: one, a list, an object of them, or what it says there. */
type Holding = 'one' | 'list' | 'members' | 'one or list' | 'members or names';

const HOLDINGS = new Map<string, Holding>([
  ['additionalItems', 'one'],
  ['additionalProperties', 'one'],
  ['contains', 'one'],
  ['contentSchema', 'one'],
  ['else', 'one'],
  ['if', 'one'],
  ['not', 'one'],
  ['propertyNames', 'one'],
  ['then', 'one'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
  ['items', 'one or list'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['$defs', 'members'],
  ['definitions', 'members'],
  ['dependentSchemas', 'members'],
  ['patternProperties', 'members'],
  ['properties', 'members'],
  ['dependencies', 'members or names'],
]);

/** Whether a keyword holds schemas: by name (`members`), or one or a list of them. */
export function holdsSchemas(keyword: string): 'members' | 'others' | undefined {
  const holding = HOLDINGS.get(keyword);
  if (holding === undefined) return undefined;
  return holding.startsWith('members') ? 'members' : 'others';
}

export interface Subschema {
  readonly keys: readonly string[];
  readonly schema: Json;
}

/** The schemas right inside one: what stands in `enum` or in an unknown keyword is none. */
export function subschemasOf(schema: JsonObject, dialect: Dialect): readonly Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const holding = dialect.keywords.has(keyword) ? HOLDINGS.get(keyword) : undefined;
    if (holding === undefined) return [];
    if (holding === 'one' || (holding === 'one or list' && !isList(value))) return [{ keys: [keyword], schema: value }];
    // A list of names among the members is no object, and is passed over like any other.
    const members = isList(value) || isObject(value) ? Object.entries(value) : [];
    return members.map(([key, inner]: readonly [string, Json]) => ({ keys: [keyword, key], schema: inner }));
  });
}
