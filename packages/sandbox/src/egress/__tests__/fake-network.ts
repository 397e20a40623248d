import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Network } from '../network.ts';
import { toBlock, type AddressBlock } from '../public-address.ts';
import type { Certificate } from './certificate.ts';

/** Addresses of the public network that the fake one knows. */
export const PUBLIC = '93.184.216.34';
export const OTHER = '8.8.4.4';
export const PUBLIC_IPV6 = '2606:4700::1111';

/** The world as a test tells it: names and what they resolve to, and which server of this machine stands for an address. Nothing is sent anywhere else. */
export class FakeNetwork implements Network {
  /** In order: names that were looked up. */
  readonly lookups: string[] = [];
  /** In order: what was connected to, `address:port`. */
  readonly dialled: string[] = [];
  readonly sockets: Socket[] = [];
  readonly #names = new Map<string, string[][]>();
  readonly #servers = new Map<string, number>();
  blocks: AddressBlock[] = [];

  /** @param answers each look-up takes one, and the last for ever */
  name(name: string, ...answers: string[][]): this {
    this.#names.set(name, answers);
    return this;
  }

  own(...blocks: string[]): this {
    this.blocks = blocks.map(toBlock);
    return this;
  }

  /** @param endpoint `address:port` */
  serve(endpoint: string, server: Server): this {
    this.#servers.set(endpoint, portOf(server));
    return this;
  }

  async addressesOf(name: string): Promise<readonly string[]> {
    this.lookups.push(name);
    const answers = this.#names.get(name) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    return await Promise.resolve(answer);
  }

  connect(address: string, port: number): Socket {
    const endpoint = `${address}:${String(port)}`;
    this.dialled.push(endpoint);
    const target = this.#servers.get(endpoint);
    if (target === undefined) throw Object.assign(new Error(`connect ECONNREFUSED ${endpoint}`), { code: 'ECONNREFUSED' });
    const socket = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true });
    this.sockets.push(socket);
    return socket;
  }

  ownBlocks(): readonly AddressBlock[] {
    return this.blocks;
  }
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

export type OpenServer = Server & AsyncDisposable;

async function open(server: Server): Promise<OpenServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  });
}

export async function httpServer(listener: RequestListener): Promise<OpenServer> {
  return await open(createHttpServer(listener));
}

/** Answers whatever comes with these bytes, and leaves the connection open unless told to end it. */
export async function rawServer(onConnection: (socket: Socket) => void): Promise<OpenServer> {
  return await open(createServer({ allowHalfOpen: true }, onConnection));
}

export async function tlsServer(certificate: Certificate, onConnection: (socket: Socket) => void): Promise<OpenServer> {
  return await open(createTlsServer({ ...certificate }, onConnection));
}
