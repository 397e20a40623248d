import { expect, it } from '@jest/globals';
import { ToolRegistry, type ContentBlock, type ToolRegistration } from '@devs/core';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { isWireTool, toCallToolResult, toWireTool } from '../wire.ts';

const inputSchema = { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { 'x-order': 1 } } };

const definition = {
  name: 'a',
  title: 'A',
  description: 'Does a.',
  inputSchema,
  outputSchema: { type: 'object', properties: {} },
  annotations: { title: 'A', readOnlyHint: true, destructiveHint: false },
  icons: [{ src: 'https://example.com/a.png', mimeType: 'image/png' }],
  execution: { taskSupport: 'optional' },
  _meta: { 'example.com/a': { b: 1 } },
};

const registration: ToolRegistration = {
  definition,
  handler: async () => '',
  effects: true,
  labels: [],
  source: 'server',
};

it('shows a tool of a server behind devs as the server does, but for what clients act on unseen', () => {
  const tool = new ToolRegistry().register({ ...registration, authorship: 'foreign' });
  const { _meta, ...seen } = definition;
  expect(_meta).toBeDefined();
  expect(toWireTool(tool)).toEqual(seen);
});

it('adds nothing that the server has left out', () => {
  const bare = { name: 'a', inputSchema: { type: 'object' } };
  const tool = new ToolRegistry().register({ ...registration, definition: bare, authorship: 'foreign' });
  expect(toWireTool(tool)).toEqual(bare);
});

it('says of our own tools what devs knows, whatever they claim', () => {
  const ours = { ...definition, inputSchema: { type: 'object' } };
  const tool = new ToolRegistry().register({ ...registration, definition: ours });
  expect(toWireTool(tool).annotations).toEqual({ ...definition.annotations, readOnlyHint: false });
});

it.each<[string, object]>([
  ['an annotation of the wrong kind', { annotations: { readOnlyHint: 'yes' } }],
  ['an icon without a place', { icons: [{}] }],
  ['a schema that is not for an object', { inputSchema: { type: 'string' } }],
])('knows a tool that would fail the whole list: %s', (_name, changes) => {
  expect(isWireTool({ ...definition, ...changes })).toBe(false);
  expect(isWireTool(definition)).toBe(true);
});

const annotations = { audience: ['user'], priority: 1 } as const;
const blocks: readonly ContentBlock[] = [
  { type: 'text', text: 'a', annotations },
  { type: 'image', data: 'AAAA', mimeType: 'image/png', _meta: { a: 1 } },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', annotations },
  { type: 'resource', resource: { uri: 'memo://a', text: 'b', mimeType: 'text/plain', _meta: { a: 1 } } },
  { type: 'resource', resource: { uri: 'memo://a', blob: 'AAAA' }, annotations },
  { type: 'resource_link', uri: 'memo://a', name: 'a', size: 1, annotations },
];

it('gives every kind of block in MCP’s form, with nothing lost', () => {
  const wire = toCallToolResult({ content: blocks, structuredContent: { a: 1 }, _meta: { a: 1 } });
  expect(wire.content).toEqual(blocks);
  const parsed = specTypeSchemas.CallToolResult['~standard'].validate(wire);
  expect(parsed).toEqual({ value: wire });
});

it('says an error in MCP’s words', () => {
  expect(toCallToolResult({ content: [{ type: 'error', text: 'a', annotations }], isError: true })).toEqual({
    content: [{ type: 'text', text: 'a', annotations }],
    isError: true,
  });
});
