import { describe, expect, it, jest } from '@jest/globals';
import { createOutputSanitizer, type IOutputSanitizer } from '../../protocol/output-sanitizer.ts';
import { silentLogger } from '../../logging/structured-logger.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import { ToolProxy } from '../ToolProxy.ts';
import type { AgentLogRecord } from '../call/types.ts';
import { answer, CALL_ID, codeOf, context, createScene, describeTool, request, wholeText } from './scene.ts';
import { firstText } from '../../protocol/__tests__/first-text.ts';
import { describeBlock } from '../../protocol/tool-result.ts';

describe('ToolProxy.execute (seed 003)', () => {
  it('validates, then begins, runs, appends, and tells it once', async () => {
    const scene = createScene();
    const asked = request();
    const result = await scene.proxy.execute(asked);
    expect(scene.steps).toEqual(['validate', 'begin', 'execute', 'append', 'TOOL_EXECUTED']);
    expect(scene.executions[0]?.args).toEqual({ path: 'src/index.ts' });
    // The copy that was validated: the caller could still change its own.
    expect(scene.executions[0]?.args).not.toBe(asked.args);
    expect(Object.isFrozen(scene.executions[0]?.args)).toBe(true);
    expect(scene.executions[0]?.tool.name).toBe('read_file');
    expect(scene.executions[0]?.context).toEqual(context);
    expect(scene.executions[0]?.run.callId).toBe(CALL_ID);
    expect(result).toEqual(answer('contents'));
  });

  it('tells TOOL_EXECUTED with the fields that a dashboard needs', async () => {
    const scene = createScene();
    await scene.proxy.execute(request());
    expect(scene.events).toEqual([
      { event: 'TOOL_EXECUTED', toolName: 'read_file', agentId: 'agent-7', turnIndex: 3, callId: CALL_ID, durationMs: 5, isError: false },
    ]);
  });

  it('refuses arguments that do not fit: not run, told once, in the log', async () => {
    const scene = createScene();
    const result = await scene.proxy.execute(request({ args: { path: 7 } }));
    expect(result.isError).toBe(true);
    expect(codeOf(result)).toBe('TOOL_ARG_VALIDATION_FAILURE');
    expect(firstText(result)).toContain('Argument "/path" must be string.');
    expect(scene.steps).toEqual(['validate', 'TOOL_ARG_VALIDATION_FAILURE', 'append']);
    expect(scene.events[0]).toMatchObject({ toolName: 'read_file', agentId: 'agent-7', turnIndex: 3, callId: CALL_ID, pointer: '/path' });
  });

  it('hides what a sandbox throws from the agent, and tells the operator', async () => {
    const scene = createScene({ execute: () => Promise.reject(new Error('ENOENT: open /etc/host-secret')) });
    const result = await scene.proxy.execute(request());
    expect(result).toEqual({ isError: true, content: [{ type: 'error', text: 'Tool execution failed.' }] });
    expect(scene.events).toHaveLength(1);
    expect(scene.events[0]).toMatchObject({ event: 'TOOL_EXECUTION_ERROR', code: 'TOOL_EXECUTION_ERROR', isError: true });
    expect(scene.events[0]?.error).toContain('ENOENT: open /etc/host-secret');
  });

  it('answers ACCESS_DENIED to an unknown name, and runs nothing', async () => {
    const scene = createScene();
    const result = await scene.proxy.execute(request({ toolName: 'launch_rocket' }));
    expect(result.isError).toBe(true);
    expect(firstText(result)).toMatch(/^ACCESS_DENIED: /);
    expect(scene.steps).toEqual(['append', 'UNKNOWN_TOOL']);
  });

  it('says a tool’s own failure as the tool says it', async () => {
    const scene = createScene({ execute: async () => ({ ...answer('no such row'), isError: true }) });
    expect(await scene.proxy.execute(request())).toEqual({ ...answer('no such row'), isError: true });
    expect(scene.events[0]).toMatchObject({ event: 'TOOL_EXECUTED', isError: true });
    expect(scene.records[0]).toMatchObject({ status: 'error', isError: true, code: null });
  });

  it('works with four arguments alone, its safe defaults in force', async () => {
    const registry = new ToolRegistry();
    registry.register(describeTool());
    const append = jest.fn(async (_record: AgentLogRecord) => undefined);
    const proxy = new ToolProxy(registry, { execute: async () => answer(Buffer.from([0x61, 0x00, 0xff])) }, { log: () => undefined }, { append });
    expect(await proxy.execute(request())).toMatchObject(answer('a\ufffd'));
    expect(append).toHaveBeenCalledWith(
      expect.objectContaining({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      }),
    );
  });

  it('measures on the monotonic clock, not the wall clock', async () => {
    const monotonic = jest.spyOn(performance, 'now');
    const registry = new ToolRegistry();
    registry.register(describeTool());
    const records: number[] = [];
    const log = { append: async ({ durationMs }: { readonly durationMs: number }) => void records.push(durationMs) };
    monotonic.mockReturnValueOnce(100).mockReturnValueOnce(142.5);
    await new ToolProxy(registry, { execute: async () => answer('') }, { log: () => undefined }, log).execute(request());
    monotonic.mockRestore();
    expect(records).toEqual([42.5]);
  });
});

