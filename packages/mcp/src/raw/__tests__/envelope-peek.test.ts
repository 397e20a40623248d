import { describe, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import fc from 'fast-check';
import { EnvelopePeeker } from '../envelope-peek.ts';
import { cutAt, jsonMessages } from './json-texts.ts';

function peekAt(pieces: readonly Buffer[]) {
  const peeker = new EnvelopePeeker();
  for (const piece of pieces) peeker.push(piece);
  return peeker;
}

const peek = (text: string) => peekAt([Buffer.from(text)]).peek;

/** What `JSON.parse` makes of the same text. */
function expected(text: string) {
  const message: unknown = JSON.parse(text);
  if (!isRecord(message)) return {};
  const { id, method, params } = message;
  const toolName = isRecord(params) ? params['name'] : undefined;
  return {
    ...((typeof id === 'string' || Number.isSafeInteger(id)) && { id }),
    ...(typeof method === 'string' && { method }),
    ...(typeof toolName === 'string' && { toolName }),
    ...((Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error')) && { isAnswer: true }),
  };
}

describe('a peek at the envelope of a message', () => {
  it.each([
    ['a call', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}', { id: 7, method: 'tools/call', toolName: 'x' }],
    ['a message that ends too early', '{"id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":"', { id: 7, method: 'tools/call', toolName: 'x' }],
    ['an escaped key and value', String.raw`{"\u0069d":"\u0041\"","method":"a\\b"}`, { id: 'A"', method: 'a\\b' }],
    ['an answer', '{"id":1,"result":{"id":2}}', { id: 1, isAnswer: true }],
    ['an error', '{"id":1,"error":{}}', { id: 1, isAnswer: true }],
    ['the same key twice', '{"id":1,"id":2,"method":"a","method":7}', { id: 2 }],
    ['parameters twice', '{"method":"tools/call","params":{"name":"x"},"params":{}}', { method: 'tools/call' }],
    ['a name further in', '{"params":{"arguments":{"name":"x"}}}', {}],
    ['a name in a list', '{"params":[{"name":"x"}]}', {}],
    ['an id in a batch', '[{"id":1,"method":"a"}]', {}],
    ['an id past 2^53', '{"id":9007199254740993}', {}],
    ['an id that is a fraction', '{"id":1.5}', {}],
    ['an id that is an object', '{"id":{"id":1}}', {}],
    ['no JSON', ']]}}:"id":,,1', {}],
    ['nothing', '', {}],
  ])('sees %s', (_name, text, seen) => {
    expect(peek(text)).toEqual(seen);
  });

  it('keeps no token that is longer than 1,024 bytes', () => {
    expect(peek(`{"id":"${'i'.repeat(1_024)}"}`)).toEqual({ id: 'i'.repeat(1_024) });
    expect(peek(`{"id":"${'i'.repeat(1_025)}","method":"${'m'.repeat(2_000)}","params":{"name":"x"}}`)).toEqual({ toolName: 'x' });
    expect(peek(`{"${'k'.repeat(2_000)}":1,"id":3}`)).toEqual({ id: 3 });
  });

  it('counts at least as many values as there are', () => {
    expect(peekAt([Buffer.from('[[],[],[]]')]).values).toBeGreaterThanOrEqual(4);
    expect(peekAt([Buffer.from('"[,[,[,"')]).values).toBe(1);
  });

  it('holds no more for a stream that closes levels it never opened', () => {
    const peeker = new EnvelopePeeker();
    const piece = Buffer.from(`${']"k":'.repeat(10_000)}`);
    for (let count = 0; count < 10; count += 1) peeker.push(piece);
    peeker.push(Buffer.from('{"id":4}'));
    // A level below the outermost would have a key of its own, and the object that follows would be too far out to be seen.
    expect(peeker.peek).toEqual({ id: 4 });
  });

  it('agrees with JSON.parse, wherever the text is cut', () => {
    fc.assert(
      fc.property(jsonMessages, fc.array(fc.nat()), (text, cuts) => {
        expect(peekAt(cutAt(Buffer.from(text), cuts)).peek).toEqual(expected(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
