import { describe, expect, it } from '@jest/globals';
import type { ListKind } from '../../../relay/ports.ts';
import { fetchCatalog } from '../catalog.ts';
import { UriTemplate } from '../catalog-templates.ts';
import type { PooledInstances } from '../pooled-instances.ts';
import { CLIENT } from '../../__tests__/connection-scene.ts';
import type { FakeServer } from '../../__tests__/fake-upstream.ts';
import { createPoolScene, NOBODY, STILL } from '../../__tests__/pool-scene.ts';

const resource = (uri: string) => ({ uri, name: uri });
const template = (uriTemplate: string) => ({ uriTemplate, name: uriTemplate });
const prompt = (name: string) => ({ name });

const asked = (cursor?: string) => ({ cursor, admits: () => true });

async function all(instances: PooledInstances, kind: ListKind): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await instances.list(kind, asked(cursor), NOBODY);
    items.push(...page.items.map((item) => item['uri'] ?? item['uriTemplate'] ?? item['name']));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

describe('the lists of all servers', () => {
  it('are one list, in the order of the configuration; prompts have namespaces, URIs are as they are', async () => {
    const scene = createPoolScene({
      one: { resources: [resource('a:1')], templates: [template('a:{x}')], prompts: [prompt('p')] },
      two: { resources: [resource('b:1')], prompts: [prompt('p')] },
    });
    const instances = await scene.joined();
    expect(await all(instances, 'resources')).toEqual(['a:1', 'b:1']);
    expect(await all(instances, 'templates')).toEqual(['a:{x}']);
    expect(await all(instances, 'prompts')).toEqual(['one__p', 'two__p']);
    expect(await instances.routePrompt('two__p', NOBODY)).toEqual({ server: 'two', ownName: 'p' });
    expect(await instances.routePrompt('p', NOBODY)).toBeUndefined();
  });

  it.each<[string, ListKind, FakeServer, FakeServer, readonly string[]]>([
    ['a URI of another', 'resources', { resources: [resource('a:1')] }, { resources: [resource('a:1'), resource('a:2')] }, ['a:1', 'a:2']],
    ['a URI that another’s template means', 'resources', { templates: [template('a://{x}/y')] }, { resources: [resource('a://1/y'), resource('a://1/z')] }, ['a://1/z']],
    ['a template of another by other words', 'templates', { templates: [template('a:{x}')] }, { templates: [template('a:{y}'), template('b:{y}')] }, ['a:{x}', 'b:{y}']],
    ['a URI of devs’s own', 'resources', { resources: [] }, { resources: [resource('devs://log'), resource('DEVS:x')] }, []],
    ['one URI twice', 'resources', { resources: [] }, { resources: [resource('a:1'), resource('a:1')] }, ['a:1']],
  ])('leave out, and say so: %s', async (_name, kind, one, two, expected) => {
    const scene = createPoolScene({ one, two });
    const instances = await scene.joined();
    expect(await all(instances, kind)).toEqual(expected);
    await all(instances, kind);
    const said = scene.said.filter(({ event }) => event === 'UPSTREAM_ENTRY_REFUSED');
    expect(said.length).toBeGreaterThan(0);
    expect(said.every(({ source }) => source === 'two')).toBe(true);
    expect(said).toHaveLength(new Set(said.map(({ entry, reason }) => JSON.stringify([entry, reason]))).size);
  });

  it.each<[string, string, string, readonly string[]]>([
    ['its namespace', 'notes', 'p', ['table__p']],
    ['its namespace in other letters', 'NOTES', 'p', ['table__p']],
    ['no namespace, and names that begin as its own', '', 'notes__p', ['table__p']],
    ['a namespace of its own', 'mine', 'p', ['mine__p', 'table__p']],
  ])('have no prompt of a server that is down by one with %s', async (_name, namespace, name, expected) => {
    const config = { evil: { command: 'evil', namespace } };
    const scene = createPoolScene({ notes: { down: 'It is not installed.' }, evil: { prompts: [prompt(name)] }, table: { prompts: [prompt('p')] } }, { config });
    const instances = await scene.joined();
    expect(await all(instances, 'prompts')).toEqual(expected);
    expect(await instances.routePrompt('notes__p', NOBODY)).toBeUndefined();
    const said = scene.said.filter(({ event }) => event === 'UPSTREAM_ENTRY_REFUSED');
    expect(said.map(({ source, reason }) => [source, String(reason).includes('"notes"')])).toEqual(expected.length === 1 ? [['evil', true]] : []);
  });

  it('have one of two prompts of two servers that clients show as one, and all of one server', async () => {
    const config = { one: { command: 'one', namespace: '' }, two: { command: 'two', namespace: '' } };
    const scene = createPoolScene({ one: { prompts: [prompt('a.b'), prompt('a_b')] }, two: { prompts: [prompt('a b'), prompt('c')] } }, { config });
    expect(await all(await scene.joined(), 'prompts')).toEqual(['a.b', 'a_b', 'c']);
  });

  it('have what the others list when one of them gives no list', async () => {
    const scene = createPoolScene({ one: { resources: 'no' as never }, two: { resources: [resource('b:1')] } });
    expect(await all(await scene.joined(), 'resources')).toEqual(['b:1']);
    expect(scene.said).toContainEqual(expect.objectContaining({ event: 'UPSTREAM_LIST_FAILED', source: 'one' }));
  });

  it('have what the others list while one of them does not answer; it is waited for once, and counts as soon as it does', async () => {
    const gate = Promise.withResolvers<void>();
    const waited: number[] = [];
    // Whoever is waited for has had the time; nobody else has.
    const sleep = async (milliseconds: number, signal: AbortSignal) => {
      if (milliseconds > 10_000) return STILL.sleep(milliseconds, signal);
      waited.push(milliseconds);
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const scene = createPoolScene({ one: { resources: [resource('a:1')], listGate: gate.promise }, two: { resources: [resource('b:1')] } }, { timers: { ...STILL, sleep } });
    const instances = await scene.joined();
    const waitedBy = async (ask: () => Promise<unknown>) => {
      waited.length = 0;
      await ask();
      return new Set(waited);
    };
    // Each server is waited for, also the one that has its list.
    expect(await waitedBy(async () => expect(await instances.routeUri('b:1', NOBODY)).toMatchObject({ server: 'two' }))).toEqual(new Set([10_000]));
    expect(await waitedBy(async () => expect(await all(instances, 'resources')).toEqual(['b:1']))).toEqual(new Set([1_000]));
    expect(await waitedBy(async () => expect(await all(instances, 'resources')).toEqual(['b:1']))).toEqual(new Set([0, 1_000]));
    expect(scene.events).toEqual([]);
    gate.resolve();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(scene.events).toEqual([{ kind: 'resources-changed' }]);
    expect(await all(instances, 'resources')).toEqual(['a:1', 'b:1']);
  });

  it('are told of once when a server was late with one: that it is late again is no news', async () => {
    const server: FakeServer = { resources: [resource('a:1')], announces: false };
    const sleep = async (milliseconds: number, signal: AbortSignal) => (milliseconds > 10_000 ? STILL.sleep(milliseconds, signal) : undefined);
    let now = 0;
    const scene = createPoolScene({ one: server }, { timers: { monotonicMs: () => (now += 10_000), sleep } });
    const instances = await scene.joined();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    scene.events.splice(0);
    for (const expected of [[], ['a:1'], ['a:1']]) {
      const gate = Promise.withResolvers<void>();
      server.listGate = gate.promise;
      expect(await all(instances, 'resources')).toEqual(expected);
      gate.resolve();
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(scene.events).toEqual([{ kind: 'resources-changed' }]);
  });

  it('give way to others while they are held against the templates of a server that names hundreds', async () => {
    const templates = Array.from({ length: 400 }, (_, index) => template(`a:b${'{+x}'.repeat(20)}~${String(index)}{+x}c`));
    const resources = Array.from({ length: 50 }, (_, index) => resource(`a:b${'x'.repeat(50)}${String(index)}c`));
    const instances = await createPoolScene({ one: { templates }, two: { resources } }).joined();
    expect(await all(instances, 'templates')).toHaveLength(200);
    await all(instances, 'resources');
    let [turns, isOver] = [0, false];
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await all(instances, 'resources')).toHaveLength(50);
    isOver = true;
    expect(turns).toBeGreaterThan(5);
  });

  it('are not held against templates for ever: what would be too much is left out', async () => {
    const templates = Array.from({ length: 200 }, (_, index) => template(`h://a${'{+v}a'.repeat(31)}b${String(index)}{+v}`));
    const resources = Array.from({ length: 40 }, (_, index) => resource(`h://${'a'.repeat(2_030)}${String(index)}`));
    const scene = createPoolScene({ one: { templates }, two: { resources }, three: { resources: [resource('i://1')] } });
    const listed = await all(await scene.joined(), 'resources');
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.length).toBeLessThan(40);
    expect(scene.said).toContainEqual(expect.objectContaining({ event: 'UPSTREAM_ENTRY_REFUSED', reason: 'There are too many templates of other servers to hold it against.' }));
  });

  it('come in pages, whole and in order, and a cursor is good for nothing else', async () => {
    const resources = Array.from({ length: 1_203 }, (_, index) => resource(`a:${String(index)}`));
    const instances = await createPoolScene({ one: { resources, prompts: [] } }).joined();
    expect(await all(instances, 'resources')).toEqual(resources.map(({ uri }) => uri));
    const { nextCursor } = await instances.list('resources', asked(), NOBODY);
    const cursors: readonly (readonly [ListKind, string])[] = [['prompts', nextCursor ?? ''], ['resources', `${nextCursor ?? ''}=`], ['resources', ''], ['resources', 'x'.repeat(100_000)]];
    for (const [kind, cursor] of cursors) await expect(instances.list(kind, asked(cursor), NOBODY)).rejects.toMatchObject({ code: 'MESSAGE_REFUSED' });
  });

  it('are those of the servers that are admitted, and nobody else learns of the others', async () => {
    const scene = createPoolScene({ one: { resources: [resource('a:1')] }, two: { resources: [resource('b:1')] } });
    const instances = await scene.joined();
    const { items } = await instances.list('resources', { cursor: undefined, admits: (server) => server === 'two' }, NOBODY);
    expect(items.map(({ uri }) => uri)).toEqual(['b:1']);
  });

  it('are those of servers that serve the client alone: others are not started for it', async () => {
    const scene = createPoolScene({ one: { resources: [resource('a:1')] }, two: { resources: [resource('b:1')] } });
    const instances = scene.pool.open({ info: CLIENT, onEvent: () => undefined, ask: async () => ({}) }, { serves: ({ name }) => name === 'two' });
    await instances.ready(NOBODY);
    expect(await all(instances, 'resources')).toEqual(['b:1']);
    expect(scene.instances.map(({ name }) => name)).toEqual(['two']);
  });

  it('are asked for once while a server says when they change, and again when it has', async () => {
    const server: FakeServer = { resources: [resource('a:1')] };
    const scene = createPoolScene({ one: server });
    const instances = await scene.joined();
    for (let turn = 0; turn < 3; turn += 1) await all(instances, 'resources');
    const [instance] = scene.instances;
    expect(instance?.askedFor('resources/list')).toBe(1);
    server.resources = [resource('a:2')];
    instance?.client.onEvent({ kind: 'resources-changed' });
    expect(await all(instances, 'resources')).toEqual(['a:2']);
    expect(scene.events).toEqual([{ kind: 'resources-changed' }]);
  });

  it('are asked for each time where a server does not say so', async () => {
    let now = 0;
    const timers = { ...STILL, monotonicMs: () => (now += 10_000) };
    const scene = createPoolScene({ one: { resources: [resource('a:1')], announces: false } }, { timers });
    const instances = await scene.joined();
    for (let turn = 0; turn < 3; turn += 1) await all(instances, 'resources');
    expect(scene.instances[0]?.askedFor('resources/list')).toBe(3);
  });

  it('are paid for as they came, also what is left out, and give way to others', async () => {
    const description = 'x'.repeat(240_000);
    const prompts = Array.from({ length: 100 }, (_, index) => ({ name: `p${String(index)}`, description }));
    let [refused, turns, isOver] = [0, 0, false];
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const clean = () => {
      throw new Error('none that can be shown');
    };
    expect(await fetchCatalog('prompts', { ask: async () => ({ prompts, nextCursor: 'more' }), clean, onRefused: () => (refused += 1) })).toEqual([]);
    isOver = true;
    // 8 MiB of JSON, whatever became of it.
    expect(refused).toBe(35);
    expect(turns).toBeGreaterThan(30);
  });

  it('are bounded: a server cannot fill the memory', async () => {
    const resources = Array.from({ length: 6_000 }, (_, index) => resource(`a:${String(index)}`));
    expect(await all(await createPoolScene({ one: { resources } }).joined(), 'resources')).toHaveLength(5_000);
  });
});

