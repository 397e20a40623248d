import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@devs/core';
import type { ClientInfo } from '../../client-info.ts';
import type { FakeUpstream } from '../../upstream/__tests__/fake-upstream.ts';
import { tool } from '../../upstream/__tests__/fake-upstream.ts';
import { createPoolScene, NOBODY } from '../../upstream/__tests__/pool-scene.ts';
import type { RelayClient } from '../relay-client.ts';
import { RelayClients, type Belonging } from '../relay-clients.ts';

const info = (name: string, more: Partial<ClientInfo> = {}): ClientInfo => ({ era: 'modern', protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name, version: '1' }, ...more });

function createScene() {
  let now = 0;
  const scene = createPoolScene({ one: { tools: [tool('t')], announces: true } });
  const clients = new RelayClients({ pool: scene.pool, logger: silentLogger, cleanNotice: () => undefined, now: () => (now += 1), idleMs: 1_000 });
  /** A client whose servers run. */
  const come = async (key: object, said: ClientInfo, belonging?: Belonging): Promise<RelayClient> => {
    const client = clients.of(key, said, belonging);
    await client.instances.ready(NOBODY);
    return client;
  };
  const running = () => scene.instances.filter(({ starts, isEnded }) => starts > 0 && !isEnded).length;
  return { ...scene, clients, come, running, pass: (milliseconds: number) => void (now += milliseconds) };
}

/** Never over. */
const forEver = async () => new Promise<never>(() => undefined);

