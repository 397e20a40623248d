import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { CONFIG_SCHEMA } from '../schema.ts';

const file = path.resolve(__dirname, '..', '..', '..', 'devs.config.schema.json');

it('devs.config.schema.json is the schema that is checked: devs config schema > packages/core/devs.config.schema.json', () => {
  expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(CONFIG_SCHEMA, null, 2)}\n`);
});
