import { describe, expect, it } from '@jest/globals';
import { ToolRegistry } from '@devs/core';
import { MemoryPins } from '../../../pins/memory-pins.ts';
import type { PinStore } from '../../../pins/pin-store.ts';
import type { UpstreamAnswer } from '../../../protocol/upstream.ts';
import { UpstreamError } from '../../../protocol/upstream.ts';
import { tool, type FakeServer } from '../../__tests__/fake-upstream.ts';
import { CLIENT } from '../../__tests__/connection-scene.ts';
import { createPoolScene, NOBODY, textOf } from '../../__tests__/pool-scene.ts';

const said = (text: string): UpstreamAnswer => ({ kind: 'complete', result: { content: [{ type: 'text', text }] } });
const turn = async () => new Promise((resolve) => setImmediate(resolve));

describe('a client in front of several servers', () => {
  it('is offered the tools of all of them, by their namespaces, and reaches the right one', async () => {
    const scene = createPoolScene({
      one: { tools: [tool('read'), tool('write')], answer: ({ params }) => said(`one ${JSON.stringify(params['name'])}`) },
      two: { tools: [tool('read')], answer: ({ params }) => said(`two ${JSON.stringify(params['name'])}`) },
    });
    const instances = await scene.joined();
    expect(scene.offered(instances)).toEqual(expect.arrayContaining(['one__read', 'one__write', 'two__read']));
    expect(textOf(await scene.call(instances, 'two__read'))).toBe('two "read"');
    expect(textOf(await scene.call(instances, 'one__write'))).toBe('one "write"');
    expect(scene.records.map(({ toolName }) => toolName)).toEqual(['two__read', 'one__write']);
  });

  it('starts nothing before it is asked for, and not what is disabled', async () => {
    const scene = createPoolScene({ one: { tools: [] }, off: { tools: [] } }, { config: { off: { command: 'off', disabled: true } } });
    scene.join();
    expect(scene.instances.map(({ name, starts }) => [name, starts])).toEqual([['one', 0]]);
    expect(scene.pool.names).toEqual(['one']);
  });

  it('has the others when one does not start, one gives no list, and one lists a tool that cannot be', async () => {
    const scene = createPoolScene({
      down: { down: 'It is not there.' },
      mute: { tools: 7 as never },
      odd: { tools: [tool('bad', { inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example/' } } } }), tool('good')] },
      fine: { tools: [tool('a')] },
    });
    const instances = await scene.joined();
    expect(scene.offered(instances).toSorted()).toEqual(['fine__a', 'odd__good']);
    expect(instances.states).toMatchObject([{ server: 'down', state: 'failed', reason: 'It is not there.' }, { server: 'mute', state: 'failed' }, { state: 'ready' }, { state: 'ready' }]);
  });

  it('does not wait for a slow one, and hears when it has come', async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    const sleeps: (() => void)[] = [];
    const timers = { monotonicMs: () => 0, sleep: async () => new Promise<void>((wake) => void sleeps.push(wake)) };
    const scene = createPoolScene({ slow: { tools: [tool('late')], gate }, quick: { tools: [tool('a')] } }, { timers });
    const instances = scene.join();
    const ready = instances.ready(NOBODY);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    for (const wake of sleeps.splice(0, 1)) wake();
    await ready;
    expect(scene.offered(instances)).toEqual(['quick__a']);
    expect(scene.events).toEqual([]);
    // Once is enough: nobody ends this wait.
    await instances.ready(NOBODY);
    resolve();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(scene.offered(instances)).toContain('slow__late');
    expect(scene.events).toEqual([{ kind: 'tools-changed' }]);
  });

  it.each([
    ['claude-code', 1_000],
    ['codex-mcp-client', 10_000],
    ['my-codex', 1_000],
  ])('waits for a list and for what it uses, once for each server: %s', async (name, listMs) => {
    const waits: number[] = [];
    const sleep = async (milliseconds: number) => void waits.push(milliseconds);
    const scene = createPoolScene({ slow: { gate: new Promise(() => undefined) } }, { timers: { monotonicMs: () => 0, sleep } });
    const instances = scene.pool.open({ info: { ...CLIENT, clientInfo: { name, version: '1' } }, onEvent: () => undefined, ask: async () => ({}) });
    for (const wait of ['readyToList', 'ready'] as const) await instances[wait](NOBODY);
    expect(waits).toEqual([listMs, 10_000]);
  });

  it('is given a list without a slow one, and hears of all that it has once it has come', async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    const timers = { monotonicMs: () => 0, sleep: async () => undefined };
    const slow: FakeServer = { tools: [tool('late')], prompts: [{ name: 'p' }], resources: [{ uri: 'a:1', name: 'a' }], announces: false, gate };
    const scene = createPoolScene({ slow, quick: { tools: [tool('a')], prompts: [] } }, { timers });
    const instances = scene.join();
    await instances.readyToList(NOBODY);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await instances.readyToList(NOBODY);
    expect(scene.offered(instances)).toEqual(['quick__a']);
    scene.events.splice(0);
    resolve();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(scene.offered(instances)).toContain('slow__late');
    expect(scene.events.map(({ kind }) => kind)).toEqual(['tools-changed', 'prompts-changed', 'resources-changed']);
    scene.events.splice(0);
    // What it has never said that it changes has not changed.
    scene.instances[0]?.lose();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(scene.events.map(({ kind }) => kind)).toEqual(['lost', 'tools-changed']);
  });

  it('has instances of its own, that end with it', async () => {
    const scene = createPoolScene({ one: { tools: [tool('a')], answer: () => said('x') } });
    const [first, second] = [await scene.joined(), await scene.joined()];
    expect(scene.instances).toHaveLength(2);
    await first.end();
    expect(scene.instances.map(({ isEnded }) => isEnded)).toEqual([true, false]);
    expect(textOf(await scene.call(second, 'one__a'))).toBe('x');
    expect(await scene.codeOf(first, 'one__a')).toBe('UPSTREAM_UNAVAILABLE');
  });

  it('is offered what its own instance lists, not what another’s does', async () => {
    const server: FakeServer = { tools: [tool('a'), tool('b')] };
    const scene = createPoolScene({ one: server });
    const first = await scene.joined();
    server.tools = [tool('a')];
    const second = await scene.joined();
    expect(scene.offered(first)).toEqual(['one__a', 'one__b']);
    expect(scene.offered(second)).toEqual(['one__a']);
  });

  it('is told when its servers list something else, and never reaches an instance that is not listed yet', async () => {
    const server: FakeServer = { tools: [tool('a')], answer: () => said('x') };
    const scene = createPoolScene({ one: server });
    const instances = await scene.joined();
    const [instance] = scene.instances;
    instance?.lose();
    server.tools = [tool('b')];
    expect(await scene.codeOf(instances, 'one__a')).toBe('UPSTREAM_UNAVAILABLE');
    expect(instance?.askedFor('tools/call')).toBe(0);
    expect(scene.offered(instances)).toEqual(['one__b']);
    expect(scene.events).toEqual([{ kind: 'lost' }, { kind: 'tools-changed' }]);
  });
});

describe('a call of a tool', () => {
  it('without a client, or with what is none of the pool’s, reaches nobody', async () => {
    const scene = createPoolScene({ one: { tools: [tool('a')], answer: () => said('x') } });
    await scene.joined();
    expect(await scene.codeOf(undefined, 'one__a')).toBe('UPSTREAM_UNAVAILABLE');
    expect(await scene.codeOf(undefined, 'one__a', { session: { id: 'forged' } })).toBe('UPSTREAM_UNAVAILABLE');
    expect(scene.instances[0]?.askedFor('tools/call')).toBe(0);
  });

  it('goes on with the state that its server gave, and with no other', async () => {
    const states: unknown[] = [];
    const answer: FakeServer['answer'] = ({ continuation }) => {
      if (continuation === undefined) return { kind: 'input_required', inputRequests: { q: { method: 'roots/list' } }, requestState: 'mine' };
      states.push(continuation);
      return said('done');
    };
    const scene = createPoolScene({ one: { tools: [tool('a'), tool('b')], answer } });
    const instances = await scene.joined();
    const asked = await scene.call(instances, 'one__a');
    const state = asked.inputRequired?.requestState;
    expect(state).toMatch(/^[\w-]{40,}$/);
    const go = async (name: string, session: typeof instances, given: string | undefined) =>
      scene.codeOf(session, name, { continuation: { inputResponses: { q: { roots: [] } }, state: given } });
    expect(await go('one__a', instances, state)).toBeUndefined();
    expect(states).toEqual([{ inputResponses: { q: { roots: [] } }, state: 'mine' }]);
    const other = await scene.joined();
    for (const [name, session, given] of [['one__b', instances, state], ['one__a', other, state], ['one__a', instances, 'mine'], ['one__a', instances, `${state ?? ''}A`]] as const) {
      expect(await go(name, session, given)).toBe('INPUT_STATE_REFUSED');
    }
    expect(states).toHaveLength(1);
  });

  it('that its server answers with an error gives the server’s words and code', async () => {
    const answer = () => {
      throw new UpstreamError(-32_042, 'go there first', { elicitations: [] });
    };
    const scene = createPoolScene({ one: { tools: [tool('a')], answer } });
    const result = await scene.call(await scene.joined(), 'one__a');
    expect(result).toMatchObject({ isError: true, protocolError: { code: -32_042 } });
    expect(textOf(result)).toContain('go there first');
  });

  it('has the time and the labels that the configuration gives the server', async () => {
    const config = { one: { command: 'one', labels: ['private'] as const, limits: { toolTimeoutMs: 7 } } };
    const scene = createPoolScene({ one: { tools: [tool('a')] } }, { config });
    await scene.joined();
    expect(scene.registry.getTool('one__a')).toMatchObject({ labels: ['private'], timeoutMs: 7, effects: true, authorship: 'foreign', source: 'one' });
  });
});

describe('requests beside tools', () => {
  it.each([
    ['resources/read', { uri: 'test://a' }, { contents: [{ uri: 'test://a', text: 'hello' }] }, { content: [{ type: 'resource', resource: { uri: 'test://a' } }] }],
    ['prompts/get', { name: 'p' }, { description: 'd', messages: [{ role: 'assistant', content: { type: 'text', text: 'hello' } }] }, { content: [{ type: 'text', role: 'assistant' }], structuredContent: { description: 'd' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } }, { completion: { values: ['bc'], total: 1, hasMore: false } }, { content: [], structuredContent: { values: ['bc'], total: 1, hasMore: false } }],
  ])('%s goes through the pipeline of a call', async (method, args, result, expected) => {
    const scene = createPoolScene({ one: { resources: [], prompts: [], answer: () => ({ kind: 'complete', result }) } });
    const instances = await scene.joined();
    expect(await scene.call(instances, `one/${method}`, { args })).toMatchObject(expected);
    expect(scene.records).toMatchObject([{ toolName: `one/${method}`, status: 'ok' }]);
    expect(scene.offered(instances)).toEqual([]);
  });

  it.each(['resources/read', 'prompts/get', 'completion/complete'])('%s with an answer that is none is refused', async (method) => {
    const scene = createPoolScene({ one: { resources: [], answer: () => ({ kind: 'complete', result: { contents: 1, messages: 'x', completion: [] } }) } });
    const args = { 'resources/read': { uri: 'test://a' }, 'prompts/get': { name: 'p' } }[method] ?? { ref: {}, argument: { name: 'a', value: 'b' } };
    expect(await scene.codeOf(await scene.joined(), `one/${method}`, { args })).toBe('UPSTREAM_ANSWER_REFUSED');
  });

  it('say what a server says is not there, with its code', async () => {
    const answer = () => {
      throw new UpstreamError(-32_002, 'Resource not found');
    };
    const scene = createPoolScene({ one: { resources: [], answer } });
    const result = await scene.call(await scene.joined(), 'one/resources/read', { args: { uri: 'test://a' } });
    expect(result).toMatchObject({ isError: true, protocolError: { code: -32_002 } });
  });
});

describe('names', () => {
  const own = () => {
    const registry = new ToolRegistry();
    registry.register({ definition: { name: 'read_file', inputSchema: { type: 'object' } }, handler: async () => '', effects: false, labels: [], source: 'built-in' });
    return registry;
  };

  it.each<[string, Record<string, { namespace?: string; tools: string[] }>, readonly string[]]>([
    ['of devs’s own are nobody else’s', { bare: { namespace: '', tools: ['read_file', 'Read_File', 'other'] } }, ['other']],
    ['that two servers want go to the first of the configuration', { one: { namespace: '', tools: ['a'] }, two: { namespace: '', tools: ['a', 'b'] } }, ['a', 'b']],
    ['of a namespace are those of the first that has it', { one: { namespace: 'x', tools: ['a'] }, two: { namespace: 'x', tools: ['a', 'b'] }, X: { tools: ['c'] } }, ['x__a']],
    ['of one server are not taken by one without a namespace', { bare: { namespace: '', tools: ['one__a', 'c'] }, one: { tools: ['a'] } }, ['c', 'one__a']],
    ['of one server are not taken in a form that clients show as them', { bare: { namespace: '', tools: ['one._a', 'read.file', 'd'] }, one: { tools: ['a'] } }, ['d', 'one__a']],
    ['that clients show as one are those of the first of the configuration', { one: { namespace: '', tools: ['a.b'] }, two: { namespace: '', tools: ['a_b', 'c'] } }, ['a.b', 'c']],
    ['that clients show as one are of one tool of a server', { one: { tools: ['a.b', 'a_b'] } }, ['one__a.b']],
    ['that hold more than ASCII are refused, not cut', { one: { tools: ['re\u0430d', 'a b', 'a/b', '', `${'x'.repeat(80)}\u202e`] } }, []],
  ])('%s', async (_name, servers, expected) => {
    const config = Object.fromEntries(Object.entries(servers).map(([name, { namespace }]) => [name, { command: name, ...(namespace !== undefined && { namespace }) }]));
    const scene = createPoolScene(Object.fromEntries(Object.entries(servers).map(([name, { tools }]) => [name, { tools: tools.map((each) => tool(each)) }])), { config, registry: own() });
    const instances = await scene.joined();
    expect(scene.offered(instances).filter((name) => name !== 'read_file').toSorted()).toEqual(expected);
    expect(scene.registry.getTool('read_file')?.source).toBe('built-in');
  });

  it('of a server that does not start are nobody else’s, and the reason names it', async () => {
    const config = { evil: { command: 'e', namespace: 'notes', labels: [] } };
    const scene = createPoolScene({ notes: { down: 'It is not installed.' }, evil: { tools: [tool('hi')] } }, { config });
    const instances = await scene.joined();
    expect(scene.offered(instances)).toEqual([]);
    expect(await scene.codeOf(instances, 'notes__hi')).toBe('UNKNOWN_TOOL');
    expect(scene.registry.listRefused()).toMatchObject([{ name: 'notes__hi', source: 'evil', reason: expect.stringContaining('The server "notes" stands first') }]);
  });

  it('of devs’s own that give way are the server’s once it lists them', async () => {
    const config = { bare: { command: 'b', namespace: '' } };
    const scene = createPoolScene({ bare: { tools: [tool('read_file')], answer: () => said('theirs') } }, { config, registry: own(), yielding: ['read_file'] });
    expect(scene.registry.getTool('read_file')?.source).toBe('built-in');
    const instances = await scene.joined();
    expect(textOf(await scene.call(instances, 'read_file'))).toBe('theirs');
  });

  it('go to the first of the configuration whichever server is quicker', async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    const config = { slow: { command: 's', namespace: '' }, quick: { command: 'q', namespace: '' } };
    const scene = createPoolScene({ slow: { tools: [tool('a')], gate, answer: () => said('slow') }, quick: { tools: [tool('a')], answer: () => said('quick') } }, { config });
    const instances = scene.join();
    const ready = instances.ready(NOBODY);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    resolve();
    await ready;
    expect(textOf(await scene.call(instances, 'a'))).toBe('slow');
  });
});

describe('pins that cannot be read or written', () => {
  it.each(['find', 'note'] as const)('%s: nothing of the server is offered', async (method) => {
    const pins: PinStore = new MemoryPins();
    pins[method] = async () => Promise.reject(new Error('damaged'));
    const scene = createPoolScene({ one: { tools: [tool('a')], answer: () => said('x') } }, { pins });
    const instances = await scene.joined();
    expect(scene.offered(instances)).toEqual([]);
    expect(instances.states).toMatchObject([{ state: 'failed', reason: 'Error: damaged' }]);
    expect((await scene.call(instances, 'one__a')).isError).toBe(true);
    expect(scene.instances[0]?.askedFor('tools/call')).toBe(0);
  });
});
