import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { attack, worldOf } from './attack.ts';
import { FakeNetwork, httpServer, rawServer } from './fake-network.ts';

const MEBIBYTE = 1_048_576;

/** So many bytes of zeros as gzip, made in pieces. */
function gzipBomb(mebibytes: number): Buffer {
  return gzipSync(Buffer.alloc(mebibytes * MEBIBYTE), { level: 9 });
}

test.each([
  ['gzip', () => gzipBomb(256)],
  ['br', () => brotliCompressSync(Buffer.alloc(256 * MEBIBYTE), { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
])('a bomb of %s is cut, and not made', async (encoding, create) => {
  const bomb = create();
  expect(bomb.length).toBeLessThan(MEBIBYTE);
  await using server = await httpServer((_, answer) => answer.writeHead(200, { 'Content-Encoding': encoding }).end(bomb));
  const before = process.memoryUsage().arrayBuffers;
  expect(await attack({ world: worldOf(server), maxBytes: 2 * MEBIBYTE })).toMatchObject({ truncated: true, body: { length: 2 * MEBIBYTE } });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MEBIBYTE);
}, 60_000);

test('empty blocks without end: nothing comes out, and no end is waited for', async () => {
  // A gzip header, and stored blocks of no byte each.
  const blocks = Buffer.concat([Buffer.from('1f8b08000000000000ff', 'hex'), ...Array.from({ length: 400_000 }, () => Buffer.from('000000ffff', 'hex'))]);
  await using server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n');
    socket.write(blocks);
  });
  expect(await attack({ world: worldOf(server), maxBytes: 1_000 })).toMatch(/^FETCH_FAILED: The page is far larger compressed/);
}, 60_000);

test('a page in chunks of one byte takes the memory of its bytes', async () => {
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(500_000));
  await using server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(chunks);
  });
  const before = process.memoryUsage().arrayBuffers;
  expect(await attack({ world: worldOf(server), maxBytes: 400_000 })).toMatchObject({ truncated: true, body: { length: 400_000 } });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MEBIBYTE);
}, 60_000);

test('a page without end is cut', async () => {
  const piece = Buffer.alloc(65_536, 'x');
  await using server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
      socket.once('drain', more);
    };
    more();
  });
  expect(await attack({ world: worldOf(server), maxBytes: MEBIBYTE })).toMatchObject({ truncated: true, body: { length: MEBIBYTE } });
});

/** Writes for as long as anybody listens. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 5);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

const TOO_SLOW = 'FETCH_FAILED: The page did not come to its end within 0.3 seconds.';

test.each([
  ['a body that drips', (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
    drip(socket, 'x');
  }],
  ['a body that drips and has no length', (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    drip(socket, 'x');
  }],
  ['headers that drip', (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nA: ');
    drip(socket, 'x');
  }],
  ['silence', () => {}],
  ['compressed bytes that drip and make nothing', (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n');
    drip(socket, 'x');
  }],
])('%s: the time of the whole page is bounded', async (name, behave) => {
  await using server = await rawServer(behave);
  const world = worldOf(server);
  const outcome = await attack({ world, options: { totalMs: 300 } });
  expect(outcome).toEqual(name.startsWith('compressed') ? expect.stringMatching(/compressed in a way that cannot be undone/) : TOO_SLOW);
  expect(world.sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

test('a name server that does not answer: the time is bounded as well', async () => {
  const world = new FakeNetwork();
  world.addressesOf = async () => await new Promise(() => {});
  expect(await attack({ world, options: { totalMs: 300 } })).toBe(TOO_SLOW);
});

test('redirects in a ring, each slow: the time is that of all together', async () => {
  await using server = await httpServer((_, answer) => setTimeout(() => answer.writeHead(302, { Location: '/' }).end(), 100));
  expect(await attack({ world: worldOf(server), options: { totalMs: 300 } })).toBe(TOO_SLOW);
});

const UNREADABLE = /^FETCH_FAILED: The answer is no HTTP that can be read in one way only/;
const BROKEN = /^FETCH_FAILED: The connection to the host broke/;

test.each([
  ['headers without end', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(100_000)}\r\n`, /^FETCH_FAILED: The answer has more headers/],
  ['one header that is long', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(40_000)}\r\n\r\n`, /^FETCH_FAILED: The answer has more headers/],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', UNREADABLE],
  ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n', UNREADABLE],
  ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n', UNREADABLE],
  ['a header that folds', 'HTTP/1.1 200 OK\r\nA: b\r\n c\u0000d\r\n\r\n', UNREADABLE],
  ['a bad chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx', BROKEN],
  ['an extension of a chunk without end', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(70_000)}\r\nx\r\n0\r\n\r\n`, BROKEN],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', /^FETCH_FAILED: The host wants to speak another protocol/],
  ['interim answers without end', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(1_000), /^FETCH_FAILED: The host does not come to its answer/],
])('an answer with %s', async (_, answer, expected) => {
  await using server = await rawServer((socket) => socket.write(answer));
  const world = worldOf(server);
  expect(await attack({ world })).toMatch(expected);
  expect(world.sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

test.each([
  ['before the answer', ''],
  ['within the headers', 'HTTP/1.1 200 OK\r\nA: b'],
  ['before the length is reached', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
  ['before the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
])('an answer that ends %s is no page', async (_, answer) => {
  await using server = await rawServer((socket) => {
    socket.on('data', () => socket.end(answer));
  });
  expect(await attack({ world: worldOf(server) })).toMatch(BROKEN);
});

test.each([
  ['with a length', 'Content-Length: 10'],
  ['in chunks', 'Transfer-Encoding: chunked'],
  ['up to the end of the connection', 'A: b'],
])('a connection that is reset within a body %s gives no page', async (_, framing) => {
  await using server = await rawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n4\r\n`);
    setTimeout(() => socket.resetAndDestroy(), 100);
  });
  expect(await attack({ world: worldOf(server) })).toMatch(BROKEN);
});
