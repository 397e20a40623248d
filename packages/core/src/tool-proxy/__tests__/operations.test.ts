import { describe, expect, it } from '@jest/globals';
import { describeOffer } from '../../tool-registry/describe-for-code.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import type { ToolRegistration } from '../../tool-registry/types.ts';
import { answer, codeOf, context, createScene, describeTool, request, type Execution } from './scene.ts';

const handler = async () => await Promise.reject(new Error('the gate must not call a handler itself'));
const operation = (method: string): ToolRegistration => ({ ...describeTool({ name: `files/${method}`, source: 'files', isOperation: true }), kind: 'upstream', handler });
const read = operation('resources/read');
const get = operation('prompts/get');
const code: ToolRegistration = { ...describeTool({ name: 'run_code' }), kind: 'code', handler };
const readMore = { ...describeTool({ name: 'read_more' }), definition: { name: 'read_more', inputSchema: { type: 'object', properties: { handle: { type: 'string' } } } } };

function registryOf(...tools: readonly ToolRegistration[]): ToolRegistry {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

describe('an operation of a server', () => {
  it('is found by its name and stands in no list', () => {
    const registry = registryOf(read, describeTool(), code);
    expect(registry.getTool('files/resources/read')?.isOperation).toBe(true);
    expect(registry.getToolNames()).toEqual(['read_file', 'run_code']);
    expect(registry.listToolsForContext(context).map(({ name }) => name)).toEqual(['read_file', 'run_code']);
    const runner = registry.getTool('run_code');
    const offered = runner === undefined ? undefined : describeOffer(runner, registry.listTools());
    expect(offered?.description).not.toContain('resources');
    expect(registry.unregister('files/resources/read')).toBe(true);
    expect(registry.getTool('files/resources/read')).toBeUndefined();
  });

  it.each<[string, boolean]>([
    ['files/resources/read', true],
    ['files/ping', true],
    ['a.b-c_1/completion/complete', true],
    ['files', false],
    ['/resources/read', false],
    ['files/resources/read/on', false],
    ['files/Resources/Read', false],
    ['files/resources/', false],
    [`${'a'.repeat(65)}/ping`, false],
  ])('may be called %j: %j', (name, expected) => {
    const register = () => registryOf({ ...describeTool({ name }), isOperation: true });
    if (expected) expect(register).not.toThrow();
    else expect(register).toThrow(expect.objectContaining({ code: 'TOOL_NAME_REFUSED' }));
  });

  it('has a name that no tool can have', () => {
    expect(() => registryOf(describeTool({ name: 'files/resources/read' }))).toThrow(expect.objectContaining({ code: 'TOOL_NAME_REFUSED' }));
  });

  it('is not called by code, which is told of none', async () => {
    const children: unknown[] = [];
    const scene = createScene({
      lookup: () => registryOf(read, code),
      execute: async ({ tool, run }: Execution) => {
        if (tool.name === 'run_code') children.push(run.callable, codeOf(await run.callTool('files/resources/read', { path: 'a' }, new AbortController().signal)));
        return answer('done');
      },
    });
    await scene.proxy.execute(request({ toolName: 'run_code' }));
    expect(children).toEqual([[], 'UNKNOWN_TOOL']);
    expect(scene.executions).toHaveLength(1);
  });

  it('says whose words its blocks are, which no tool does', async () => {
    const content = [{ type: 'text', text: 'a', role: 'assistant' }, { type: 'resource_link', uri: 'https://example.com/', name: 'b', title: 'c', role: 'user' }];
    const ask = async (tool: ToolRegistration) => {
      const { proxy } = createScene({ tools: [tool], execute: () => ({ content }), options: {} });
      return (await proxy.execute(request({ toolName: tool.definition.name }), { boundaries: true })).content.map(({ type, role }) => [type, role]);
    };
    expect(await ask(get)).toEqual([['text', 'assistant'], ['resource_link', 'user'], ['text', 'user']]);
    expect(await ask(describeTool())).toEqual([['text', undefined], ['resource_link', undefined], ['text', undefined]]);
  });

  it('gives as much of a resource as of a file, and the rest of it to whoever reads on', async () => {
    const long = 'line of a resource\n'.repeat(60_000);
    const execute = ({ tool, args, run }: Execution) =>
      tool.name === 'read_more' ? answer(run.readMore(typeof args['handle'] === 'string' ? args['handle'] : '')) : { content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: long } }] };
    const scene = createScene({ tools: [read, get, readMore], execute });
    const first = await scene.proxy.execute(request({ toolName: 'files/resources/read' }));
    const whole = JSON.stringify(first);
    expect(whole.length).toBeGreaterThan(500_000);
    const handle = /\\"handle\\": \\"([0-9a-f-]{36})\\"/.exec(whole)?.[1];
    const next = await scene.proxy.execute(request({ toolName: 'read_more', args: { handle } }));
    expect(next.isError).toBeUndefined();
    expect(JSON.stringify(next)).toContain('line of a resource');
    expect(JSON.stringify(await scene.proxy.execute(request({ toolName: 'files/prompts/get' }))).length).toBeLessThan(250_000);
  });
});
