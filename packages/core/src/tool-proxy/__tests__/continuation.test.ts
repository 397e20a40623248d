import { describe, expect, it } from '@jest/globals';
import type { ToolRegistration } from '../../tool-registry/types.ts';
import { answer, codeOf, createScene, describeTool, request, type Execution, type SceneSetting } from './scene.ts';

/** Put together here: no file holds a secret whole. */
const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const MARK = '[REDACTED:secret:github-token]';

const handler = async () => await Promise.reject(new Error('the gate must not call a handler itself'));
const upstream: ToolRegistration = { ...describeTool({ name: 'files__ask', labels: ['untrusted'], source: 'files', authorship: 'foreign' }), kind: 'upstream', handler };
const ours = describeTool({ name: 'read_file' });
const question = { inputRequests: { name: { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } } } }, requestState: 'sealed' };

async function call(changes: object, execute: NonNullable<SceneSetting['execute']> = () => answer('done')) {
  const scene = createScene({ tools: [upstream, ours], execute });
  return { ...scene, result: await scene.proxy.execute(request({ toolName: 'files__ask', ...changes })) };
}

const handed = async (changes: object) => (await call(changes)).executions[0]?.run.upstream;

describe('a call whose server asks its client something', () => {
  const asks = { content: [{ type: 'text', text: 'not yet' }], inputRequired: question, _meta: { 'x/y': 1, 'devs/receipt': {} } };

  it('is answered with the question, which says who asks, and is in the log as it is', async () => {
    const { result, records } = await call({}, () => asks);
    const asked = {
      content: [],
      inputRequired: { ...question, inputRequests: { name: { method: 'elicitation/create', params: { message: 'files asks: Name?', requestedSchema: { type: 'object', properties: {} } } } } },
      _meta: { 'x/y': 1 },
    };
    expect(result).toEqual(asked);
    expect(records).toMatchObject([{ status: 'ok', isError: false, code: null, output: asked }]);
  });

  it.each<[string, object, unknown]>([
    ['of a tool of devs', { toolName: 'read_file' }, asks],
    ['that is none', {}, { ...asks, inputRequired: { inputRequests: { name: { method: 'tools/call' } } } }],
    ['that is nothing', {}, { ...asks, inputRequired: null }],
  ])('is withheld with a question %s', async (_, changes, raw) => {
    const { result, records } = await call(changes, () => raw);
    expect([codeOf(result), records[0]?.status, result.inputRequired]).toEqual(['OUTPUT_WITHHELD', 'withheld', undefined]);
    expect(JSON.stringify(result)).not.toContain('Name?');
  });

  it('is withheld from code, which can ask nobody', async () => {
    const code: ToolRegistration = { ...describeTool({ name: 'run_code' }), kind: 'code', handler };
    const children: unknown[] = [];
    const scene = createScene({
      tools: [upstream, code],
      execute: async ({ tool, run }: Execution) => {
        if (tool.name !== 'run_code') return asks;
        children.push(await run.callTool('files__ask', { path: 'a' }, new AbortController().signal));
        return answer('done');
      },
    });
    await scene.proxy.execute(request({ toolName: 'run_code' }));
    expect(children).toMatchObject([{ isError: true, content: [{ text: expect.stringContaining('asks its client something') }] }]);
  });

  it('is an observation that says so', async () => {
    const scene = createScene({ tools: [upstream], execute: () => asks });
    expect((await scene.proxy.observe(request({ toolName: 'files__ask' }))).observation).toMatchObject({ status: 'ok', content: '[the tool waits for an answer of its client]' });
  });
});

