import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CONFIG_SCHEMA, createConfigCheck, isRecord, listConfigKeys } from '@devs/core';
import { readLayer } from '../config/layer.ts';

const page = readFileSync(path.resolve(__dirname, '..', '..', '..', '..', 'docs', 'reference', 'configuration.md'), 'utf8');

function step(value: unknown, name: string): unknown {
  return isRecord(value) && isRecord(value['properties']) ? value['properties'][name] : undefined;
}

/** What the page must say of a key: what it may be, and its default. */
function factsOf(key: string): readonly string[] {
  const schema = key.split('.').reduce<unknown>(step, CONFIG_SCHEMA);
  const { type, minimum, maximum, items, enum: allowed, default: byDefault } = isRecord(schema) ? schema : {};
  const digits = (value: unknown) => Number(value).toLocaleString('en');
  if (type === 'integer') return [`${digits(minimum)} to ${digits(maximum)}`, digits(byDefault)];
  if (Array.isArray(allowed)) return [allowed.map((value) => `\`${String(value)}\``).join(', '), `\`${String(byDefault)}\``];
  if (type === 'array') return [`list of ${nounOf(items)}s`, `\`${JSON.stringify(byDefault)}\``];
  return type === 'object' ? ['object', `\`${JSON.stringify(byDefault)}\``] : ['text', 'none'];
}

/** `a name of 1 to 255 characters without /` is a name. */
function nounOf(items: unknown): string {
  return /^an? (\w+)/.exec(String(isRecord(items) ? items['title'] : ''))?.[1] ?? '';
}

describe('docs/reference/configuration.md', () => {
  it('lists every key of the schema, with its values and its default, and no other', () => {
    const rows = [...page.matchAll(/^\| `([\w.$]+)` \| (.+?) \| (.+?) \| .+ \|$/gm)].map(([, ...cells]) => cells);
    expect(rows).toEqual(listConfigKeys().map((key) => [key, ...factsOf(key)]));
  });

  const examples = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => text);

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(1);
  });

  it.each(examples)('shows a file that works: %s', async (text) => {
    const bytes = Buffer.from(text);
    const reading = await readLayer({ path: 'example', bytes }, { variables: { GITHUB_TOKEN: 'x' }, check: createConfigCheck() });
    expect(reading).toMatchObject({ ok: true });
  });
});
