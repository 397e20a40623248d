import type { Json } from '../../json.ts';
import { isObject, keywordOf, type KeywordCompiler } from './evaluation/node.ts';
import { KEYWORDS, type DialectName } from './keywords/keywords.ts';

export interface Dialect {
  readonly name: DialectName;
  /** In the order in which they are looked at. */
  readonly keywords: ReadonlyMap<string, KeywordCompiler>;
  /** Nothing counts that stands beside `$ref`. */
  readonly refStandsAlone: boolean;
  /** `$id: "#name"` names a place. */
  readonly idNamesAnchors: boolean;
  readonly containsMarks: boolean;
}

/** As people write it: with and without `#` at the end, http and https. */
const DIALECT_ADDRESS = /^https?:\/\/json-schema\.org\/(draft-07|draft\/2019-09|draft\/2020-12)\/schema#?$/;

const DIALECTS: readonly Dialect[] = [
  define('draft-07', { refStandsAlone: true, idNamesAnchors: true, containsMarks: false }),
  define('draft/2019-09', { refStandsAlone: false, idNamesAnchors: false, containsMarks: false }),
  define('draft/2020-12', { refStandsAlone: false, idNamesAnchors: false, containsMarks: true }),
];

/** The dialect that `$schema` names; 2020-12 where it names none. Undefined for one that devs does not speak. */
export function dialectOf(schema: Json): Dialect | undefined {
  const $schema = (isObject(schema) ? keywordOf(schema, '$schema') : undefined) ?? 'https://json-schema.org/draft/2020-12/schema';
  const name = typeof $schema === 'string' ? DIALECT_ADDRESS.exec($schema)?.[1] : undefined;
  return DIALECTS.find((dialect) => dialect.name === name);
}

function define(name: DialectName, habits: Pick<Dialect, 'refStandsAlone' | 'idNamesAnchors' | 'containsMarks'>): Dialect {
  const known = KEYWORDS.filter(({ dialects }) => dialects === undefined || dialects.includes(name));
  return { name, keywords: new Map(known.map(({ keyword, compile }) => [keyword, compile])), ...habits };
}
