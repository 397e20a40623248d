import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { EnvelopePeeker } from '../envelope-peek.ts';
import { LineFramer, type Frame } from '../line-framer.ts';
import { MessageBuffer, MOST_VALUES } from '../message-buffer.ts';
import { cutAt, jsonMessages } from './json-texts.ts';

const MEGABYTE = 1024 * 1024;

function frame(pieces: Iterable<Buffer>, maxBytes: number): readonly Frame[] {
  const frames: Frame[] = [];
  const framer = new LineFramer({ maxBytes, onFrame: (each) => frames.push(each) });
  for (const piece of pieces) framer.push(piece);
  framer.end();
  return frames;
}

/** As text: a difference between buffers takes a test seconds to tell. */
const toText = (each: Frame) => (each.kind === 'line' ? each.bytes.toString('latin1') : JSON.stringify(each));

/** The same, by the book: all of it at hand, one line after the other. */
function expected(bytes: Buffer, maxBytes: number): readonly string[] {
  return bytes.toString('latin1').split('\n').flatMap((text) => {
    const line = Buffer.from(text, 'latin1');
    if (line.length > maxBytes) {
      const peeker = new EnvelopePeeker();
      peeker.push(line);
      return toText({ kind: 'oversized', problem: `is ${line.length} bytes long; at most ${maxBytes} are accepted`, bytes: line.length, peek: peeker.peek });
    }
    const cut = text.endsWith('\r') ? line.subarray(0, -1) : line;
    return cut.length === 0 ? [] : toText({ kind: 'line', bytes: cut });
  });
}

const line = fc.oneof(jsonMessages.map((text) => Buffer.from(text)), fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)));
const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n')), { maxLength: 6 }).map((lines) => Buffer.concat(lines.flatMap(([each, end]) => [each, Buffer.from(end)])));

/** Counts the bytes that are copied and the largest piece of memory that is asked for. */
function measure(work: () => void): { readonly copied: number; readonly largest: number } {
  const allocations = jest.spyOn(Buffer, 'allocUnsafe');
  const { copy } = Buffer.prototype;
  let bytes = 0;
  Buffer.prototype.copy = function counted(this: Buffer, ...where: Parameters<typeof copy>) {
    const more = copy.apply(this, where);
    bytes += more;
    return more;
  };
  try {
    work();
    return { copied: bytes, largest: Math.max(0, ...allocations.mock.calls.map(([size]) => size)) };
  } finally {
    Buffer.prototype.copy = copy;
    allocations.mockRestore();
  }
}

