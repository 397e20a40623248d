import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { PUBLIC, rawServer } from './fake-network.ts';
import { connected, CUT, endOf, ESTABLISHED, said, sceneWith } from './proxy-scene.ts';

test.each([
  ['a host that is not allowed', 'GET http://evil.example/ HTTP/1.1\r\nHost: example.com\r\n\r\n', /^HTTP\/1\.1 403 .*devs: The host "evil\.example" is not allowed/s],
  ['loopback', 'GET http://127.0.0.1/ HTTP/1.1\r\nHost: example.com\r\n\r\n', /^HTTP\/1\.1 403 .*not on the public network/s],
  ['loopback in disguise', 'GET http://0x7f.1/ HTTP/1.1\r\nHost: example.com\r\n\r\n', /^HTTP\/1\.1 403 .*not on the public network/s],
  ['an allowed name of loopback', 'GET http://inside.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 .*not on the public network/s],
  ['a public address', `GET http://${PUBLIC}/ HTTP/1.1\r\nHost: example.com\r\n\r\n`, /^HTTP\/1\.1 403 .*is not allowed/s],
  ['another port', 'GET http://example.com:8080/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 .*ports 80 and 443/s],
  ['plain http on 443', 'GET http://example.com:443/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 .*port 80 alone/s],
  ['https without a tunnel', 'GET https://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['a path alone', 'GET / HTTP/1.1\r\nHost: example.com\r\n\r\n', /^HTTP\/1\.1 403 .*whole http URL/s],
  ['a user name', 'GET http://example.com@evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['two hosts', 'GET http://example.com/ HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', /^HTTP\/1\.1 403 .*stands twice/s],
  ['no host', 'GET http://example.com/ HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['a length and chunks', 'POST http://example.com/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['two lengths', 'POST http://example.com/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody', /^HTTP\/1\.1 400 /],
  ['one length twice', 'POST http://example.com/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody', /^HTTP\/1\.1 40[03] /],
  ['a length that is none', 'POST http://example.com/ HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\nbody', /^HTTP\/1\.1 400 /],
  ['another encoding of the body', 'POST http://example.com/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', /^HTTP\/1\.1 40[03] /],
  ['an encoding in disguise', 'POST http://example.com/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['TRACE', 'TRACE http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['headers without end', `GET http://example.com/ HTTP/1.1\r\nHost: x\r\n${'A: bbbbbbbbbb\r\n'.repeat(3_000)}\r\n`, /^HTTP\/1\.1 400 /],
  ['a URL without end', `GET http://example.com/${'a'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 403 .*longer than/s],
  ['line feeds alone', 'GET http://example.com/ HTTP/1.1\nHost: x\n\n', /^HTTP\/1\.1 400 /],
  ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['CONNECT to another port', 'CONNECT example.com:22 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['CONNECT to a host that is not allowed', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', /^HTTP\/1\.1 403 .*not allowed/s],
  ['CONNECT to one on port 80', 'CONNECT evil.example:80 HTTP/1.1\r\nHost: example.com\r\n\r\n', /^HTTP\/1\.1 403 .*not allowed/s],
  ['CONNECT to loopback', 'CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 .*not on the public network/s],
  ['CONNECT to loopback of IPv6', 'CONNECT [::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 .*not on the public network/s],
  ['CONNECT to an allowed name of loopback', 'CONNECT inside.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 .*not on the public network/s],
  ['CONNECT to a URL', 'CONNECT https://example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 40[03] /],
  ['CONNECT with a user name', 'CONNECT a@example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['CONNECT with two ports', 'CONNECT example.com:443:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['CONNECT without a port', 'CONNECT example.com HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['CONNECT with a path', 'CONNECT example.com/x:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 40[03] /],
  ['CONNECT with a body', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n', /^HTTP\/1\.1 403 .*no body/s],
  ['CONNECT with more behind it', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 403 .*waits until/s],
  ['CONNECT to port 80 with more behind it', 'CONNECT example.com:80 HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 403 .*waits until/s],
])('%s: refused, and no server hears of it', async (_, bytes, expected) => {
  const heard: unknown[] = [];
  await using scene = await sceneWith(rawServer((socket) => socket.on('data', (data) => heard.push(data))));
  expect(await said(scene.open(), bytes)).toMatch(expected);
  expect(heard).toEqual([]);
  await sleep(20);
  expect(scene.world.sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

test('bytes that come while the connection is being made are refused as well', async () => {
  await using scene = await sceneWith(rawServer(() => {}));
  const lookUp = scene.world.addressesOf.bind(scene.world);
  scene.world.addressesOf = async (name) => {
    await sleep(50);
    return await lookUp(name);
  };
  const client = scene.open();
  client.write('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  await sleep(10);
  client.write('early');
  expect(await text(client)).toMatch(/^HTTP\/1\.1 403 .*waits until/s);
});

test('hosts that were refused are told, each once, and not without end', async () => {
  await using scene = await sceneWith(rawServer(() => {}));
  const ask = async (host: string) => await said(scene.open(), `GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  await ask('evil.example');
  await ask('EVIL.example');
  await ask('inside.example.com');
  await ask('not a host');
  expect(scene.proxy.refused).toEqual(['evil.example', 'inside.example.com']);
  for (let index = 0; index < 40; index += 1) await ask(`host-${String(index)}.example`);
  expect(scene.proxy.refused).toHaveLength(32);
});

test('at most 64 connections, whatever they do', async () => {
  await using scene = await sceneWith(rawServer(() => {}));
  const first = Array.from({ length: 64 }, scene.open);
  await Promise.all(first.map(async (client) => await once(client, 'connect')));
  const one = scene.open();
  expect(await endOf(one)).toBe(CUT);
  expect(first.every(({ destroyed }) => !destroyed)).toBe(true);
  first[0]?.destroy();
  await sleep(50);
  expect(await said(scene.open(), 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 403/);
});

test.each([
  ['nothing', ''],
  ['half a request', 'GET http://exam'],
  ['half a CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost'],
])('a client that says %s is waited for, but not for long', async (_, bytes) => {
  await using scene = await sceneWith(rawServer(() => {}), { helloMs: 100 });
  expect(await said(scene.open(), bytes)).toBe(CUT);
});

test.each(['example.com:443', 'example.com:80'])('a client that says nothing in its tunnel to %s', async (authority) => {
  await using scene = await sceneWith(rawServer(() => {}), { helloMs: 100 });
  const client = scene.open();
  expect(await connected(client, authority)).toBe(ESTABLISHED);
  expect(await endOf(client)).toBe(CUT);
  await sleep(20);
  expect(scene.world.sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

test('a server from which nothing comes', async () => {
  await using scene = await sceneWith(rawServer(() => {}), { idleMs: 100 });
  expect(await said(scene.open(), 'GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 502 /);
});

test.each([
  ['breaks', (socket: Duplex & { resetAndDestroy?: () => unknown }) => socket.resetAndDestroy?.()],
  ['goes silent', () => {}],
])('a server that %s within its answer: the client sees that it is not whole', async (_, end) => {
  const starting = rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\nhalf');
    setTimeout(() => end(socket), 50);
  });
  await using scene = await sceneWith(starting, { idleMs: 200 });
  const answer = await said(scene.open(), 'GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(answer).not.toMatch(/\r\n0\r\n\r\n$/);
});
