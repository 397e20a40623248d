import { describe, expect, it } from '@jest/globals';
import { CALL_ID, codeOf, context, createScene, describeTool, request, wholeText } from './scene.ts';
import { firstText } from '../../protocol/__tests__/first-text.ts';

const phased = describeTool({ name: 'deploy', allowedPhases: ['phase-9'], handler: () => Promise.reject(new Error()) });
const epical = describeTool({ name: 'migrate', allowedEpics: [] });

describe('names', () => {
  it.each<[string, unknown]>([
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
    ['toString', 'toString'],
    ['hasOwnProperty', 'hasOwnProperty'],
    ['nothing', ''],
    ['another case', 'READ_FILE'],
    ['a space behind', 'read_file '],
    ['a NUL behind', 'read_file\u0000'],
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['null', null],
    ['undefined', undefined],
    ['a number', 1],
    ['a list of the name', ['read_file']],
    ['an object', { toString: () => 'read_file' }],
    ['a symbol', Symbol('read_file')],
  ])('%s is unknown', async (_name, toolName) => {
    const scene = createScene();
    const result = await scene.proxy.execute(request({ toolName }));
    expect(codeOf(result)).toBe('UNKNOWN_TOOL');
    expect(scene.steps).toEqual(['append', 'UNKNOWN_TOOL']);
    expect(typeof scene.records[0]?.toolName).toBe('string');
    expect(wholeText([result, scene.records, scene.events]).length).toBeLessThan(3_000);
  });

  it('a tool may be called constructor once it is registered', async () => {
    const scene = createScene({ tools: [describeTool({ name: 'constructor' })] });
    expect((await scene.proxy.execute(request({ toolName: 'constructor' }))).isError).toBeUndefined();
  });

  it('cannot forge lines in the log', async () => {
    const scene = createScene();
    const result = await scene.proxy.execute(request({ toolName: `a\nb\u001b[2J\u202e\u2028\ud800${'😀'.repeat(300)}` }));
    expect(scene.records[0]?.toolName).toMatch(/^a\ufffdb\ufffd\[2J\ufffd\ufffd\ufffd😀+\ufffd?$/u);
    expect(scene.records[0]?.toolName.length).toBeLessThanOrEqual(200);
    expect(scene.events[0]?.toolName).toBe(scene.records[0]?.toolName);
    expect(wholeText(result)).not.toContain('[2J');
  });

  it.each(['deploy', 'migrate'])('a hidden tool (%s) is unknown, in the same words', async (hidden) => {
    const scene = createScene({ tools: [describeTool(), phased, epical] });
    const refused = await scene.proxy.execute(request({ toolName: hidden }));
    const unknown = await scene.proxy.execute(request({ toolName: 'no_such_tool' }));
    expect(JSON.stringify(refused)).toBe(JSON.stringify(unknown));
    const [first, second] = [await scene.proxy.observe(request({ toolName: hidden })), await scene.proxy.observe(request({ toolName: 'none' }))];
    expect({ ...first.observation, toolName: '' }).toEqual({ ...second.observation, toolName: '' });
    expect(scene.executions).toEqual([]);
    expect(scene.events.map(({ event }) => event)).toEqual(Array.from({ length: 4 }, () => 'UNKNOWN_TOOL'));
  });

  it('a tool of the phase that the caller claims is there', async () => {
    const scene = createScene({ tools: [phased] });
    const result = await scene.proxy.execute(request({ toolName: 'deploy', context: { ...context, phaseId: 'phase-9' } }));
    expect(result.isError).toBeUndefined();
  });
});

describe('contexts', () => {
  const id = (value: unknown) => ({ ...context, agentId: value });
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a list', []],
    ['text', 'agent'],
    ['no project', { ...context, projectRoot: undefined }],
    ['turn -1', { ...context, turnIndex: -1 }],
    ['turn 1.5', { ...context, turnIndex: 1.5 }],
    ['turn NaN', { ...context, turnIndex: Number.NaN }],
    ['turn infinity', { ...context, turnIndex: Number.POSITIVE_INFINITY }],
    ['turn 2^53', { ...context, turnIndex: 2 ** 53 }],
    ['turn as text', { ...context, turnIndex: '1' }],
    ['turn as a bigint', { ...context, turnIndex: 1n }],
    ['an id with a newline', id('a\nb')],
    ['an id with an escape', id('a\u001b[2J')],
    ['an id with a C1 control', id('a\u009b')],
    ['an id that reorders', id('a\u202eb')],
    ['an id with nothing to see', id('a\u200bb')],
    ['an id with a line separator', id('a\u2028b')],
    ['an id with a lone surrogate', id('a\ud800')],
    ['an id of 201 characters', id('a'.repeat(201))],
    ['an id of 10,000 characters', id('a'.repeat(10_000))],
    ['an id that is a number', id(7)],
    ['an id that is an object', id({ toString: () => 'a' })],
    ['a bad phase', { ...context, phaseId: 'a\n' }],
    ['a bad epic', { ...context, epicId: 'a\n' }],
    ['a bad task', { ...context, taskId: 'a\n' }],
    ['a getter that throws', { ...context, get agentId() { throw new Error('x'); } }],
    ['a proxy that throws', new Proxy({}, { get: () => { throw new Error('x'); } })],
  ])('%s refuses the call, and the log has safe defaults', async (_name, hostile) => {
    const scene = createScene();
    const result = await scene.proxy.execute(request({ context: hostile }));
    expect(codeOf(result)).toBe('CONTEXT_REFUSED');
    expect(scene.steps).toEqual(['append', 'TOOL_CALL_REFUSED']);
    expect(scene.records[0]).toMatchObject({ agentId: 'anonymous', turnIndex: 0, phaseId: '', epicId: '', taskId: '' });
    expect(firstText(result)).toMatch(/^[ -~]+$/);
  });

  it('is read once: an id that changes between two looks is one id', async () => {
    let looks = 0;
    const scene = createScene();
    await scene.proxy.execute(request({ context: { ...context, get agentId() { return `agent-${(looks += 1)}`; } } }));
    expect([scene.records[0]?.agentId, scene.events[0]?.agentId, scene.executions[0]?.context.agentId]).toEqual(['agent-1', 'agent-1', 'agent-1']);
  });
});