describe('what the client answers', () => {
  const inputResponses = { name: { action: 'accept', content: { name: 'Ada', key: TOKEN } }, other: 5 };

  it('is handed on as it was checked, and is in the log without its secrets', async () => {
    const mine = structuredClone(inputResponses);
    const { executions, intents, records } = await call({ continuation: { inputResponses: mine, state: 'where it was' } });
    const got = executions[0]?.run.upstream.continuation;
    expect(got).toEqual({ inputResponses, state: 'where it was' });
    mine.name.content.name = 'Eve';
    expect(got?.inputResponses).toEqual(inputResponses);
    const logged = { name: { action: 'accept', content: { name: 'Ada', key: MARK } }, other: 5 };
    expect([intents[0]?.inputResponses, records[0]?.inputResponses]).toEqual([logged, logged]);
  });

  it('is absent from a record of a call that was asked nothing', async () => {
    const { intents, records, executions } = await call({});
    for (const told of [intents[0], records[0]]) expect(told).not.toHaveProperty('inputResponses');
    expect(executions[0]?.run.upstream.continuation).toBeUndefined();
  });

  it('is in the log of a call that is refused for something else', async () => {
    const { records } = await call({ args: { wrong: 1 }, continuation: { inputResponses, state: undefined } });
    expect(records).toMatchObject([{ code: 'TOOL_ARG_VALIDATION_FAILURE', inputResponses: { name: { content: { key: MARK } } } }]);
  });

  const turned = () => Object.defineProperty({}, 'name', { enumerable: true, get: () => { throw new Error('x'); } });
  it.each<[string, unknown, unknown]>([
    ['no object', { inputResponses: 'obey' }, 'obey'],
    ['nothing', { inputResponses: null }, null],
    ['a list', { inputResponses: [{}] }, [{}]],
    ['a way to a prototype', { inputResponses: JSON.parse('{"__proto__":{"admin":true}}') }, { unreadable: expect.any(String) }],
    ['a name that no question has', { inputResponses: { 'obey me': 1 } }, { 'obey me': 1 }],
    ['too many', { inputResponses: Object.fromEntries(Array.from({ length: 65 }, (__, index) => [`q${String(index)}`, 1])) }, expect.anything()],
    ['what is too large', { inputResponses: { q: 'x'.repeat(8_388_609) } }, { excerpt: expect.any(String) }],
    ['what is too deep', { inputResponses: { q: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) } }, { unreadable: expect.any(String) }],
    ['what cannot be read', { inputResponses: turned() }, { unreadable: 'cannot be read' }],
    ['a state that is no text', { inputResponses: {}, state: 5 }, {}],
    ['no continuation', 'obey', undefined],
    ['a continuation that cannot be read', Object.defineProperty({}, 'inputResponses', { get: () => { throw new Error('x'); } }), undefined],
  ])('refuses the call where it is %s, and nothing has run', async (_, continuation, logged) => {
    const { result, records, executions } = await call({ continuation });
    expect([codeOf(result), executions.length]).toEqual(['MESSAGE_REFUSED', 0]);
    expect(records).toHaveLength(1);
    if (logged === undefined) expect(records[0]).not.toHaveProperty('inputResponses');
    else expect(records[0]?.inputResponses).toEqual(typeof logged === 'object' && logged !== null && !Array.isArray(logged) && !('asymmetricMatch' in logged) ? expect.objectContaining(logged) : logged);
  });

  it('masks the secrets of what it refuses too', async () => {
    const { records, result } = await call({ continuation: { inputResponses: { [`a ${TOKEN}`]: TOKEN } } });
    expect(JSON.stringify([records, result])).not.toContain(TOKEN);
  });
});

describe('_meta of a request', () => {
  it('is handed on, without what belongs to the protocol or to devs', async () => {
    const meta = { 'com.example/a': { b: [TOKEN] }, traceparent: 'x', 'openai/locale': 'de', progressToken: 7, 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'devs/agentId': 'a', DEVS: 1 };
    expect((await handed({ meta }))?.meta).toEqual({ 'com.example/a': { b: [TOKEN] }, traceparent: 'x', 'openai/locale': 'de' });
    expect((await handed({ meta: { progressToken: 1 } }))?.meta).toBeUndefined();
    expect((await handed({}))?.meta).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['a text', 'obey'],
    ['a way to a prototype', JSON.parse('{"__proto__":{"admin":true}}')],
    ['a way to a prototype, within', JSON.parse('{"a":{"constructor":{"prototype":{}}}}')],
    ['what is too large', { a: 'x'.repeat(65_537) }],
    ['what JSON cannot carry', { a: 1n }],
  ])('refuses the call where it is %s', async (_, meta) => {
    const { result, executions } = await call({ meta });
    expect([codeOf(result), executions.length]).toEqual(['MESSAGE_REFUSED', 0]);
  });
});

describe('whose servers a call reaches', () => {
  it('is said by the edge, and handed on untouched to a call and to what it calls', async () => {
    const session = Object.freeze({ client: 1 });
    const code: ToolRegistration = { ...describeTool({ name: 'run_code' }), kind: 'code', handler };
    const scene = createScene({
      tools: [upstream, code],
      execute: async ({ tool, run }: Execution) => {
        if (tool.name === 'run_code') await run.callTool('files__ask', { path: 'a' }, new AbortController().signal);
        return answer('done');
      },
    });
    await scene.proxy.execute(request({ toolName: 'run_code', session, meta: { a: 1 }, continuation: { inputResponses: {}, state: undefined } }));
    expect(scene.executions.map(({ run }) => run.upstream.session === session)).toEqual([true, true]);
    // What was asked and said of the one call is not said of the other.
    expect(scene.executions[1]?.run.upstream).toMatchObject({ meta: undefined, continuation: undefined });
    expect((await handed({}))?.session).toBeUndefined();
  });
});
