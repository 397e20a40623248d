import { describe, expect, it } from '@jest/globals';
import type { DevsError, ToolCallRequest, ToolResult } from '@devs/core';
import { callTool, type CallGate } from '../handlers/call-tool.ts';

interface Heard {
  readonly request: ToolCallRequest;
  readonly refusal?: DevsError;
}

/** Answers every call the same and keeps what it heard. */
function createGate(answer: ToolResult): { gate: CallGate; heard: Heard[] } {
  const heard: Heard[] = [];
  const gate: CallGate = {
    execute: async (request) => {
      heard.push({ request });
      return answer;
    },
    refuse: async (request, refusal) => {
      heard.push({ request, refusal });
      return answer;
    },
  };
  return { gate, heard };
}

const ok: ToolResult = { content: [{ type: 'text', text: 'fine' }] };
const origin = { principal: 'local', channel: 'stdio' } as const;

async function call(params: unknown, answer: ToolResult = ok) {
  const { gate, heard } = createGate(answer);
  const { signal } = new AbortController();
  const result = await callTool(params, signal, { proxy: gate, projectRoot: '/project', origin });
  return { result, heard: heard[0], calls: heard.length, signal };
}

describe('tools/call', () => {
  it('hands name, arguments, claims, origin and signal to the gate', async () => {
    const context = { agentId: 'agent-7', turnIndex: 3, phaseId: 'p1', epicId: 'e1', taskId: 't1' };
    const { heard, signal, calls } = await call({
      name: 'read_file',
      arguments: { path: 'a.txt' },
      _meta: { 'devs/context': context },
    });
    expect(calls).toBe(1);
    expect(heard?.refusal).toBeUndefined();
    expect(heard?.request).toEqual({
      toolName: 'read_file',
      args: { path: 'a.txt' },
      context: { projectRoot: '/project', ...context },
      origin,
      signal,
      admits: expect.any(Function),
    });
  });

  it('uses the safe defaults where nothing is claimed', async () => {
    const { heard } = await call({ name: 'read_file', arguments: {} });
    expect(heard?.request.context).toEqual({
      projectRoot: '/project',
      agentId: 'anonymous',
      turnIndex: 0,
      phaseId: '',
      epicId: '',
    });
  });

  it.each([
    ['left out', { name: 'x' }, {}],
    ['null', { name: 'x', arguments: null }, null],
    ['an array', { name: 'x', arguments: [1] }, [1]],
    ['a string', { name: 'x', arguments: 'path' }, 'path'],
  ])('passes on arguments that are %s as they are, for the gate to judge and to log', async (_name, params, expected) => {
    expect((await call(params)).heard?.request.args).toEqual(expected);
  });

  it('keeps an own __proto__ key for the gate to see', async () => {
    const params: unknown = JSON.parse('{"name":"x","arguments":{"__proto__":{"admin":true}}}');
    const args = (await call(params)).heard?.request.args;
    expect(Object.keys(args as object)).toEqual(['__proto__']);
  });

  it.each([
    ['no name', {}],
    ['a number', { name: 7 }],
    ['an object', { name: { toString: 'read_file' } }],
    ['no object at all', [1, 2]],
    ['nothing', undefined],
  ])('refuses and records a call with %s for a name', async (_name, params) => {
    const { heard, calls } = await call(params);
    expect(calls).toBe(1);
    expect(heard?.refusal?.code).toBe('UNKNOWN_TOOL');
  });

  it.each([
    ['not an object', 'agent-7'],
    ['null', null],
    ['an id with a line feed', { agentId: 'a\nb' }],
    ['an id that hides its direction', { agentId: 'a\u202eb' }],
    ['an id that is too long', { agentId: 'a'.repeat(201) }],
    ['an id that is a number', { agentId: 7 }],
    ['a turn before the first', { turnIndex: -1 }],
    ['a turn that is text', { turnIndex: '1' }],
    ['a key that is not known', { role: 'admin' }],
  ])('refuses and records a call whose context is %s', async (_name, context) => {
    const { heard } = await call({ name: 'read_file', arguments: {}, _meta: { 'devs/context': context } });
    expect(heard?.refusal?.code).toBe('CONTEXT_REFUSED');
    expect(heard?.request).toMatchObject({ toolName: 'read_file', context: { agentId: 'anonymous' } });
  });

  it('reads claims only from keys of its own', async () => {
    const _meta: unknown = Object.create({ 'devs/context': { agentId: 'inherited' } });
    const { heard } = await call({ name: 'read_file', arguments: {}, _meta });
    expect(heard?.request.context.agentId).toBe('anonymous');
  });

  it('maps the inner error block to text with isError (decision 12)', async () => {
    const refused: ToolResult = {
      isError: true,
      content: [{ type: 'error', text: 'no' }],
      _meta: { 'devs/refusal': { code: 'POLICY_DENIED' } },
    };
    expect((await call({ name: 'x' }, refused)).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'no' }],
      _meta: { 'devs/refusal': { code: 'POLICY_DENIED' } },
    });
  });
});