describe('a URI', () => {
  const one: FakeServer = { resources: [resource('a:1')], templates: [template('a://{x}/y')] };
  it.each<[string, string, Readonly<Record<string, FakeServer>>, string | undefined]>([
    ['that is listed', 'b:1', { one, two: { resources: [resource('b:1')] } }, 'two'],
    ['that fits a template', 'a://5/y', { one, two: { resources: [] } }, 'one'],
    ['that is a template itself', 'a://{x}/y', { one, two: { resources: [] } }, 'one'],
    ['that nobody lists, where one server has resources', 'c:1', { one, two: { prompts: [] } }, 'one'],
    ['that nobody lists, where two might have it', 'c:1', { one, two: { resources: [] } }, undefined],
    ['of devs’s own', 'devs:x', { one }, undefined],
  ])('%s is the right server’s', async (_name, uri, servers, server) => {
    const instances = await createPoolScene(servers).joined();
    expect(await instances.routeUri(uri, NOBODY)).toEqual(server === undefined ? undefined : { server, ownName: uri });
    if (server === undefined) await expect(instances.subscribe(uri, NOBODY)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('that is subscribed to is so again after the server was lost', async () => {
    const scene = createPoolScene({ one: { ...one, answer: () => ({ kind: 'complete', result: {} }) } });
    const instances = await scene.joined();
    const [instance] = scene.instances;
    await instances.subscribe('a:1', NOBODY);
    instance?.lose();
    await instances.ready(NOBODY);
    await new Promise((resolve) => setImmediate(resolve));
    expect(instance?.askedFor('resources/subscribe')).toBe(2);
  });
});

describe('a template', () => {
  it.each<[string, string, boolean]>([
    ['test://template/{id}/data', 'test://template/123/data', true],
    ['test://template/{id}/data', 'test://template/1/2/data', false],
    ['test://template/{id}/data', 'test://template/123/data/', false],
    ['a:{x}-{y}', 'a:1-2-3', true],
    ['a:{x}', 'a:', true],
    ['a:{x}', 'a:b?c', false],
    ['file:///{+path}', 'file:///a/b?c', true],
    ['a:b{?q*}', 'a:b?q=1', true],
    ['a:b', 'a:b', true],
    ['a:.*', 'a:bc', false],
    ['a:{x}{y}c', 'a:1/2/c', false],
    ['a:{x}/{+y}c', 'a:1/2/c', true],
    ['a:{x}/{y}/c', 'a:1//c', true],
  ])('%j and %j: %s', (text, uri, expected) => {
    expect(UriTemplate.parse(text)?.matches(uri)).toBe(expected);
  });

  it('is none where it does not end, or is too long', () => {
    expect(UriTemplate.parse('a:{x')).toBeUndefined();
    expect(UriTemplate.parse('a'.repeat(3_000))).toBeUndefined();
    expect(UriTemplate.parse('a:{+x}'.repeat(33))).toBeUndefined();
  });

  it('makes no URI go back: one that is hostile ends too', () => {
    expect(UriTemplate.parse('{a}x'.repeat(32))?.matches(`${'x'.repeat(8_000)}y`)).toBe(false);
  });
});
