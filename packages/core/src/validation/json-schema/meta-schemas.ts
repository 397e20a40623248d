import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../../json.ts';
import type { DialectName } from './keywords/keywords.ts';

/** Ajv's class for each dialect. */
const LIBRARIES = {
  'draft-07': 'ajv',
  'draft/2019-09': 'ajv/dist/2019.js',
  'draft/2020-12': 'ajv/dist/2020.js',
} as const satisfies Record<DialectName, string>;

/** The dialects' own schemas by their addresses, as Ajv brings them along. It compiles none of them here. */
export function metaSchemas(dialect: DialectName): ReadonlyMap<string, Json> {
  const { schemas } = library(dialect);
  return new Map(Object.entries(schemas).flatMap(([address, known]) => toEntries(address, known?.schema)));
}

/** Loaded here: hardly any schema refers to one of its dialect, and Ajv has a tenth of the files that a start of devs would read. */
function library(dialect: DialectName): Pick<Ajv2020, 'schemas'> {
  const { default: Library } = createRequire(import.meta.url)(LIBRARIES[dialect]) as { readonly default: new () => Ajv2020 };
  return new Library();
}

/** Copied: the objects belong to the library, and are the same for everybody in the process. */
function toEntries(address: string, schema: unknown): [string, Json][] {
  return schema === undefined ? [] : [[address, JSON.parse(JSON.stringify(schema)) as Json]];
}
