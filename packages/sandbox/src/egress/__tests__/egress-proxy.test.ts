import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as startTls } from 'node:tls';
import { expect, test } from '@jest/globals';
import { httpServer, PUBLIC, rawServer, tlsServer } from './fake-network.ts';
import { certificate, connected, CUT, echo, endOf, ESTABLISHED, said, sceneWith, type Scene } from './proxy-scene.ts';

test('plain requests: the URL decides, hop-by-hop headers go, the connection is closed behind each', async () => {
  const seen: string[] = [];
  await using scene = await sceneWith(httpServer(echo(seen)));
  const answer = await said(scene.open(), [
    'POST http://EXAMPLE.com:80/a?b HTTP/1.1', 'Host: evil.example', 'X-Own: 1', 'Connection: keep-alive, X-Hop', 'X-Hop: 1', 'Keep-Alive: 5', 'Proxy-Connection: keep-alive',
    'Proxy-Authorization: Basic x', 'TE: trailers', 'Upgrade: websocket', 'Content-Length: 4', '', 'body',
  ].join('\r\n'));
  expect(seen).toEqual(['POST /a?b|Host: example.com|X-Own: 1|Content-Length: 4|Connection: close|body']);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(?!.*(?:Keep-Alive|Proxy-Authenticate))[^]*\r\nConnection: close\r\n[^]*from the server/is);
});

test('a body in chunks goes on in chunks', async () => {
  const seen: string[] = [];
  await using scene = await sceneWith(httpServer(echo(seen)));
  await said(scene.open(), 'PUT http://example.com/ HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n');
  expect(seen).toEqual(['PUT /|Host: example.com|Transfer-Encoding: chunked|Connection: close|body']);
});

test('two requests on one connection: the second is not looked at, wherever it goes', async () => {
  const seen: string[] = [];
  await using scene = await sceneWith(httpServer(echo(seen)));
  const one = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const answer = await said(scene.open(), one('http://example.com/1') + one('http://evil.example/2') + one('http://example.com/3'));
  expect(seen).toEqual(['GET /1|Host: example.com|Connection: close|']);
  expect(answer).not.toMatch(/evil|\/2|\/3/);
});

async function overTls(scene: Scene, { authority = 'example.com:443', servername = 'example.com' } = {}): Promise<string> {
  const client = scene.open();
  const answer = await connected(client, authority);
  if (answer !== ESTABLISHED) return answer;
  const secure = startTls({ socket: client, servername, ca: certificate.cert, ...(servername === '' && { host: PUBLIC, checkServerIdentity: () => undefined }) });
  secure.write('hello');
  return await endOf(secure);
}

const secureServer = async () => await tlsServer(certificate, (socket) => socket.on('data', (data) => socket.end(`heard ${String(data)} for ${String(Reflect.get(socket, 'servername'))}`)));

test('CONNECT: TLS for the host that was asked for', async () => {
  await using scene = await sceneWith(secureServer());
  expect(await overTls(scene)).toBe('heard hello for example.com');
  expect(scene.world.dialled).toEqual([`${PUBLIC}:443`]);
});

test('CONNECT to an address that is allowed: TLS without a name', async () => {
  await using scene = await sceneWith(secureServer(), { hosts: [PUBLIC] });
  expect(await overTls(scene, { authority: `${PUBLIC}:443`, servername: '' })).toBe('heard hello for false');
  expect(await overTls(scene, { authority: `${PUBLIC}:443`, servername: 'evil.example' })).toBe(CUT);
});

test.each([
  ['another name', 'evil.example'],
  ['no name', ''],
  ['a name below it', 'www.example.com'],
])('domain fronting: TLS for %s is cut off, and the server hears nothing', async (_, servername) => {
  const heard: unknown[] = [];
  await using scene = await sceneWith(rawServer((socket) => socket.on('data', (data) => heard.push(data))));
  expect(await overTls(scene, { servername })).toBe(CUT);
  await sleep(20);
  expect(heard).toEqual([]);
  expect(scene.world.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});

test.each(['GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n', 'SSH-2.0-OpenSSH_9\r\n'])('what is no TLS is cut off in a tunnel to 443: %j', async (bytes) => {
  const heard: unknown[] = [];
  await using scene = await sceneWith(rawServer((socket) => socket.on('data', (data) => heard.push(data))));
  const client = scene.open();
  expect(await connected(client, 'example.com:443')).toBe(ESTABLISHED);
  expect(await said(client, bytes)).toBe(CUT);
  expect(heard).toEqual([]);
});

test('CONNECT to port 80: a plain request, for that host whatever it says, and only one', async () => {
  const seen: string[] = [];
  await using scene = await sceneWith(httpServer(echo(seen)));
  const client = scene.open();
  expect(await connected(client, 'example.com:80')).toBe(ESTABLISHED);
  expect(await said(client, 'GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\nGET /b HTTP/1.1\r\nHost: evil.example\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK.*from the server/s);
  expect(seen).toEqual(['GET /a|Host: example.com|Connection: close|']);
});

test.each([
  'GET http://evil.example/ HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'SSH-2.0-OpenSSH_9\r\n\r\n',
])('behind a CONNECT to port 80 nothing else: %j', async (bytes) => {
  const heard: unknown[] = [];
  await using scene = await sceneWith(rawServer((socket) => socket.on('data', (data) => heard.push(data))), { hosts: ['*'] });
  const client = scene.open();
  expect(await connected(client, 'example.com:80')).toBe(ESTABLISHED);
  expect(await said(client, bytes)).not.toMatch(/^HTTP\/1\.1 200/);
  expect([heard, scene.world.lookups, scene.world.dialled]).toEqual([[], [], []]);
});

test('a client that goes away takes its connection with it', async () => {
  await using scene = await sceneWith(rawServer(() => {}));
  const client = scene.open();
  client.write('GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(scene.server, 'connection');
  client.destroy();
  await sleep(50);
  expect(scene.world.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});

test('disposing of it ends all there is, and nothing is served any more', async () => {
  const scene = await sceneWith(secureServer());
  const idle = scene.open();
  const tunnel = scene.open();
  expect(await connected(tunnel, 'example.com:443')).toBe(ESTABLISHED);
  const secure = startTls({ socket: tunnel, servername: 'example.com', ca: certificate.cert });
  secure.on('error', () => {});
  await once(secure, 'secureConnect');
  await scene.proxy[Symbol.asyncDispose]();
  expect([await endOf(idle), await endOf(secure), ...scene.world.sockets.map(({ destroyed }) => destroyed)]).toEqual([CUT, CUT, true]);
  expect(await endOf(scene.open())).toBe(CUT);
  await scene.proxy[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

test('large bodies both ways, through a plain request and a tunnel', async () => {
  const large = 'x'.repeat(3_000_000);
  await using plain = await sceneWith(httpServer((asked, answer) => asked.pipe(answer)));
  const asked = request({ createConnection: () => plain.open(), method: 'POST', path: 'http://example.com/', headers: { Host: 'example.com' } });
  asked.end(large);
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  expect(answer === undefined ? '' : await text(answer)).toHaveLength(large.length);

  await using sealed = await sceneWith(tlsServer(certificate, (socket) => socket.pipe(socket)));
  const client = sealed.open();
  await connected(client, 'example.com:443');
  const secure = startTls({ socket: client, servername: 'example.com', ca: certificate.cert });
  secure.end(large);
  expect(await text(secure)).toHaveLength(large.length);
});
