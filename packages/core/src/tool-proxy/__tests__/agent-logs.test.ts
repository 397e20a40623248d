import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TOOL_SETTINGS } from '../../config/tool-settings.ts';
import { DevsError } from '../../errors.ts';
import { answer, CALL_ID, createScene, describeTool, request, type SceneSetting } from './scene.ts';

const shared = {
  id: CALL_ID,
  toolName: 'read_file',
  agentId: 'agent-7',
  turnIndex: 3,
  phaseId: 'phase-1',
  epicId: 'epic-2',
  taskId: 'task-9',
  principal: 'local',
  channel: 'library',
  parentCallId: null,
  timestamp: '2025-01-02T03:04:05.006Z',
  receivedInput: null,
};

describe('agent_logs (TAS-072)', () => {
  it('holds a whole record of a call that succeeded', async () => {
    const scene = createScene();
    const result = await scene.proxy.execute(request());
    expect(scene.records).toEqual([
      {
        ...shared,
        input: { path: 'src/index.ts' },
        rule: 'default',
        status: 'ok',
        isError: false,
        code: null,
        detail: null,
        output: answer('contents'),
        enforcement: null,
        durationMs: 5,
        sanitization: { truncated: false, counts: {}, findings: [] },
      },
    ]);
    expect(scene.records[0]?.output).toEqual(result);
  });

  it('holds the intent under the same id before the tool runs', async () => {
    const scene = createScene({ execute: () => Promise.reject(new Error('x')) });
    await scene.proxy.execute(request());
    expect(scene.intents).toEqual([{ ...shared, input: { path: 'src/index.ts' }, rule: 'default' }]);
    expect(scene.steps.indexOf('begin')).toBeLessThan(scene.steps.indexOf('execute'));
    expect(scene.records[0]?.id).toBe(scene.intents[0]?.id);
  });

  it('holds what came beside what was made of it', async () => {
    const settings = { ...DEFAULT_TOOL_SETTINGS, validation: { mode: 'lenient' } } as const;
    const scene = createScene({ tools: [describeTool()], registry: { settingsFor: () => settings } });
    await scene.proxy.execute(request({ args: { path: 7 } }));
    const both = { input: { path: '7' }, receivedInput: { path: 7 } };
    expect([scene.executions[0]?.args, scene.intents[0], scene.records[0]]).toMatchObject([{ path: '7' }, both, both]);
  });

  it('holds what the transport has proven beside what the caller claims', async () => {
    const scene = createScene();
    const origin = { principal: 'alice', channel: 'http', parentCallId: 'call-0' };
    const pending = scene.proxy.execute(request({ origin }));
    origin.principal = 'mallory';
    await pending;
    expect(scene.records[0]).toMatchObject({ principal: 'alice', channel: 'http', parentCallId: 'call-0' });
  });

  it.each([
    ['claimed', { agentSource: 'claimed' }],
    ['clientInfo', { agentSource: 'clientInfo' }],
    ['proven', {}],
    [undefined, {}],
  ])('says where the name of the agent comes from, where its edge has said so: %s', async (agentSource, expected) => {
    const scene = createScene();
    await scene.proxy.execute(request({ origin: { principal: 'alice', channel: 'http', agentSource } }));
    expect(scene.records).toHaveLength(1);
    expect([scene.records, scene.intents].map(([part]) => (part !== undefined && 'agentSource' in part ? { agentSource: part.agentSource } : {}))).toEqual([expected, expected]);
  });

  const hang = () => new Promise(() => undefined);
  it.each<[string, SceneSetting, { readonly [key: string]: unknown }, object]>([
    ['failed', { execute: () => Promise.reject(new Error('boom')) }, {}, { status: 'error', code: 'TOOL_EXECUTION_ERROR', rule: 'default' }],
    ['threw at once', { execute: () => { throw new Error('boom'); } }, {}, { status: 'error', code: 'TOOL_EXECUTION_ERROR' }],
    ['failed with a word for agents', { execute: () => Promise.reject(new DevsError('FILE_NOT_FOUND')) }, {}, { status: 'error', code: 'FILE_NOT_FOUND' }],
    ['said so itself', { execute: async () => ({ ...answer('x'), isError: true }) }, {}, { status: 'error', code: null }],
    ['took too long', { execute: hang, options: { toolTimeoutMs: 1 } }, {}, { status: 'error', code: 'TOOL_TIMEOUT' }],
    ['was cancelled', {}, { signal: AbortSignal.abort() }, { status: 'error', code: 'CALL_CANCELLED' }],
    ['gave garbage', { execute: async () => null }, {}, { status: 'withheld', code: 'OUTPUT_WITHHELD', rule: 'default' }],
    ['is unknown', {}, { toolName: 'x' }, { status: 'denied', code: 'UNKNOWN_TOOL', rule: '', toolName: 'x' }],
    ['got bad arguments', {}, { args: {} }, { status: 'denied', code: 'TOOL_ARG_VALIDATION_FAILURE', rule: '', input: {} }],
    ['got a bad context', {}, { context: { turnIndex: -1 } }, { status: 'denied', code: 'CONTEXT_REFUSED', agentId: 'anonymous' }],
    ['could not begin', { begin: () => Promise.reject(new Error('disk full')) }, {}, { status: 'denied', code: 'AUDIT_UNAVAILABLE' }],
  ])('holds a call whose tool %s, as an error, and the answer with it', async (_name, setting, changes, expected) => {
    const scene = createScene(setting);
    const result = await scene.proxy.execute(request(changes));
    expect(scene.records).toHaveLength(1);
    expect(scene.records[0]).toMatchObject({ id: CALL_ID, isError: true, durationMs: 5, ...expected });
    expect(scene.records[0]?.output).toEqual(result);
    expect(result.isError).toBe(true);
  });

  it('holds the cause for the operator, capped, where the agent reads a sentence', async () => {
    const scene = createScene({ execute: () => Promise.reject(new Error(`boom ${'x'.repeat(10_000)}`)) });
    const result = await scene.proxy.execute(request());
    const { detail } = scene.records[0] ?? {};
    expect(detail).toMatch(/^TOOL_EXECUTION_ERROR: Tool execution failed\. \(Error: boom x+$/);
    expect(detail).toHaveLength(2_000);
    expect(JSON.stringify(result)).not.toContain('boom');
  });
});

describe('what the log keeps of refused arguments', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, null],
    ['null', null, null],
    ['a list', [1, 2], [1, 2]],
    ['text', 'rm -rf', 'rm -rf'],
    ['an object', { path: 1, extra: [true] }, { path: 1, extra: [true] }],
    ['a key that reaches a prototype', JSON.parse('{"__proto__":{"admin":true}}'), { unreadable: 'is a key that reaches an object’s prototype', excerpt: '{"__proto__":{"admin":true}}' }],
    ['a circle', circle, { unreadable: 'is nested deeper than 64 levels', excerpt: '' }],
    ['a bigint', { path: 1n }, { unreadable: 'is of type bigint, which JSON cannot carry', excerpt: '' }],
    ['a function', () => 1, { unreadable: 'is of type function, which JSON cannot carry', excerpt: '' }],
    ['a getter that throws', { get path() { throw new Error('x'); } }, { unreadable: 'cannot be read', excerpt: '' }],
  ])('%s', async (_name, args, input) => {
    const scene = createScene();
    await scene.proxy.execute(request({ args }));
    expect(scene.records[0]?.input).toEqual(input);
    expect(JSON.parse(JSON.stringify(scene.records[0]))).toEqual(scene.records[0]);
  });

  it('an excerpt of what is long, well formed', async () => {
    const scene = createScene();
    await scene.proxy.execute(request({ args: { path: 1, long: `x${'😀'.repeat(100_000)}` } }));
    const input = scene.records[0]?.input as { readonly excerpt: string };
    expect(Object.keys(input)).toEqual(['excerpt']);
    expect(input.excerpt).toHaveLength(65_536);
    expect(input.excerpt.isWellFormed()).toBe(true);
  });
});
