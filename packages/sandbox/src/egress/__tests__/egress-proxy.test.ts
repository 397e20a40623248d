import { once } from 'node:events';
import { request, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as startTls } from 'node:tls';
import { expect, test } from '@jest/globals';
import { createEgressProxy, type EgressProxy, type EgressProxyOptions } from '../egress-proxy.ts';
import { createCertificate } from './certificate.ts';
import { FakeNetwork, httpServer, OTHER, portOf, PUBLIC, rawServer, tlsServer, type OpenServer } from './fake-network.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
/** Nothing came back. */
const CUT = 'cut off';

const certificate = createCertificate({ names: ['example.com', 'evil.example'] });

interface Scene extends AsyncDisposable {
  readonly world: FakeNetwork;
  readonly proxy: EgressProxy;
  readonly server: OpenServer;
  /** A new connection to the proxy, of which the test has the client's end. */
  readonly open: () => Duplex;
}

async function sceneWith(starting: Promise<OpenServer>, options: Partial<EgressProxyOptions> = {}): Promise<Scene> {
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
async function said(client: Duplex, bytes: string | Uint8Array): Promise<string> {
  client.write(bytes);
  return await endOf(client);
}

async function endOf(client: Duplex): Promise<string> {
  return await text(client).then((words) => (words === '' ? CUT : words), () => CUT);
}

/** The server's own words about each request that reached it. */
function echo(seen: string[]): RequestListener {
  return (asked, answer) => {
    void text(asked).then((body) => {
      const headers = Array.from({ length: asked.rawHeaders.length / 2 }, (_, index) => `${asked.rawHeaders[2 * index] ?? ''}: ${asked.rawHeaders[2 * index + 1] ?? ''}`);
      seen.push([`${asked.method ?? ''} ${asked.url ?? ''}`, ...headers, body].join('|'));
      answer.writeHead(200, { 'Content-Type': 'text/plain', 'Keep-Alive': 'timeout=5', 'Proxy-Authenticate': 'x' }).end('from the server');
    }, () => {});
  };
}

async function connected(client: Duplex, authority: string): Promise<string> {
  client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [answer]: Buffer[] = await once(client, 'data');
  return String(answer);
}

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
  await using scene = await sceneWith(rawServer((socket) => socket.on('data', (data) => heard.push(data))));
  const client = scene.open();
  expect(await connected(client, 'example.com:80')).toBe(ESTABLISHED);
  expect(await said(client, bytes)).not.toMatch(/^HTTP\/1\.1 200/);
  expect([heard, scene.world.dialled]).toEqual([[], []]);
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
  expect([await endOf(idle), await endOf(tunnel), ...scene.world.sockets.map(({ destroyed }) => destroyed)]).toEqual([CUT, CUT, true]);
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