describe('clients that have servers of their own', () => {
  it.each<[string, number, (index: number) => readonly [object, string, string]]>([
    ['by other words on one connection', 8, (index) => [CONNECTION, `c${String(index)}`, 'token:a']],
    ['by sessions of one principal', 32, () => [{}, 'c', 'token:a']],
  ])('are bounded %s: the one that was idle longest gives way', async (_name, most, coming) => {
    const { come, running, clients } = createScene();
    const first = coming(0);
    for (let index = 0; index < 100; index += 1) {
      const [key, name, owner] = coming(index);
      await come(key, info(name), { owner });
    }
    expect(running()).toBe(most);
    const again = clients.of(first[0], info(first[1]), { owner: first[2] });
    await again.instances.ready(NOBODY);
    expect(running()).toBe(most);
  });

  it('give way in the order in which they were used last, not in which they came', async () => {
    const { come, clients } = createScene();
    const came: RelayClient[] = [];
    for (let index = 0; index < 8; index += 1) came.push(await come(CONNECTION, info(`c${String(index)}`)));
    expect(clients.of(CONNECTION, info('c0'))).toBe(came[0]);
    await come(CONNECTION, info('one more'));
    const stay = [0, 2, 3, 4, 5, 6, 7].filter((index) => clients.of(CONNECTION, info(`c${String(index)}`)) === came[index]);
    expect(stay).toEqual([0, 2, 3, 4, 5, 6, 7]);
    expect(clients.of(CONNECTION, info('c1'))).not.toBe(came[1]);
  });

  it.each<[string, number, (index: number) => readonly [object, string]]>([
    ['on one connection', 8, (index) => [CONNECTION, `c${String(index)}`]],
    ['of one principal', 32, () => [{}, 'c']],
  ])('that are all at work %s leave no place for one more, and are left alone; others have their own', async (_name, most, coming) => {
    const { come, clients, running } = createScene();
    for (let index = 0; index < most; index += 1) void (await come(coming(index)[0], info(coming(index)[1]), { owner: 'a' })).during(forEver);
    const [key, name] = coming(most);
    expect(() => clients.of(key, info(name), { owner: 'a' })).toThrow(expect.objectContaining({ code: 'TOO_MANY_CALLS' }));
    expect(running()).toBe(most);
    await come({}, info('c'), { owner: 'b' });
    expect(running()).toBe(most + 1);
  });

  it('are one on a connection of the older protocol, however what they said is read there', async () => {
    const { come, running } = createScene();
    const said = { era: 'legacy', protocolVersion: '2025-06-18' } as const;
    const client = await come(CONNECTION, info('c', { ...said, capabilities: { elicitation: {}, other: {} } }));
    expect(await come(CONNECTION, info('c', { ...said, capabilities: { elicitation: { form: {} } }, protocolVersion: '2025-11-25' }))).toBe(client);
    expect(await come(CONNECTION, info('c'))).not.toBe(client);
    expect(running()).toBe(2);
  });

  it('count until their servers are gone: who comes and goes has no more of them', async () => {
    const { come, clients, instances } = createScene();
    const gate = Promise.withResolvers<void>();
    const linger = (instance: FakeUpstream) => {
      instance.end = async () => gate.promise;
    };
    const cameAndWent = async () => {
      for (let index = 0; index < 200; index += 1) {
        const key = {};
        await come(key, info('c'), { owner: 'a' });
        instances.forEach(linger);
        void clients.end(key);
      }
    };
    await expect(cameAndWent()).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' });
    expect(instances.length).toBeLessThan(40);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    await come({}, info('c'), { owner: 'a' });
  });

  it('are ended when they have asked for nothing for long, but those of a connection that is there', async () => {
    const { come, clients, running, pass } = createScene();
    await come({}, info('c'));
    await come({}, info('c', { era: 'legacy' }));
    void (await come({}, info('c'))).during(forEver);
    pass(2_000);
    await clients.endIdle();
    expect(running()).toBe(2);
  });

  it('hear nothing of servers that are not for them, and nothing of a resource from a server that was not asked for it', async () => {
    const heard: string[] = [];
    const server = { tools: [tool('t')], resources: [], answer: () => ({ kind: 'complete', result: {} }) as const };
    const { pool, instances } = createPoolScene({ one: server, two: server });
    const client = { info: info('c'), onEvent: (event: object) => void heard.push(JSON.stringify(event)), ask: async () => ({}) };
    const narrowed = pool.open(client, { hears: (name) => name === 'two' });
    await narrowed.ready(NOBODY);
    const speak = (index: number, data: string) => instances[index]?.client.onEvent({ kind: 'log', notice: { kind: 'log', level: 'error', data } });
    speak(0, 'secret');
    speak(1, 'told');
    expect(heard).toEqual([expect.stringContaining('told')]);
    for (const instance of instances) instance.client.onEvent({ kind: 'resource-updated', uri: 'a:1' });
    expect(heard).toHaveLength(1);
  });

  it('say to their servers what is for them, and nothing else', async () => {
    const { come, clients } = createScene();
    const client = await come({}, info('c', { era: 'legacy' }));
    const said: string[] = [];
    client.instances.notify = (method) => void said.push(method);
    const connection = { notification: async () => undefined, request: async () => ({}) } as never;
    clients.attach(client, connection);
    for (const method of ['notifications/cancelled', 'notifications/roots/list_changed', 'notifications/initialized', 'x']) clients.hear(connection, method);
    expect(said).toEqual(['notifications/roots/list_changed']);
  });

  it('end whatever their servers make of it', async () => {
    const { come, clients, running } = createScene();
    const key = {};
    const stuck = await come(key, info('stuck'));
    stuck.instances.end = async () => Promise.reject(new Error('it will not end'));
    await come(key, info('c'));
    await clients.end(key);
    expect(running()).toBe(1);
    expect(clients.of(key, info('stuck'))).not.toBe(stuck);
  });

  it('watch no more than is kept', async () => {
    const { clients, pool } = createScene();
    const client = clients.of({}, info('c'));
    const instances = client.instances;
    let asked = 0;
    instances.subscribe = async () => void (asked += 1);
    await expect(client.watch(`a:${'x'.repeat(9_000)}`, NOBODY)).rejects.toMatchObject({ code: 'MESSAGE_REFUSED' });
    const watched = await Promise.allSettled(Array.from({ length: 1_100 }, async (_, index) => client.watch(`a:${String(index)}`, NOBODY)));
    expect(watched.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_000);
    expect(asked).toBe(1_000);
    await pool.end();
  });

  it('say no more of themselves than is kept', () => {
    const { clients } = createScene();
    const capabilities = { experimental: { x: 'x'.repeat(70_000) } };
    expect(() => clients.of({}, info('c', { capabilities }))).toThrow(expect.objectContaining({ code: 'MESSAGE_REFUSED' }));
  });
});

const CONNECTION = {};
