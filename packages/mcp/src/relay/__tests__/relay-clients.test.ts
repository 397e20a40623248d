import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@devs/core';
import type { ClientHello } from '../../client-hello.ts';
import type { FakeUpstream } from '../../upstream/__tests__/fake-upstream.ts';
import { tool } from '../../upstream/__tests__/fake-upstream.ts';
import { createPoolScene, NOBODY } from '../../upstream/__tests__/pool-scene.ts';
import type { RelayClient } from '../relay-client.ts';
import { RelayClients, type Belonging } from '../relay-clients.ts';

const hello = (name: string, more: Partial<ClientHello> = {}): ClientHello => ({ era: 'modern', protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name, version: '1' }, ...more });

function createScene() {
  let now = 0;
  const scene = createPoolScene({ one: { tools: [tool('t')], announces: true } });
  const clients = new RelayClients({ seats: scene.pool, logger: silentLogger, cleanNotice: () => undefined, now: () => (now += 1), idleMs: 1_000 });
  /** A client whose servers run. */
  const come = async (key: object, said: ClientHello, belonging?: Belonging): Promise<RelayClient> => {
    const client = clients.of(key, said, belonging);
    await client.seat.ready(NOBODY);
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
      await come(key, hello(name), { owner });
    }
    expect(running()).toBe(most);
    const again = clients.of(first[0], hello(first[1]), { owner: first[2] });
    await again.seat.ready(NOBODY);
    expect(running()).toBe(most);
  });

  it.each<[string, number, (index: number) => readonly [object, string]]>([
    ['on one connection', 8, (index) => [CONNECTION, `c${String(index)}`]],
    ['of one principal', 32, () => [{}, 'c']],
  ])('that are all at work %s leave no place for one more, and are left alone; others have their own', async (_name, most, coming) => {
    const { come, clients, running } = createScene();
    for (let index = 0; index < most; index += 1) void (await come(coming(index)[0], hello(coming(index)[1]), { owner: 'a' })).during(forEver);
    const [key, name] = coming(most);
    expect(() => clients.of(key, hello(name), { owner: 'a' })).toThrow(expect.objectContaining({ code: 'TOO_MANY_CALLS' }));
    expect(running()).toBe(most);
    await come({}, hello('c'), { owner: 'b' });
    expect(running()).toBe(most + 1);
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
        await come(key, hello('c'), { owner: 'a' });
        instances.forEach(linger);
        void clients.end(key);
      }
    };
    await expect(cameAndWent()).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' });
    expect(instances.length).toBeLessThan(40);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    await come({}, hello('c'), { owner: 'a' });
  });

  it('are ended when they have asked for nothing for long, but those of a connection that is there', async () => {
    const { come, clients, running, pass } = createScene();
    await come({}, hello('c'));
    await come({}, hello('c', { era: 'legacy' }));
    void (await come({}, hello('c'))).during(forEver);
    pass(2_000);
    await clients.endIdle();
    expect(running()).toBe(2);
  });

  it('say no more of themselves than is kept', () => {
    const { clients } = createScene();
    const capabilities = { experimental: { x: 'x'.repeat(70_000) } };
    expect(() => clients.of({}, hello('c', { capabilities }))).toThrow(expect.objectContaining({ code: 'MESSAGE_REFUSED' }));
  });
});

const CONNECTION = {};
