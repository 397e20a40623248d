import { duplexPair } from 'node:stream';
import { once } from 'node:events';
import { connect, type ConnectionOptions } from 'node:tls';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readClientHello } from '../client-hello.ts';

/** What Node itself says first. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const [client, server] = duplexPair();
  const socket = connect({ socket: client, ...options });
  socket.on('error', () => {});
  const [bytes]: Buffer[] = await once(server, 'data');
  socket.destroy();
  return Buffer.from(bytes ?? []);
}

const number = (value: number, bytes: number) => Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex');
const sized = (bytes: number, ...content: Buffer[]) => {
  const joined = Buffer.concat(content);
  return Buffer.concat([number(joined.length, bytes), joined]);
};
const extension = (type: number, content: Buffer) => Buffer.concat([number(type, 2), sized(2, content)]);
const serverName = (name: string, type = 0) => extension(0, sized(2, number(type, 1), sized(2, Buffer.from(name))));
const message = (...extensions: Buffer[]) =>
  Buffer.concat([number(1, 1), sized(3, number(0x0303, 2), Buffer.alloc(32), sized(1), sized(2, number(0x1301, 2)), sized(1, number(0, 1)), sized(2, ...extensions))]);
const record = (content: Buffer) => Buffer.concat([number(22, 1), number(0x0301, 2), sized(2, content)]);
const hello = (...extensions: Buffer[]) => record(message(...extensions));
/** One message in records of so many bytes. */
const inRecords = (content: Buffer, size: number) =>
  Buffer.concat(Array.from({ length: Math.ceil(content.length / size) }, (_, index) => record(content.subarray(index * size, (index + 1) * size))));

test.each([
  ['TLS 1.3', { servername: 'Example.com' }, 'example.com'],
  ['TLS 1.2', { servername: 'example.com', maxVersion: 'TLSv1.2' }, 'example.com'],
  ['no name', {}, undefined],
] as const)('what Node says: %s', async (_, options, name) => {
  expect(readClientHello(await helloOf(options))).toEqual({ kind: 'hello', serverName: name });
});

test('what is written here is read as what Node says', () => {
  expect(readClientHello(hello(extension(0x2b, Buffer.from('0x')), serverName('example.com')))).toEqual({ kind: 'hello', serverName: 'example.com' });
});

test('law: as long as bytes are missing it is incomplete, and what follows changes nothing', async () => {
  const bytes = await helloOf({ servername: 'example.com' });
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.uint8Array({ maxLength: 50 }), (length, more) => {
      expect(readClientHello(bytes.subarray(0, length))).toEqual({ kind: 'incomplete' });
      const whole = readClientHello(Buffer.concat([bytes, record(Buffer.from(more)), number(22, 1)]));
      expect(whole).toEqual({ kind: more.length === 0 ? 'unreadable' : 'hello', ...(more.length > 0 && { serverName: 'example.com' }) });
    }),
  );
});

test('law: in however many records it comes', () => {
  const content = message(serverName('example.com'));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: content.length }), (size) => {
      expect(readClientHello(inRecords(content, size))).toEqual({ kind: 'hello', serverName: 'example.com' });
    }),
  );
});

test('law: nothing that comes makes it throw, nor wait for more than 32 KiB', () => {
  const noise = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }).map((bytes) => record(Buffer.concat([number(1, 1), sized(3, Buffer.from(bytes))]))));
  fc.assert(fc.property(noise, (bytes) => ['incomplete', 'hello', 'unreadable'].includes(readClientHello(bytes).kind)), { numRuns: 2_000 });
  // Records of one byte: five more for each.
  const flood = inRecords(Buffer.concat([number(1, 1), number(16_000, 3), Buffer.alloc(5_500)]), 1);
  expect(readClientHello(flood.subarray(0, 30_000))).toEqual({ kind: 'incomplete' });
  expect(readClientHello(flood)).toEqual({ kind: 'unreadable' });
});

test.each([
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
  ['SSH', Buffer.from('SSH-2.0-OpenSSH_9\r\n')],
  ['one byte of anything else', Buffer.from('G')],
  ['a TLS alert', Buffer.from('1503010002020a', 'hex')],
  ['another message', record(Buffer.concat([number(2, 1), sized(3, Buffer.alloc(40))]))],
  ['SSL 2', Buffer.from('802e0100020015000000100100800200', 'hex')],
  ['an empty record', record(Buffer.alloc(0))],
  ['a record that is too long', Buffer.concat([number(22, 1), number(0x0301, 2), number(16_385, 2)])],
  ['a message that is too long', record(Buffer.concat([number(1, 1), number(100_000, 3)]))],
  ['two server names', hello(serverName('example.com'), serverName('evil.example'))],
  ['two names in one list', hello(extension(0, sized(2, number(0, 1), sized(2, Buffer.from('example.com')), number(0, 1), sized(2, Buffer.from('evil.example')))))],
  ['bytes behind the list of names', hello(extension(0, Buffer.concat([sized(2, number(0, 1), sized(2, Buffer.from('example.com'))), number(0, 1)])))],
  ['a name of another kind', hello(serverName('example.com', 1))],
  ['an encrypted hello', hello(serverName('example.com'), extension(0xfe0d, Buffer.alloc(8)))],
  ['an extension that is longer than all', record(Buffer.concat([number(1, 1), sized(3, message(serverName('example.com')).subarray(4, -1))]))],
])('%s is unreadable', (_, bytes) => {
  expect(readClientHello(bytes)).toEqual({ kind: 'unreadable' });
});
