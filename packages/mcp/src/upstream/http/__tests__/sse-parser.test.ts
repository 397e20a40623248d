import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SseParser } from '../sse-parser.ts';

interface Heard {
  readonly events: (string | undefined)[];
  readonly ids: string[];
  readonly retries: number[];
}

/** Cut into pieces of the lengths, over and over. */
function hear(text: string, lengths: readonly number[] = [text.length + 1], maxBytes = 1_000): Heard {
  const heard: Heard = { events: [], ids: [], retries: [] };
  const parser = new SseParser({
    maxBytes,
    onEvent: (content) => heard.events.push(content.kind === 'whole' ? content.bytes.toString('utf8') : undefined),
    onId: (id) => heard.ids.push(id),
    onRetry: (milliseconds) => heard.retries.push(milliseconds),
  });
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    parser.push(bytes.subarray(at, at + length));
    at += length;
  }
  return heard;
}

describe('a stream of events', () => {
  it.each<[string, string, Partial<Heard>]>([
    ['an event', 'data: {"a":1}\n\n', { events: ['{"a":1}'] }],
    ['without a blank', 'data:x\n\n', { events: ['x'] }],
    ['with two blanks, the second of which is data', 'data:  x\n\n', { events: [' x'] }],
    ['lines that end with CR LF', 'data: x\r\ndata: y\r\n\r\n', { events: ['x\ny'] }],
    ['lines that end with CR', 'data: x\rdata: y\r\r', { events: ['x\ny'] }],
    ['a byte order mark', '\ufeffdata: x\n\n', { events: ['x'] }],
    ['comments', ': hello\n:\ndata: x\n: more\n\n', { events: ['x'] }],
    ['an event that has not ended', 'data: x\n', { events: [] }],
    ['an event of another kind', 'event: other\ndata: x\n\ndata: y\n\n', { events: ['y'] }],
    ['an event that is named as a message', 'event: message\ndata: x\n\n', { events: ['x'] }],
    ['an event without data, for its position', 'id: 7\ndata:\n\nid: 8\n\n', { events: [], ids: ['7', '8'] }],
    ['a position that cannot go into a header', 'id: a\u0001b\ndata: x\n\n', { events: ['x'], ids: [] }],
    ['the time to wait', 'retry: 500\nretry: -1\nretry: soon\n', { retries: [500] }],
    ['a field that it does not know', 'database: x\ndata: y\n\n', { events: ['y'] }],
    ['a field without a colon', 'data\ndata: x\n\n', { events: ['\nx'] }],
    ['an event that is too large', `data: ${'x'.repeat(1_001)}\n\ndata: y\n\n`, { events: [undefined, 'y'] }],
    ['an event that is too large in many lines', `${'data: xxxxxxxxx\n'.repeat(101)}\ndata: y\n\n`, { events: [undefined, 'y'] }],
    ['what begins behind very many empty lines', `${'\r'.repeat(9_000)}${'\n\r\n'.repeat(3_000)}data: x\r\r${'\r\n'.repeat(3_000)}data: y\n\n`, { events: ['x', 'y'] }],
    ['a line that is too long', `${'x'.repeat(100_000)}\ndata: y\n\n`, { events: ['y'] }],
  ])('is read: %s', (_name, text, expected) => {
    expect(hear(text)).toMatchObject(expected);
    expect(hear(text, [1])).toMatchObject(expected);
  });

  it('says the same however it is cut', () => {
    const line = fc.constantFrom('data: {"a":1}', 'data:ü€', 'data', 'data:', 'id: 1', 'retry: 5', ': c', 'event: message', 'event: x', '', 'd', 'dat: x', '\ufeffdata: b');
    const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')).map((parts) => parts.join('')), { maxLength: 20 }).map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (stream, lengths) => {
        expect(hear(stream, lengths)).toEqual(hear(stream));
      }),
    );
  });
});
