import { describe, expect, it } from '@jest/globals';
import { parseConfig, settingsFor } from '../../config/schema.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import type { ToolRegistration } from '../../tool-registry/types.ts';
import { answer, codeOf, createScene, describeTool, never, request, type SceneSetting } from './scene.ts';

const refuse = async () => await Promise.reject(new Error('the gate must not call a handler itself'));
const reader = describeTool();
const runner: ToolRegistration = { ...describeTool({ name: 'run_code' }), kind: 'code', handler: refuse };
const ofServer: ToolRegistration = { ...describeTool({ name: 'read_all', source: 'files' }), kind: 'upstream', handler: refuse };

/** A gate as the configuration makes it. */
function createLimited(input: object, setting: SceneSetting = {}) {
  const config = parseConfig(input);
  const registry = new ToolRegistry({ settingsFor: (name, server) => settingsFor(config, name, server) });
  for (const tool of [reader, runner, ofServer]) registry.register(tool);
  let number = 0;
  const options = { createId: () => `call-${String((number += 1)).padStart(8, '0')}`, principalLimits: config.limits.principal, toolTimeoutMs: 10_000, ...setting.options };
  return createScene({ ...setting, lookup: () => registry, options });
}

/** A tool that ends when it is told to. */
function createHeld() {
  const ends: (() => void)[] = [];
  const execute = async () => {
    const turn = Promise.withResolvers<object>();
    ends.push(() => turn.resolve(answer('done')));
    return turn.promise;
  };
  return { ends, execute };
}

async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

describe('a call for which there is no room', () => {
  it('has not begun, and is not in the log, until there is', async () => {
    const { ends, execute } = createHeld();
    const { proxy, steps, intents } = createLimited({ limits: { principal: { atOnce: 1 } } }, { execute });
    const both = [proxy.execute(request()), proxy.execute(request())];
    await settle();
    expect([intents.length, ends.length]).toEqual([1, 1]);
    ends[0]?.();
    await both[0];
    await settle();
    expect(steps).toEqual(['begin', 'execute', 'append', 'TOOL_EXECUTED', 'begin', 'execute']);
    ends[1]?.();
    expect((await both[1])?.isError).toBeUndefined();
  });

  it('is refused, logged and told when to come again, where it cannot begin in its time', async () => {
    const { execute } = createHeld();
    const limits = { principal: { atOnce: 1 } };
    const { proxy, records, executions } = createLimited({ limits, tools: { read_file: { limits: { toolTimeoutMs: 20 } } } }, { execute });
    const cancel = new AbortController();
    const first = proxy.execute(request({ toolName: 'read_all', signal: cancel.signal }));
    const second = await proxy.execute(request());
    expect(second._meta?.['devs/refusal']).toMatchObject({ code: 'TOO_MANY_CALLS', retryAllowed: true, retryAfterMs: 1_000 });
    expect(second.content).toEqual([
      {
        type: 'error',
        text: 'There are more calls than the operator allows at once, or in a minute. Wait for running calls, then call again in 1 second at the earliest.',
      },
    ]);
    expect(records[0]).toMatchObject({ status: 'denied', code: 'TOO_MANY_CALLS', rule: 'default', input: { path: 'src/index.ts' } });
    expect(records[0]?.detail).toContain('(limits.principal.atOnce)');
    expect(executions).toHaveLength(1);
    cancel.abort();
    await first;
  });

  it('ends with its caller', async () => {
    const { ends, execute } = createHeld();
    const { proxy, executions } = createLimited({ limits: { principal: { atOnce: 1 } } }, { execute });
    const cancel = new AbortController();
    const [first, second] = [proxy.execute(request()), proxy.execute(request({ signal: cancel.signal }))];
    await settle();
    cancel.abort();
    expect((await second).content).toEqual([expect.objectContaining({ type: 'error' })]);
    ends[0]?.();
    await first;
    expect(executions).toHaveLength(1);
  });
});

