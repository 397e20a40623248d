import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../../json.ts';
import type { DialectName } from './keywords/keywords.ts';

/** The dialects' own schemas by their addresses, as Ajv brings them along. It compiles none of them here. */
export function metaSchemas(dialect: DialectName): ReadonlyMap<string, Json> {
  const { schemas } = library(dialect);
  return new Map(Object.entries(schemas).flatMap(([address, known]) => toEntries(address, known?.schema)));
}

function library(dialect: DialectName): Ajv | Ajv2019 | Ajv2020 {
  if (dialect === 'draft-07') return new Ajv();
  return dialect === 'draft/2019-09' ? new Ajv2019() : new Ajv2020();
}

/** Copied: the objects belong to the library, and are the same for everybody in the process. */
function toEntries(address: string, schema: unknown): [string, Json][] {
  return schema === undefined ? [] : [[address, JSON.parse(JSON.stringify(schema)) as Json]];
}
