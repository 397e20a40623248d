import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@devs/core';
import { noteShown, type PinBook } from '../pin-book.ts';
import { readPinBook, writePinBook } from '../pin-book-text.ts';
import { digestOf } from '../pinned-definition.ts';
import type { ShownServer } from '../pin-store.ts';

const SHOWN: ShownServer = {
  entry: 'one',
  saidVersion: '1.0',
  tools: new Map([['constructor', { name: 'one__constructor', pinned: { name: 'constructor', inputSchema: { type: 'object' } } }], ['b', { name: 'one__b', pinned: { name: 'b', inputSchema: {} } }]]),
  instructions: 'hello',
  refused: [{ name: 'x', reason: 'y' }],
};
const note = (before: PinBook, shown: ShownServer) => noteShown(before, { key: 'npm:a', version: '1' }, { shown, now: '2026-01-02T03:04:05.000Z' });
const book = note(new Map(), SHOWN);
const text = writePinBook(book, 7);
const changed = writePinBook(note(book, { ...SHOWN, instructions: 'goodbye' }), 8);

/** With a digest over all of it that is right: as a program writes it that does not know the rest. */
function redigest(written: string): string {
  const { sha256: _sha256, ...content }: JsonObject = JSON.parse(written);
  return JSON.stringify({ sha256: digestOf(content), ...content });
}

describe('the text of a book of pins', () => {
  it('gives the same book', () => {
    expect(readPinBook(text)).toEqual({ book, generation: 7 });
    expect(readPinBook(writePinBook(new Map(), 0))).toEqual({ book: new Map(), generation: 0 });
    expect([text, changed].map((each) => readPinBook(redigest(each)))).toMatchObject([{ generation: 7 }, { generation: 8 }]);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a part', text.slice(0, text.length / 2)],
    ['another value', text.replace('hello', 'hallo')],
    ['another generation', text.replace('"generation":7', '"generation":8')],
    ['a tool less', text.replace(/"b":\{[^}]*\}\},?/, '')],
    ['another version', text.replace('"version":1', '"version":0')],
    ['no object', '[]'],
    ['another version that knows its digest', redigest(text.replace('"version":1', '"version":"2"'))],
    ['a generation that is no number', redigest(text.replace('"generation":7', '"generation":"7"'))],
    ['a server that has no name', redigest(text.replace('"entry":"one",', ''))],
    ['a server twice', redigest(text.replace(/"servers":\[(.*)\]\}/, '"servers":[$1,$1]}'))],
    ['a server at the place of another', redigest(text.replace('"identity":{"key":"npm:a"', '"identity":{"key":"npm:b"'))],
    ['a value that its pin is not of', redigest(text.replace('hello', 'hallo'))],
    ['a change that is not what its digest says', redigest(changed.replace('goodbye', 'good boy'))],
  ])('with %s is none', (_name, broken) => {
    expect(broken).not.toBe(text);
    expect(readPinBook(broken)).toBeUndefined();
  });

  it('of a newer devs is told from one that is damaged, whatever it holds', () => {
    const newer = text.replace('"version":1', '"version":2');
    for (const each of [newer, redigest(newer), '{"version":2}']) expect(readPinBook(each)).toBe('newer');
  });
});