function* repeat(piece: Buffer, bytes: number): Iterable<Buffer> {
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

describe('cutting a stream into lines', () => {
  it('gives the same frames, however the bytes come', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), fc.integer({ min: 1, max: 120 }), (bytes, cuts, maxBytes) => {
        const frames = expected(bytes, maxBytes);
        expect(frame(cutAt(bytes, cuts), maxBytes).map(toText)).toEqual(frames);
        expect(frame(repeatBytes(bytes), maxBytes).map(toText)).toEqual(frames);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['at the most', 100, 'line'],
    ['one more', 101, 'oversized'],
  ])('takes a line of so many bytes: %s', (_name, bytes, kind) => {
    const text = Buffer.from(`${'x'.repeat(bytes)}\n`);
    expect(frame([text], 100)[0]?.kind).toBe(kind);
    expect(frame(repeatBytes(text), 100)[0]?.kind).toBe(kind);
  });

  it('goes on after a line that is too large', () => {
    const kinds = frame([Buffer.from(`${'x'.repeat(1_000)}\n{}\n`)], 100).map(({ kind }) => kind);
    expect(kinds).toEqual(['oversized', 'line']);
  });

  it('takes what has come without a line feed for a line, once', () => {
    const frames: Frame[] = [];
    const framer = new LineFramer({ maxBytes: 100, onFrame: (each) => frames.push(each) });
    framer.push(Buffer.from('{"a":1}'));
    framer.end();
    framer.end();
    expect(frames).toHaveLength(1);
  });

  it.each([
    ['in one piece', (bytes: Buffer) => [bytes]],
    ['in pieces of 1,000 bytes', (bytes: Buffer) => cutAt(bytes, Array.from({ length: bytes.length / 1_000 }, (_, index) => index * 1_000))],
  ])('refuses a line of too many values: %s', (_name, cut) => {
    const text = Buffer.from(`{"id":5,"method":"tools/call","params":{"name":"x","arguments":[${'[],'.repeat(MOST_VALUES / 2)}0]}}\n`);
    expect(frame(cut(text), 32 * MEGABYTE)).toEqual([
      { kind: 'oversized', problem: 'holds more than 1000000 values', bytes: text.length - 1, peek: { id: 5, method: 'tools/call', toolName: 'x' } },
    ]);
  });

  it.each([
    ['open lists', '['],
    ['lists', '[],'],
    ['open objects', '{"a":'],
  ])('parses no 6 MiB of %s', (_name, text) => {
    expect(frame(repeat(Buffer.from(text.repeat(1_024)), 6 * MEGABYTE), 32 * MEGABYTE)).toMatchObject([{ kind: 'oversized' }]);
  });

  it.each([
    ['of one long string', `"${'x'.repeat(2 * MEGABYTE)}"`],
    ['of escapes', `"${String.raw`\"`.repeat(MEGABYTE)}"`],
    ['of commas in a string', `"${','.repeat(2 * MEGABYTE)}"`],
  ])('keeps 2 MiB %s', (_name, text) => {
    expect(frame([Buffer.from(`${text}\n`)], 32 * MEGABYTE)).toMatchObject([{ kind: 'line' }]);
  });

  it('copies twice as much for twice as many bytes, one at a time', () => {
    const byte = Buffer.from('x');
    const [once, twice] = [MEGABYTE / 4 + 1, MEGABYTE / 2 + 2].map((bytes) => measure(() => frame(repeat(byte, bytes), 4 * MEGABYTE)));
    expect(twice?.copied).toBeLessThanOrEqual(2.3 * (once?.copied ?? 0));
    expect(once?.copied).toBeLessThanOrEqual(MEGABYTE);
  });

  it.each([1, 1_000, 70_000, 500_000])('never asks for more than the largest line, in pieces of %i bytes', (size) => {
    const { largest } = measure(() => frame(repeat(Buffer.alloc(size, 'x'), 600_000), 200_000));
    expect(largest).toBeLessThanOrEqual(200_000);
  });
});

describe('keeping a message', () => {
  it('never holds more than it may', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 300 })), fc.integer({ min: 1, max: 500 }), (sizes, maxBytes) => {
        const buffer = new MessageBuffer(maxBytes, 16);
        for (const size of sizes) {
          const told = buffer.roomFor(size);
          buffer.push(Buffer.alloc(size, 'x'));
          expect(buffer.roomFor(0)).toBe(told);
          expect(told).toBeLessThanOrEqual(maxBytes);
        }
      }),
    );
  });

  it('lets go of what it kept once it is too large, and is ready for the next', () => {
    const buffer = new MessageBuffer(10);
    buffer.push(Buffer.from('{"id":1,'));
    buffer.push(Buffer.from('"method":"a"}'));
    expect([buffer.isTooLarge, buffer.roomFor(0)]).toEqual([true, 0]);
    expect(buffer.take()).toMatchObject({ kind: 'oversized', bytes: 21, peek: { id: 1, method: 'a' } });
    expect(buffer.takeWith(Buffer.from('{}'))).toEqual({ kind: 'whole', bytes: Buffer.from('{}') });
  });
});

function repeatBytes(bytes: Buffer): readonly Buffer[] {
  return Array.from(bytes, (byte) => Buffer.from([byte]));
}