describe('requests', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['text', 'read_file'],
    ['a getter that throws', { ...request(), get toolName() { throw new Error('x'); } }],
    ['an origin that throws', { ...request(), origin: { get principal() { throw new Error('x'); } } }],
  ])('%s is refused and in the log', async (_name, hostile) => {
    const scene = createScene();
    const result = await scene.proxy.execute(hostile as ReturnType<typeof request>);
    expect(codeOf(result)).toBe('CONTEXT_REFUSED');
    expect(scene.records).toHaveLength(1);
    expect(scene.records[0]).toMatchObject({ id: CALL_ID, principal: 'local', channel: 'library' });
  });

  it('the name is read once: what was looked up is what is logged', async () => {
    const names = ['read_file', 'other'];
    const scene = createScene();
    await scene.proxy.execute({ ...request(), get toolName() { return names.shift() ?? 'third'; } });
    expect([scene.executions[0]?.tool.name, scene.records[0]?.toolName]).toEqual(['read_file', 'read_file']);
  });

  it('a registry that throws refuses the call', async () => {
    const scene = createScene({ lookup: () => ({ getTool: () => { throw new Error('/host/registry'); } }) });
    const result = await scene.proxy.execute(request());
    expect(codeOf(result)).toBe('INTERNAL_ERROR');
    expect(wholeText(result)).not.toContain('/host/');
    expect(scene.steps).toEqual(['append', 'TOOL_CALL_REFUSED']);
  });
});
