import { describe, expect, it } from '@jest/globals';
import { silentLogger, type CallNotice } from '@devs/core';
import type { ClientInfo } from '../../client-info.ts';
import { createPoolScene, NOBODY } from '../../upstream/__tests__/pool-scene.ts';
import type { ClientSide } from '../../protocol/upstream.ts';
import type { ClientConnection } from '../../protocol/connection.ts';
import { RelayClient } from '../relay-client.ts';

type Era = ClientInfo['era'];

/** One client with a connection, and the side of it that its servers speak to. */
function createScene(era: Era, send: () => Promise<void> = async () => undefined) {
  const { pool } = createPoolScene({});
  const sides: ClientSide[] = [];
  const info: ClientInfo = { era, protocolVersion: '', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const watched = { open: (side: ClientSide) => (sides.push(side), pool.open(side)) };
  const client = new RelayClient({ info, pool: watched, logger: silentLogger, cleanNotice: (notice) => notice as CallNotice });
  const asked: string[] = [];
  client.instances.subscribe = async (uri) => void asked.push(`watch ${uri}`);
  client.instances.unsubscribe = async (uri) => void asked.push(`unwatch ${uri}`);
  const told: string[] = [];
  const connection = {
    notification: async ({ method }: { readonly method: string }) => {
      told.push(method);
      await send();
    },
    request: async () => {
      asked.push('a person');
      return {};
    },
  } as unknown as ClientConnection;
  client.attach(connection);
  return { client, told, asked, hear: (event: Parameters<ClientSide['onEvent']>[0]) => sides[0]?.onEvent(event) };
}

const LOG = { kind: 'log', notice: { kind: 'log', level: 'error', data: 'x' } } as const;

describe('one client', () => {
  it('that does not read is told no more than is kept for it, and hears again when it has read', async () => {
    const reads = Promise.withResolvers<void>();
    const { client, told } = createScene('legacy', async () => reads.promise);
    for (let count = 0; count < 1_000; count += 1) client.tell('notifications/message');
    expect(told).toHaveLength(256);
    reads.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    client.tell('notifications/message');
    expect(told).toHaveLength(257);
  });

  it.each<[Era, readonly string[], readonly string[]]>([
    ['legacy', ['notifications/message'], ['a person']],
    // It gets lines of its own requests alone, and questions as answers.
    ['modern', [], []],
  ])('of the %s protocol is told and asked this outside of its requests', async (era, lines, questions) => {
    const { client, told, asked, hear } = createScene(era);
    hear(LOG);
    await client.ask({ method: 'elicitation/create', params: {} }, { signal: NOBODY }).catch(() => undefined);
    expect({ told, asked }).toEqual({ told: lines, asked: questions });
  });

  it('hears of a resource as long as it watches it, and is at work meanwhile; the last of its streams ends that', async () => {
    const { client, told, asked, hear } = createScene('modern');
    const change = (uri: string) => hear({ kind: 'resource-updated', uri });
    change('a:1');
    expect({ told, isBusy: client.isBusy }).toEqual({ told: [], isBusy: false });
    await client.watch('a:1', NOBODY);
    await client.watch('a:1', NOBODY);
    await client.unwatch('a:1', NOBODY);
    change('a:1');
    change('a:2');
    expect({ told, isBusy: client.isBusy }).toEqual({ told: ['notifications/resources/updated'], isBusy: true });
    await client.unwatch('a:1', NOBODY);
    change('a:1');
    expect({ told: told.length, isBusy: client.isBusy, asked }).toEqual({ told: 1, isBusy: false, asked: ['watch a:1', 'unwatch a:1'] });
  });

  it('that is gone is told nothing any more, and asked nothing', async () => {
    const { client, told, asked, hear } = createScene('legacy');
    await client.end();
    hear({ kind: 'tools-changed' });
    await expect(client.ask({ method: 'elicitation/create', params: {} }, { signal: NOBODY })).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    expect({ told, asked }).toEqual({ told: [], asked: [] });
  });
});
