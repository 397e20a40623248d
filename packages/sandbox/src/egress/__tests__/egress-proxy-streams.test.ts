import { once } from 'node:events';
import http2 from 'node:http2';
import { duplexPair, type Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as startTls } from 'node:tls';
import { expect, test } from '@jest/globals';
import { createEgressProxy } from '../egress-proxy.ts';
import { FakeNetwork, httpServer, PUBLIC, tlsServer } from './fake-network.ts';
import { certificate, connected, CUT, echo, endOf, ESTABLISHED, said } from './proxy-scene.ts';

/** As boxes reach it: each connection is a stream among others, on one descriptor. */
async function relayed(world: FakeNetwork, options: { readonly helloMs?: number } = {}): Promise<AsyncDisposable & { open: () => Duplex; closed: () => number }> {
  const [inside, outside] = duplexPair();
  const proxy = createEgressProxy({ hosts: ['example.com'], network: world, ...options });
  let closed = 0;
  const server = http2.performServerHandshake(outside);
  server.on('error', () => {});
  server.on('stream', (stream) => {
    stream.on('close', () => {
      closed += 1;
    });
    stream.respond({ ':status': 200 });
    proxy.accept(stream);
  });
  const client = http2.connect('http://relay.invalid', { createConnection: () => inside });
  client.on('error', () => {});
  await once(client, 'connect');
  const open = () => {
    const stream = client.request({ ':method': 'POST' }, { endStream: false });
    stream.on('error', () => {});
    return stream;
  };
  return {
    open,
    closed: () => closed,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      client.destroy();
      server.destroy();
    },
  };
}

const world = () => new FakeNetwork().name('example.com', [PUBLIC]);

test('plain requests, allowed and not, at once', async () => {
  const seen: string[] = [];
  await using server = await httpServer(echo(seen));
  await using relay = await relayed(world().serve(`${PUBLIC}:80`, server));
  const asked = ['example.com', 'evil.example', 'example.com'].map(async (host) => await said(relay.open(), `GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`));
  expect(await Promise.all(asked)).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 .*from the server/s), expect.stringMatching(/^HTTP\/1\.1 403 /), expect.stringMatching(/^HTTP\/1\.1 200 /)]);
  expect(seen).toHaveLength(2);
});

test('a tunnel, and one that is refused within', async () => {
  await using server = await tlsServer(certificate, (socket) => socket.pipe(socket));
  await using relay = await relayed(world().serve(`${PUBLIC}:443`, server));
  const large = 'x'.repeat(1_000_000);
  for (const [servername, expected] of [['example.com', large], ['evil.example', CUT]] as const) {
    const client = relay.open();
    expect(await connected(client, 'example.com:443')).toBe(ESTABLISHED);
    const secure = startTls({ socket: client, servername, ca: certificate.cert });
    secure.end(large);
    expect(await endOf(secure)).toBe(expected);
  }
});

test('behind a CONNECT to port 80', async () => {
  await using server = await httpServer(echo([]));
  await using relay = await relayed(world().serve(`${PUBLIC}:80`, server));
  const client = relay.open();
  expect(await connected(client, 'example.com:80')).toBe(ESTABLISHED);
  expect(await said(client, 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 .*from the server/s);
});

test.each([
  ['what is no HTTP', 'SSH-2.0-OpenSSH_9\r\n\r\n'],
  ['a request that was answered', 'GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['silence', ''],
])('no stream stays open behind %s', async (_, bytes) => {
  await using relay = await relayed(world(), { helloMs: 100 });
  const client = relay.open();
  client.write(bytes === '' ? 'G' : bytes);
  client.resume();
  while (relay.closed() === 0) await sleep(10);
  expect(relay.closed()).toBe(1);
});
