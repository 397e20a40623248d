import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@devs/core';
import { createPoolScene } from '../../upstream/__tests__/pool-scene.ts';
import { RelayClient } from '../relay-client.ts';
import { WatchedStream } from '../watched-stream.ts';
import { until } from './relay-scene.ts';

/** Long enough for whatever waits for nothing but promises. */
async function turns(): Promise<string> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return 'still open';
}

function createScene() {
  const { pool } = createPoolScene({});
  const info = { era: 'modern', protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name: 'c', version: '1' } } as const;
  const client = new RelayClient({ info, pool, logger: silentLogger, cleanNotice: () => undefined });
  const asked: string[] = [];
  client.instances.subscribe = async (uri) => void asked.push(`watch ${uri}`);
  client.instances.unsubscribe = async (uri) => void asked.push(`unwatch ${uri}`);
  const looked: string[] = [];
  const mayWatch = async (uri: string) => {
    looked.push(uri);
    return !uri.startsWith('secret:');
  };
  const open = (...resourceSubscriptions: readonly unknown[]) => new WatchedStream(client, { notifications: { resourceSubscriptions } }, { logger: silentLogger, mayWatch });
  return { client, asked, looked, open };
}

describe('a stream of what a client wants to hear of', () => {
  it('watches what it may read, once, until it closes', async () => {
    const { asked, open } = createScene();
    const stream = open('a:1', 'secret:1', 'a:1', 7, '');
    await until(() => asked.length > 0);
    await stream[Symbol.asyncDispose]();
    expect(asked).toEqual(['watch a:1', 'unwatch a:1']);
  });

  it('keeps its client at work as long as it is open, though it names nothing', async () => {
    const { client, open } = createScene();
    const stream = open();
    expect(client.isBusy).toBe(true);
    await stream[Symbol.asyncDispose]();
    expect(client.isBusy).toBe(false);
  });

  it('looks at no more than it may name', async () => {
    const { looked, asked, open } = createScene();
    const stream = open(...Array.from({ length: 5_000 }, (_, index) => `secret:${String(index)}`));
    await until(() => looked.length >= 1_000 || asked.length > 0);
    await stream[Symbol.asyncDispose]();
    expect(looked).toHaveLength(1_000);
  });

  it('closes while its servers are still starting', async () => {
    const { client, asked, open } = createScene();
    client.instances.ready = async (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up')), { once: true }));
    const closing = open('a:1')[Symbol.asyncDispose]().then(() => 'closed');
    expect(await Promise.race([closing, turns()])).toBe('closed');
    expect(asked).toEqual([]);
  });
});
