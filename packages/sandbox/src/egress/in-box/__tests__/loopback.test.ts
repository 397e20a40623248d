import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, it } from '@jest/globals';
import type { ConfinedRequest, Confinement } from '@devs/core';
import { collect } from '../../../confinement/collect.ts';
import { Unconfined } from '../../../confinement/unconfined.ts';
import { createEgressProxy } from '../../egress-proxy.ts';
import { NetworkedConfinement } from '../networked-confinement.ts';

const limits = { wallMs: 20_000, outputBytes: 65_536, memoryBytes: 2 ** 31, processes: 64, fileBytes: 65_536, openFiles: 256 };

/** In the place of the relay, a program that asks for what the first word names, over a stream of its own. */
const ASK = `
  const http2 = require('node:http2'); const net = require('node:net');
  const session = http2.connect('http://devs', { createConnection: () => new net.Socket({ fd: 3 }) });
  const stream = session.request({ ':method': 'POST', ':path': process.env.ASKED }, { endStream: false });
  stream.setEncoding('utf8'); stream.on('data', (text) => { process.stdout.write(text); });
  stream.on('error', () => undefined); stream.on('end', () => stream.end()); stream.on('close', () => process.exit(0));
  stream.write('hello');
`;

async function ask(asked: string, ways: Pick<ConfinedRequest, 'hosts' | 'loopbackPorts'>): Promise<string> {
  const inner: Confinement = new Unconfined();
  const instead: Confinement = {
    name: inner.name,
    probe: async () => inner.probe(),
    spawn: async (request) => inner.spawn({ ...request, argv: [process.execPath, '-e', ASK], env: { ASKED: asked } }),
    exec: async (request, options) => collect(await instead.spawn(request), options),
  };
  const confinement = new NetworkedConfinement(instead, async (hosts) => Promise.resolve(createEgressProxy({ hosts })));
  const outcome = await confinement.exec({ argv: ['true'], cwd: '/', env: {}, mounts: [], limits, ...ways }, { signal: new AbortController().signal, keepBytes: 1_000 });
  // One that is left hanging has its end by the time limit.
  expect(outcome.exit).toEqual({ kind: 'code', code: 0 });
  return Buffer.from(outcome.stdout.head).toString();
}

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.end('reached'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

it('a relay of an attacker reaches the ports that were named, by no other spelling, and nothing else', async () => {
  const [given, other] = [await listen(), await listen()];
  try {
    const ways = { hosts: [], loopbackPorts: [given.port] };
    expect(await ask(`/${String(given.port)}`, ways)).toBe('reached');
    for (const asked of [`/${String(other.port)}`, `/0${String(given.port)}`, `/${String(given.port)}/`, '/', '/constructor']) expect(await ask(asked, ways)).toBe('');
    // With hosts alone there is no way to a port, not even by the proxy.
    expect(await ask(`/${String(given.port)}`, { hosts: ['*'], loopbackPorts: [] })).toBe('');
  } finally {
    for (const { server } of [given, other]) server.close();
  }
});

it('a port where nobody listens ends the connection', async () => {
  const { server, port } = await listen();
  await new Promise((resolve) => server.close(resolve));
  expect(await ask(`/${String(port)}`, { hosts: [], loopbackPorts: [port] })).toBe('');
});