describe('the sanitizer in the gate (seed 000)', () => {
  it('wraps a mark and binary bytes in an observation that JSON can carry', async () => {
    const scene = createScene({ execute: async () => Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00, 0x80]) });
    const { observation } = await scene.proxy.observe(request());
    expect(observation.status).toBe('ok');
    expect(observation.content).toBe('\ufffdA\ufffd');
    expect(() => JSON.stringify(observation)).not.toThrow();
    expect(observation.content.isWellFormed()).toBe(true);
  });

  it('reads a bare string as bytes where it is bytes, and a block’s text as text', async () => {
    const bare = createScene({ execute: async () => '\xe2\x82\xac' });
    expect(await bare.proxy.execute(request())).toEqual(answer('€'));
    const block = createScene({ execute: async () => answer('\xc3\xbc') });
    expect(await block.proxy.execute(request())).toEqual(answer('\xc3\xbc'));
  });

  it('gives all parts of one result one budget, the sentinel in it', async () => {
    const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 100 } });
    const blocks = Array.from({ length: 4 }, () => ({ type: 'text', text: 'x'.repeat(80) }));
    const scene = createScene({ execute: async () => ({ content: blocks }), options: { sanitizer } });
    const { content } = await scene.proxy.execute(request());
    expect(content.map(describeBlock)).toEqual(['x'.repeat(80), '[OUTPUT TRUNCATED - ']);
    expect(scene.records[0]?.sanitization).toEqual({ truncated: true, counts: {}, findings: [] });
  });

  it('warns, and makes well formed, where a sanitizer leaves text unsafe for JSON', async () => {
    const real = createOutputSanitizer({ mcp: { maxToolOutputBytes: 100 } });
    const leaky: IOutputSanitizer = {
      maxBytes: 100,
      sanitize: String,
      sanitizeText: String,
      isSafeForJSON: (text) => real.isSafeForJSON(text),
    };
    const warn = jest.fn();
    const options = { sanitizer: leaky, logger: { ...silentLogger, warn } };
    const scene = createScene({ execute: async () => answer('a\ud800b'), options });
    expect(await scene.proxy.execute(request())).toEqual(answer('a\ufffdb'));
    expect(warn.mock.calls).toEqual([
      ['OUTPUT_NOT_SAFE_FOR_JSON', { tool_name: 'read_file', task_id: 'task-9', turn_index: 3 }],
    ]);
  });

  it('passes the proxy’s logger to the sanitizer it makes', async () => {
    const warn = jest.fn();
    const scene = createScene({
      execute: async () => Buffer.alloc(10_485_761, 'a'),
      options: { logger: { ...silentLogger, warn } },
    });
    await scene.proxy.execute(request());
    expect(warn.mock.calls).toEqual([['OUTPUT_TRUNCATED', { limitBytes: 512_000 }]]);
  });

  it('withholds when the sanitizer throws', async () => {
    const real = createOutputSanitizer({ mcp: { maxToolOutputBytes: 100 } });
    const clean = () => {
      throw new Error('bug');
    };
    const sanitizer = { maxBytes: 100, sanitize: clean, sanitizeText: clean, isSafeForJSON: () => real.isSafeForJSON('') };
    const scene = createScene({ execute: async () => answer('raw secret'), options: { sanitizer } });
    const result = await scene.proxy.execute(request());
    expect(codeOf(result)).toBe('OUTPUT_WITHHELD');
    expect(wholeText(result)).not.toContain('raw secret');
  });
});
