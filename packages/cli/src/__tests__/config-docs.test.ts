import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CONFIG_SCHEMA, createConfigCheck, DEFAULT_OUTPUT_CONFIG, isRecord, listConfigKeys } from '@devs/core';
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
  if (Array.isArray(type) && type[0] === 'integer') return [`${digits(minimum)} to ${digits(maximum)}, or \`null\``, `\`${String(byDefault)}\``];
  if (Array.isArray(allowed)) return [allowed.map((value) => `\`${String(value)}\``).join(', '), `\`${String(byDefault)}\``];
  if (type === 'boolean') return ['`true`, `false`', `\`${String(byDefault)}\``];
  if (type === 'array') return [`list of ${nounOf(items)}s`, `\`${JSON.stringify(byDefault)}\``];
  return type === 'object' ? ['object', `\`${JSON.stringify(byDefault)}\``] : ['text', 'none'];
}

/** `a name of 1 to 255 characters without /` is a name; an absolute path keeps its adjective. */
function nounOf(items: unknown): string {
  return /^an? (absolute path|\w+)/.exec(String(isRecord(items) ? items['title'] : ''))?.[1] ?? '';
}

/** The keys below one that hold a value. */
function leavesOf(schema: unknown, key: string): readonly string[] {
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : undefined;
  if (properties === undefined) return [key];
  return Object.entries(properties).flatMap(([name, inner]) => leavesOf(inner, key === '' ? name : `${key}.${name}`));
}

/** The rows of the table below a heading. */
function rowsOf(heading: string): string[][] {
  const section = page.slice(page.indexOf(heading) + heading.length).split(/^##/m)[0] ?? '';
  return [...section.matchAll(/^\| `([\w.$]+)` \| (.+?) \| (.+?) \| .+ \|$/gm)].map(([, ...cells]) => cells);
}

describe('docs/reference/configuration.md', () => {
  it('lists every key of the schema, with its values and its default, and no other', () => {
    expect(rowsOf('## Keys')).toEqual(listConfigKeys().map((key) => [key, ...factsOf(key)]));
  });

  it('lists every key of the output of a tool, with its default', () => {
    const tools = step(CONFIG_SCHEMA, 'tools');
    const [tool] = isRecord(tools) && isRecord(tools['patternProperties']) ? Object.values(tools['patternProperties']) : [];
    const output = step(tool, 'output');
    const keys = isRecord(output) && isRecord(output['properties']) ? Object.keys(output['properties']) : [];
    const shown = Object.entries(DEFAULT_OUTPUT_CONFIG).map(([key, value]) => [key, typeof value === 'number' ? value.toLocaleString('en') : `\`${String(value)}\``]);
    expect(rowsOf('### `tools.<name>.output`').map(([key, , byDefault]) => [key, byDefault])).toEqual(shown);
    expect(keys).toEqual(shown.map(([key]) => key));
  });

  it('lists every key that devs alone knows of a server, and every limit of a tool', () => {
    const schemaOf = (section: string) => {
      const found = step(CONFIG_SCHEMA, section);
      return isRecord(found) && isRecord(found['patternProperties']) ? Object.values(found['patternProperties'])[0] : undefined;
    };
    const own = ['disabled', 'namespace', 'labels', 'limits', 'sandbox'].flatMap((key) => leavesOf(step(schemaOf('mcpServers'), key), key));
    expect(rowsOf('### Keys that only devs reads').map(([key]) => key)).toEqual(own);
    expect(rowsOf('### `tools.<name>.limits`').map(([key]) => key)).toEqual(leavesOf(step(schemaOf('tools'), 'limits'), ''));
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
