import { expect, it } from '@jest/globals';
import { ToolRegistry, type ToolRegistration } from '@devs/core';
import { isWireTool, toWireTool } from '../wire.ts';

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

it('shows a tool of a server behind devs as the server does', () => {
  const tool = new ToolRegistry().register({ ...registration, authorship: 'foreign' });
  expect(toWireTool(tool)).toEqual(definition);
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
