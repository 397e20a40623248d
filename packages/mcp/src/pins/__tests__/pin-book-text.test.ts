import { describe, expect, it } from '@jest/globals';
import { noteShown, type PinBook } from '../pin-book.ts';
import { readPinBook, writePinBook } from '../pin-book-text.ts';

const book: PinBook = noteShown(new Map(), { key: 'npm:a', version: '1' }, {
  shown: {
    entry: 'one',
    saidVersion: '1.0',
    tools: new Map([['constructor', { name: 'one__constructor', pinned: { name: 'constructor', inputSchema: { type: 'object' } } }], ['b', { name: 'one__b', pinned: { name: 'b', inputSchema: {} } }]]),
    instructions: 'hello',
    refused: [{ name: 'x', reason: 'y' }],
  },
  now: '2026-01-02T03:04:05.000Z',
});
const text = writePinBook(book, 7);

describe('the text of a book of pins', () => {
  it('gives the same book', () => {
    expect(readPinBook(text)).toEqual({ book, generation: 7 });
    expect(readPinBook(writePinBook(new Map(), 0))).toEqual({ book: new Map(), generation: 0 });
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a part', text.slice(0, text.length / 2)],
    ['another value', text.replace('hello', 'hallo')],
    ['another generation', text.replace('"generation":7', '"generation":8')],
    ['a tool less', text.replace(/"b":\{[^}]*\}\},?/, '')],
    ['another version', text.replace('"version":1', '"version":2')],
    ['no object', '[]'],
  ])('with %s is none', (_name, broken) => {
    expect(broken).not.toBe(text);
    expect(readPinBook(broken)).toBeUndefined();
  });
});
