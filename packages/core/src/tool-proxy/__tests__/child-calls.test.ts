import { describe, expect, it } from '@jest/globals';
import type { ToolResult } from '../../protocol/tool-result.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import type { ToolLabel, ToolRegistration } from '../../tool-registry/types.ts';
import type { SandboxRun } from '../call/types.ts';
import { answer, codeOf, createScene, describeTool, never, request, type Execution } from './scene.ts';

const nothing = new AbortController().signal;
const refuse = async () => await Promise.reject(new Error('the gate must not call a handler itself'));

/** A tool whose code calls others. */
const runner: ToolRegistration = { ...describeTool({ name: 'run_code' }), kind: 'code', handler: refuse };
const reader = describeTool({ name: 'read_file', labels: ['private'] });
const fetcher = describeTool({ name: 'web_fetch', labels: ['untrusted', 'external'] });
const hidden = describeTool({ name: 'deploy', allowedPhases: ['release'] });

/** Runs `code` as the body of `run_code`; all other tools say `see __ot here`. */
async function runCode(code: (run: SandboxRun) => Promise<string>, tools: readonly ToolRegistration[] = [runner, reader, fetcher, hidden]) {
  let number = 0;
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  const scene = createScene({
    execute: async ({ tool, run }: Execution) => (tool.name === 'run_code' ? answer(await code(run)) : answer('see __ot here')),
    lookup: () => registry,
    options: { createId: () => `call-${String((number += 1)).padStart(8, '0')}` },
  });
  const result = await scene.proxy.execute(request({ toolName: 'run_code', origin: { principal: 'root', channel: 'cli' } }));
  return { ...scene, result };
}

function textOf(result: ToolResult | undefined): string {
  const [block] = result?.content ?? [];
  return block !== undefined && 'text' in block ? block.text : '';
}

