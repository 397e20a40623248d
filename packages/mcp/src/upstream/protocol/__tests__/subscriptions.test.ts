import { describe, expect, it } from '@jest/globals';
import type { Asked, Peer } from '../peer.ts';
import { Subscriptions } from '../subscriptions.ts';
import type { ServerInfo } from '../../../protocol/upstream.ts';
import { STILL } from '../../__tests__/pool-scene.ts';

const INFO: ServerInfo = { era: 'modern', protocolVersion: '2026-07-28', serverInfo: {}, capabilities: { resources: { subscribe: true } }, instructions: undefined };

/** A server of which it is seen what is open, and which acknowledges when it is told to. */
function createServer() {
  const open: Asked[] = [];
  const peer = {
    closed: new Promise<void>(() => undefined),
    onAcknowledged: () => undefined,
    ask: async (asked: Asked) => {
      open.push(asked);
      await new Promise<void>((resolve) => asked.signal?.addEventListener('abort', () => resolve(), { once: true }));
      open.splice(open.indexOf(asked), 1);
      throw new Error('cancelled');
    },
  };
  const subscriptions = new Subscriptions({ peer: peer as unknown as Peer, info: INFO, timers: STILL, envelope: {}, onEvent: () => undefined });
  const asked = () => open.map(({ params }) => JSON.stringify(params['notifications']));
  return { subscriptions, open, asked, acknowledge: () => (peer as unknown as Peer).onAcknowledged({}) };
}

const turn = async () => new Promise((resolve) => setImmediate(resolve));

describe('subscriptions at a server of the newer protocol', () => {
  it('are one stream, and the one before it until it is there', async () => {
    const { subscriptions, asked, acknowledge } = createServer();
    const signal = new AbortController().signal;
    const first = subscriptions.add('a:1', signal);
    acknowledge();
    await first;
    const second = subscriptions.add('a:2', signal);
    await turn();
    expect(asked()).toEqual(['{"resourceSubscriptions":["a:1"]}', '{"resourceSubscriptions":["a:1","a:2"]}']);
    acknowledge();
    await second;
    await turn();
    expect(asked()).toEqual(['{"resourceSubscriptions":["a:1","a:2"]}']);
  });

  it('of one that never acknowledges leave nothing behind, however often they are asked for and given up', async () => {
    const { subscriptions, open } = createServer();
    for (let time = 0; time < 50; time += 1) {
      const over = new AbortController();
      const added = subscriptions.add(`a:${String(time % 2)}`, over.signal);
      over.abort();
      await expect(added).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
      await turn();
      expect(open.length).toBeLessThanOrEqual(2);
    }
    await turn();
    expect(open).toHaveLength(0);
  });

  it('of one that never acknowledges are two streams, however much is asked for', async () => {
    const { subscriptions, open } = createServer();
    const over = new AbortController();
    const added = Array.from({ length: 20 }, async (_, index) => subscriptions.add(`a:${String(index)}`, over.signal));
    await turn();
    expect(open).toHaveLength(2);
    over.abort();
    await Promise.allSettled(added);
  });
});
