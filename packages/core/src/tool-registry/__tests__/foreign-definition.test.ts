import { expect, it } from '@jest/globals';
import { parseForeignDefinition } from '../foreign-definition.ts';

const inputSchema = { type: 'object' };

it('keeps what an MCP tool carries, and leaves out the rest', () => {
  const tool = {
    name: 'a',
    title: 'A',
    description: 'Does a.',
    inputSchema,
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://example.com/a.png' }],
    execution: { taskSupport: 'optional' },
    _meta: { a: 1 },
  };
  expect(parseForeignDefinition({ ...tool, more: 1 })).toEqual(tool);
  expect(parseForeignDefinition({ name: 'a', inputSchema })).toEqual({ name: 'a', inputSchema });
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a list', []],
  ['no name', { inputSchema }],
  ['a name that is a number', { name: 1, inputSchema }],
  ['no schema', { name: 'a' }],
  ['a schema that is a boolean', { name: 'a', inputSchema: true }],
  ['a title that is null', { name: 'a', inputSchema, title: null }],
  ['a description that is a list', { name: 'a', inputSchema, description: ['x'] }],
  ['annotations that are a list', { name: 'a', inputSchema, annotations: [] }],
  ['icons that are an object', { name: 'a', inputSchema, icons: {} }],
  ['a prototype', JSON.parse('{"name":"a","inputSchema":{},"__proto__":{}}')],
  ['ten thousand values', { name: 'a', inputSchema, icons: Array(10_000).fill(1) }],
])('refuses %s', (_name, raw) => {
  expect(() => parseForeignDefinition(raw)).toThrow(/^TOOL_(NAME|SCHEMA)_REFUSED/);
});
