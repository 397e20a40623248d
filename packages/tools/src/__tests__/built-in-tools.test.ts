import { expect, test } from '@jest/globals';
import { ToolRegistry } from '@devs/core';
import { builtInTools } from '../built-in-tools.ts';

test('the built-in tools: names, effects, labels, in order', () => {
  expect(builtInTools.map((tool) => [tool.definition.name, tool.effects, tool.labels, tool.source])).toEqual([
    ['read_file', false, ['private'], 'built-in'],
    ['write_file', true, [], 'built-in'],
    ['surgical_edit', true, ['private'], 'built-in'],
    ['list_directory', false, ['private'], 'built-in'],
    ['search_files', false, ['private'], 'built-in'],
    ['read_more', false, ['private'], 'built-in'],
    ['shell_exec', true, ['private'], 'built-in'],
    ['git_commit', true, [], 'built-in'],
    ['web_fetch', true, ['untrusted', 'external'], 'built-in'],
    ['run_code', true, [], 'built-in'],
  ]);
});

test('each can be registered, says what its arguments are, and takes no others', () => {
  const registry = new ToolRegistry();
  for (const tool of builtInTools) {
    expect(() => registry.register(tool)).not.toThrow();
    expect(tool.definition.inputSchema['additionalProperties']).toBe(false);
    for (const property of Object.values(Object(tool.definition.inputSchema['properties']))) {
      expect(property).toMatchObject({ description: expect.stringMatching(/^.{10,}\.$/) });
    }
    expect(tool.definition.description).toMatch(/^[^]{61,}$/);
  }
});

const withPath = builtInTools.filter((tool) => tool.kind === undefined && tool.definition.name !== 'read_more');

test.each(withPath.map((tool) => [tool.definition.name, tool] as const))('%s: the gate is told of its path', (_, tool) => {
  const { required = [] } = tool.definition.inputSchema;
  const others = Array.isArray(required) ? required.map((name: unknown) => [name, 'x'] as const) : [];
  const checked = new ToolRegistry().register(tool).schema.check({ ...Object.fromEntries(others), path: 'a/b' });
  expect(checked).toMatchObject({ paths: [{ pointer: '/path', value: 'a/b' }] });
});