describe('a place', () => {
  const atOnce = { limits: { principal: { atOnce: 1 } } };

  it.each<[string, SceneSetting, object]>([
    ['its tool failed', { execute: () => Promise.reject(new Error('no')) }, {}],
    ['its tool hung', { execute: () => never(), options: { toolTimeoutMs: 5 } }, {}],
    ['its tool gave garbage', { execute: () => 7 }, {}],
    ['the log could not be written before', { begin: () => Promise.reject(new Error('no')) }, {}],
    ['the log hung before', { begin: () => never(), options: { logTimeoutMs: 5 } }, {}],
    ['the log could not be written after', { append: () => Promise.reject(new Error('no')) }, {}],
    ['it was gone already', {}, { signal: AbortSignal.abort() }],
    ['it was refused before it had one', {}, { args: { path: 7 } }],
  ])('is free again when %s', async (_, setting, asked) => {
    const { proxy } = createLimited(atOnce, { options: { toolTimeoutMs: 1_000 }, ...setting });
    for (let index = 0; index < 3; index += 1) expect(codeOf(await proxy.execute(request(asked)))).not.toBe('TOO_MANY_CALLS');
  });

  it('is kept until the record is written: what waits for the log holds its answer in memory', async () => {
    const writes: (() => void)[] = [];
    const append = async () => new Promise<void>((resolve) => void writes.push(resolve));
    const { proxy, executions } = createLimited(atOnce, { append });
    const both = [proxy.execute(request()), proxy.execute(request())];
    await settle();
    expect([writes.length, executions.length]).toEqual([1, 1]);
    writes[0]?.();
    await both[0];
    await settle();
    expect([writes.length, executions.length]).toEqual([2, 2]);
    writes[1]?.();
    await both[1];
  });
});

describe('limits of a tool and of a server', () => {
  it.each([
    ['a tool', { tools: { read_all: { limits: { atOnce: 1 } } } }],
    ['a server, whatever its tools are called', { mcpServers: { files: { command: 'x', namespace: '', limits: { atOnce: 1 } } } }],
  ])('hold across principals: of %s', async (_, config) => {
    const { ends, execute } = createHeld();
    const { proxy, executions } = createLimited(config, { execute });
    const ask = async (principal: string, toolName: string) => proxy.execute(request({ toolName, origin: { principal, channel: 'http' } }));
    const calls = [ask('a', 'read_all'), ask('b', 'read_all'), ask('b', 'read_file')];
    await settle();
    expect(executions.map(({ tool }) => tool.name)).toEqual(['read_all', 'read_file']);
    for (const end of ends) end();
    await calls[0];
    await settle();
    expect(executions).toHaveLength(3);
    ends[2]?.();
    await Promise.all(calls);
  });

  it.each([
    ['of the tool', { tools: { read_all: { limits: { toolTimeoutMs: 20 } } } }],
    ['of its server', { mcpServers: { files: { command: 'x', namespace: '', limits: { toolTimeoutMs: 20 } } } }],
  ])('the time %s goes before that of all', async (_, config) => {
    const { proxy, executions, records } = createLimited(config, { execute: () => never() });
    await proxy.execute(request({ toolName: 'read_all' }));
    expect([records[0]?.code, executions[0]?.run.timeoutMs]).toEqual(['TOOL_TIMEOUT', 20]);
  });
});

describe('code that calls tools', () => {
  it('does not wait for the place that it holds itself', async () => {
    const { proxy, records } = createLimited(
      { limits: { principal: { atOnce: 1 } }, tools: { read_file: { limits: { atOnce: 1 } } } },
      {
        execute: async ({ tool, run }) => {
          if (tool.name !== 'run_code') return answer('contents');
          const signal = new AbortController().signal;
          await Promise.all([1, 2, 3].map(() => run.callTool('read_file', { path: 'a' }, signal)));
          return answer('done');
        },
      },
    );
    const calls = [1, 2].map(() => proxy.execute(request({ toolName: 'run_code' })));
    await Promise.all(calls);
    expect(records.map(({ toolName, status }) => `${toolName} ${status}`)).toEqual([...Array(2)].flatMap(() => ['read_file ok', 'read_file ok', 'read_file ok', 'run_code ok']));
  });
});
