import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { SchemaCompiler, validateToolInput } from '../schema.ts';

/** The official JSON-Schema-Test-Suite, where Debian's libtest-json-schema-acceptance-perl puts it, or another copy. */
const FOLDER = process.env['DEVS_SCHEMA_SUITE'] ?? '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests';

interface Case {
  readonly description: string;
  readonly data: unknown;
  readonly valid: boolean;
}

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly Case[];
}

interface Draft {
  readonly folder: string;
  readonly dialect: string;
  /** Fewer cases than this are no suite. */
  readonly least: number;
  /** Groups that devs refuses on purpose: a file of the suite, why, and the groups in it. */
  readonly refused: readonly (readonly [string, string, readonly string[]])[];
}

const PROTOTYPE = 'a name that reaches a prototype is refused, in a schema as in an argument';
const NAMES = ['properties whose names are Javascript object property names'];
const FETCHED = 'nothing is fetched: the schema refers to another one on a server of the suite';
const FETCHED_BY_ALL = [
  'remote ref',
  'fragment within remote ref',
  'ref within remote ref',
  'base URI change',
  'base URI change - change folder',
  'base URI change - change folder in subschema',
  'root ref in remote ref',
  'Location-independent identifier in remote ref',
  'retrieved nested refs resolve relative to their URI not $id',
];
const FETCHED_SINCE_2019 = [
  ...FETCHED_BY_ALL,
  'anchor within remote ref',
  'remote ref with ref to defs',
  'remote HTTP ref with different $id',
  'remote HTTP ref with different URN $id',
  'remote HTTP ref with nested absolute ref',
];
const VOCABULARIES = ['schema that uses custom metaschema with with no validation vocabulary', 'ignore unrecognized optional vocabulary'];
const FETCHED_BY_DYNAMIC_REF = [
  'strict-tree schema, guards against misspelled properties',
  'tests for implementation dynamic anchor and reference link',
  '$ref and $dynamicAnchor are independent of order - $defs first',
  '$ref and $dynamicAnchor are independent of order - $ref first',
];

const DRAFTS: readonly Draft[] = [
  {
    folder: 'draft7',
    dialect: 'http://json-schema.org/draft-07/schema#',
    least: 800,
    refused: [
      ['properties.json', PROTOTYPE, NAMES],
      ['required.json', PROTOTYPE, ['required properties whose names are Javascript object property names']],
      ['refRemote.json', FETCHED, [...FETCHED_BY_ALL, 'remote ref with ref to definitions']],
    ],
  },
  {
    folder: 'draft2019-09',
    dialect: 'https://json-schema.org/draft/2019-09/schema',
    least: 1_100,
    refused: [
      ['properties.json', PROTOTYPE, NAMES],
      ['required.json', PROTOTYPE, ['required properties whose names are Javascript object property names']],
      ['refRemote.json', FETCHED, FETCHED_SINCE_2019],
      ['vocabulary.json', FETCHED, VOCABULARIES],
    ],
  },
  {
    folder: 'draft2020-12',
    dialect: 'https://json-schema.org/draft/2020-12/schema',
    least: 1_100,
    refused: [
      ['properties.json', PROTOTYPE, NAMES],
      ['required.json', PROTOTYPE, ['required properties whose names are Javascript object property names']],
      ['refRemote.json', FETCHED, FETCHED_SINCE_2019],
      ['vocabulary.json', FETCHED, VOCABULARIES],
      ['dynamicRef.json', FETCHED, FETCHED_BY_DYNAMIC_REF],
    ],
  },
];

const compiler = new SchemaCompiler();

function readGroups(folder: string, file: string): readonly Group[] {
  const parsed: Group[] = JSON.parse(readFileSync(join(FOLDER, folder, file), 'utf8'));
  return parsed;
}

function withDialect(schema: unknown, dialect: string): unknown {
  return typeof schema === 'object' ? { $schema: dialect, ...schema } : schema;
}

/** Whether the case is answered as the suite says: by a check, not because the schema was refused. */
function isRight({ data, valid }: Case, schema: unknown): boolean {
  const { valid: answer, errors = [] } = validateToolInput('suite', schema, data, { compiler });
  return answer === valid && !errors.some(({ code }) => code !== 'VALIDATION_SCHEMA_ERROR');
}

function listWrong({ folder, dialect }: Draft, file: string): { readonly group: string; readonly name: string }[] {
  return readGroups(folder, file).flatMap(({ description: group, schema, tests }) =>
    tests.filter((one) => !isRight(one, withDialect(schema, dialect))).map(({ description }) => ({ group, name: `${group}: ${description}` })),
  );
}

function refusedGroups({ refused }: Draft, file: string): readonly string[] {
  return refused.filter(([among]) => among === file).flatMap(([, , groups]) => groups);
}

const isHere = existsSync(join(FOLDER, 'draft7'));

if (!isHere && process.env['DEVS_REQUIRE_SCHEMA_SUITE'] === '1') {
  it('has the JSON-Schema-Test-Suite', () => {
    throw new Error(`It is not in ${FOLDER}. Debian: apt-get install libtest-json-schema-acceptance-perl`);
  });
} else if (!isHere) {
  it('the JSON-Schema-Test-Suite is not on this machine, and NOTHING of it was checked', () => {
    expect(isHere).toBe(false);
  });
} else {
  describe.each(DRAFTS)('the required cases of $folder', (draft) => {
    const files = readdirSync(join(FOLDER, draft.folder)).filter((name) => name.endsWith('.json'));

    it('are all there', () => {
      const cases = files.flatMap((file) => readGroups(draft.folder, file)).flatMap(({ tests }) => tests);
      expect(cases.length).toBeGreaterThanOrEqual(draft.least);
    });

    it.each(files)('%s', (file) => {
      const refused = refusedGroups(draft, file);
      const wrong = listWrong(draft, file).filter(({ group }) => !refused.includes(group));
      expect(wrong.map(({ name }) => name)).toEqual([]);
    });

    it.each(draft.refused)('%s holds what is refused on purpose, and no more is listed: %s', (file, _reason, groups) => {
      const wrong = new Set(listWrong(draft, file).map(({ group }) => group));
      expect([...wrong].sort()).toEqual([...groups].sort());
    });
  });
}