describe('a tool that calls tools', () => {
  it('goes through the whole gate for each, as a child of its own call and as the same caller', async () => {
    const { records, steps } = await runCode(async (run) => {
      await run.callTool('read_file', { path: 'a' }, nothing);
      await run.callTool('read_file', { wrong: 1 }, nothing);
      return 'done';
    });
    expect(records.map(({ id, toolName, parentCallId, status, principal, channel }) => ({ id, toolName, parentCallId, status, principal, channel }))).toEqual([
      { id: 'call-00000002', toolName: 'read_file', parentCallId: 'call-00000001', status: 'ok', principal: 'root', channel: 'cli' },
      { id: 'call-00000003', toolName: 'read_file', parentCallId: 'call-00000001', status: 'denied', principal: 'root', channel: 'cli' },
      { id: 'call-00000001', toolName: 'run_code', parentCallId: null, status: 'ok', principal: 'root', channel: 'cli' },
    ]);
    expect(steps.filter((step) => step === 'execute')).toHaveLength(2);
  });

  it('is told of what its caller may call, and of nothing that runs code itself', async () => {
    const { executions } = await runCode(async () => await Promise.resolve('done'));
    expect(executions[0]?.run.callable).toEqual(['read_file', 'web_fetch']);
  });

  it.each([
    ['a tool that is not there', 'nobody'],
    ['a tool that is hidden from its caller', 'deploy'],
    ['itself: each would get a budget of its own', 'run_code'],
    ['what every object has', 'constructor'],
  ])('gets a refusal for %s', async (_, name) => {
    let refusal: ToolResult | undefined;
    const { records, executions } = await runCode(async (run) => {
      refusal = await run.callTool(name, { path: 'a' }, nothing);
      return 'done';
    });
    expect(codeOf(refusal ?? {})).toBe('UNKNOWN_TOOL');
    expect(records.map(({ code }) => code)).toEqual(['UNKNOWN_TOOL', null]);
    expect(executions).toHaveLength(1);
  });

  it('gets a text that is redacted and stands in no boundary, and answers in one: what a child was labelled, it is', async () => {
    let child: ToolResult | undefined;
    const { result } = await runCode(async (run) => textOf((child = await run.callTool('web_fetch', { path: 'a' }, nothing))));
    expect(textOf(child)).toBe('see [REDACTED:trigger] here');
    expect(textOf(result)).toMatch(/^<external-content-\w{12} source="run_code">\nsee \[REDACTED:trigger\] here\n<\//);
  });

  it.each<[string, readonly ToolLabel[], string | RegExp]>([
    ['nothing untrusted was called', [], 'plain __ot'],
    ['something untrusted was called, whatever became of it', ['untrusted'], /^<external-content-/],
  ])('answers as it would by itself where %s', async (_, labels, expected) => {
    const { result } = await runCode(
      async (run) => {
        await run.callTool('read_file', { wrong: 1 }, nothing);
        return 'plain __ot';
      },
      [runner, describeTool({ name: 'read_file', labels })],
    );
    expect(textOf(result)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  it('can ask for a boundary, and for nothing less', async () => {
    const { result } = await runCode(async (run) => {
      run.bound();
      return await Promise.resolve('see __ot here');
    });
    expect(textOf(result)).toMatch(/^<external-content-\w{12} source="run_code">\nsee \[REDACTED:trigger\] here\n/);
  });

  it('takes its children with it, and calls nothing once it has answered', async () => {
    let late: SandboxRun | undefined;
    let child: Promise<ToolResult> | undefined;
    const scene = createScene({
      execute: async ({ tool, run }: Execution) => {
        if (tool.name !== 'run_code') return never();
        late = run;
        child = run.callTool('read_file', { path: 'a' }, nothing);
        return await Promise.resolve(answer('gone'));
      },
      lookup: () => {
        const registry = new ToolRegistry();
        for (const tool of [runner, reader]) registry.register(tool);
        return registry;
      },
    });
    await scene.proxy.execute(request({ toolName: 'run_code' }));
    expect(await child).toMatchObject({ isError: true });
    expect(scene.records.map(({ toolName, code }) => [toolName, code])).toContainEqual(['read_file', 'CALL_CANCELLED']);
    const before = scene.records.length;
    await expect(late?.callTool('read_file', { path: 'a' }, nothing)).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    expect(scene.records).toHaveLength(before);
  });

  it('is of the kind that may: a tool of another one cannot call any', async () => {
    const { result, records } = await runCode(
      async (run) => {
        expect(run.callable).toEqual([]);
        await run.callTool('read_file', { path: 'a' }, nothing);
        return 'done';
      },
      [describeTool({ name: 'run_code' }), reader],
    );
    expect(result.isError).toBe(true);
    expect(records.map(({ toolName }) => toolName)).toEqual(['run_code']);
  });
});

describe('what holds a call', () => {
  const enforcement = { by: 'bubblewrap', guarantees: ['files', 'network'] } as const;

  it('is on its record and in its answer', async () => {
    const scene = createScene({
      execute: async ({ run }: Execution) => {
        run.enforced(enforcement);
        return await Promise.resolve(answer('x'));
      },
    });
    const result = await scene.proxy.execute(request());
    expect(scene.records[0]?.enforcement).toEqual(enforcement);
    expect(result._meta?.['devs/enforcement']).toEqual(enforcement);
    expect(scene.records[0]?.output._meta).toBeUndefined();
  });

  it('is told of a tool that failed, and not of one that never ran', async () => {
    const scene = createScene({
      execute: async ({ run }: Execution) => {
        run.enforced(enforcement);
        return await Promise.reject(new Error('broken'));
      },
    });
    const failed = await scene.proxy.execute(request());
    const refused = await scene.proxy.execute(request({ toolName: 'nobody' }));
    expect([failed, refused].map(({ _meta }) => _meta?.['devs/enforcement'])).toEqual([enforcement, undefined]);
    expect(scene.records.map((record) => record.enforcement)).toEqual([enforcement, null]);
  });

  it('waits for a tool whose process keeps the time, so that what it said is not lost', async () => {
    const asked = async (kind: 'command' | undefined) => {
      const tool: ToolRegistration = kind === undefined ? describeTool({ timeoutMs: 1 }) : { ...describeTool({ timeoutMs: 1 }), kind, handler: refuse };
      const scene = createScene({
        tools: [tool],
        execute: async ({ run }: Execution) => {
          await new Promise((resolve) => setTimeout(resolve, run.timeoutMs + 50));
          return answer('in time');
        },
      });
      return textOf(await scene.proxy.execute(request()));
    };
    expect(await asked('command')).toBe('in time');
    expect(await asked(undefined)).toContain('time limit');
  });
});
