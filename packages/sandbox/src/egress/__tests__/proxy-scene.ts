import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createEgressProxy, type EgressProxy, type EgressProxyOptions } from '../egress-proxy.ts';
import { createCertificate } from './certificate.ts';
import { FakeNetwork, OTHER, portOf, PUBLIC, rawServer, type OpenServer } from './fake-network.ts';

export const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Nothing came back. */
export const CUT = 'cut off';

export const certificate = createCertificate({ names: ['example.com', 'evil.example'] });

export interface Scene extends AsyncDisposable {
  readonly world: FakeNetwork;
  readonly proxy: EgressProxy;
  readonly server: OpenServer;
  /** A new connection to the proxy, of which the test has the client's end. */
  readonly open: () => Duplex;
}

export async function sceneWith(starting: Promise<OpenServer>, options: Partial<EgressProxyOptions> = {}): Promise<Scene> {
  const server = await starting;
  const world = new FakeNetwork().name('example.com', [PUBLIC]).name('inside.example.com', ['127.0.0.1']).name('evil.example', [OTHER]);
  world.serve(`${PUBLIC}:80`, server).serve(`${PUBLIC}:443`, server);
  const proxy = createEgressProxy({ hosts: ['example.com', '*.example.com'], network: world, ...options });
  const door = await rawServer((socket) => {
    proxy.accept(socket);
  });
  const open = () => {
    const client = connect({ host: '127.0.0.1', port: portOf(door), allowHalfOpen: true });
    client.on('error', () => {});
    return client;
  };
  return {
    world, proxy, server, open,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await door[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** All that comes back to these bytes, until the proxy ends it. */
export async function said(client: Duplex, bytes: string | Uint8Array): Promise<string> {
  client.write(bytes);
  return await endOf(client);
}

export async function endOf(client: Duplex): Promise<string> {
  return await text(client).then((words) => (words === '' ? CUT : words), () => CUT);
}

/** The server's own words about each request that reached it. */
export function echo(seen: string[]): RequestListener {
  return (asked, answer) => {
    void text(asked).then((body) => {
      const headers = Array.from({ length: asked.rawHeaders.length / 2 }, (_, index) => `${asked.rawHeaders[2 * index] ?? ''}: ${asked.rawHeaders[2 * index + 1] ?? ''}`);
      seen.push([`${asked.method ?? ''} ${asked.url ?? ''}`, ...headers, body].join('|'));
      answer.writeHead(200, { 'Content-Type': 'text/plain', 'Keep-Alive': 'timeout=5', 'Proxy-Authenticate': 'x' }).end('from the server');
    }, () => {});
  };
}

export async function connected(client: Duplex, authority: string): Promise<string> {
  client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [answer]: Buffer[] = await once(client, 'data');
  return String(answer);
}
