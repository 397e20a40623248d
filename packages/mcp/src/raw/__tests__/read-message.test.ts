import { describe, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { readMessage, type Reading } from '../read-message.ts';
import { toSubstitute } from '../substitute.ts';
import { jsonMessages } from './json-texts.ts';

const read = (text: string | Buffer) => readMessage(Buffer.from(text));
const request = (rest: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/list"${rest}}`;
const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
const deep = (levels: number) => call(`{"arguments":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}`);

/** Bytes that no encoder writes: a byte that stands alone, put in the place of every `?`. */
const broken = (text: string) => Buffer.from(text.replaceAll('?', '\u{ff}'), 'latin1');

describe('reading a message', () => {
  it.each([
    ['a request', request(''), { kind: 'request', request: { id: 1, method: 'tools/list' }, flaw: undefined }],
    ['a request whose id is text', '{"jsonrpc":"2.0","id":"","method":"a"}', { kind: 'request', request: { id: '' } }],
    ['a request of the longest id', `{"jsonrpc":"2.0","id":"${'i'.repeat(1_024)}","method":"a"}`, { kind: 'request' }],
    ['a notification', '{"jsonrpc":"2.0","method":"a"}', { kind: 'notification', method: 'a' }],
    ['a result', '{"jsonrpc":"2.0","id":1,"result":{}}', { kind: 'response' }],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}}', { kind: 'response' }],
    ['a key twice: the second counts', request(',"method":"ping","id":7'), { kind: 'request', request: { id: 7, method: 'ping' } }],
    ['128 levels', deep(128), { kind: 'request', flaw: undefined }],
  ])('takes %s', (_name, text, reading) => {
    expect(read(text)).toMatchObject(reading);
  });

  it.each([
    ['a request', request(',"more":1,"params":{"cursor":"a"}'), { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'a' } }],
    ['a notification', '{"jsonrpc":"2.0","method":"a","more":1}', { jsonrpc: '2.0', method: 'a' }],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{"a":1},"more":1}', { jsonrpc: '2.0', id: 1, result: { a: 1 } }],
  ])('hands on what JSON-RPC knows of %s, and no more: the SDK drops the rest with the message', (_name, text, value) => {
    expect(read(text)).toMatchObject({ value });
    expect(read(text)).not.toHaveProperty('value.more');
  });

  it.each([
    ['no JSON', '{"id":1', { code: -32700 }, null],
    ['nothing but space', '  ', { code: -32700 }, null],
    ['a byte order mark', '\u{feff}{}', { code: -32700 }, null],
    ['invalid UTF-8', broken('{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":"?"}}'), { code: -32700 }, 1],
    ['text', '"a"', { code: -32600 }, null],
    ['null', 'null', { code: -32600 }, null],
    ['a number', '1', { code: -32600 }, null],
    ['an empty object', '{}', { code: -32600 }, null],
    ['an empty batch', '[]', { code: -32600 }, null],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"a"}', { code: -32600 }, 1],
    ['no version of JSON-RPC', '{"id":1,"method":"a"}', { code: -32600 }, 1],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":5}', { code: -32600 }, 1],
    ['a request that is an answer too', request(',"result":{}'), { code: -32600 }, 1],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"a"}', { code: -32600 }, null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"a"}', { code: -32600 }, null],
    ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"a"}', { code: -32600 }, null],
    ['an id past 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}', { code: -32600 }, null],
    ['an id past the range', '{"jsonrpc":"2.0","id":1e999,"method":"a"}', { code: -32600 }, null],
    ['an id that is too long', `{"jsonrpc":"2.0","id":"${'i'.repeat(1_025)}","method":"a"}`, { code: -32600 }, null],
    ['a prototype', request(',"__proto__":{}'), { code: -32600, message: '"/__proto__" is a key that reaches an object’s prototype.' }, 1],
    ['a prototype in the parameters', request(',"params":{"a/~":[{"__proto__":1}]}'), { code: -32602, message: expect.stringContaining('"/params/a~1~0/0/__proto__"') }, 1],
    ['parameters in a list', request(',"params":[1]'), { code: -32602 }, 1],
    ['parameters that are null', request(',"params":null'), { code: -32602 }, 1],
    ['a _meta that is a list', request(',"params":{"_meta":[]}'), { code: -32602 }, 1],
    ['a progress token that is an object', request(',"params":{"_meta":{"progressToken":{}}}'), { code: -32602 }, 1],
    ['a progress token that is too long', request(`,"params":{"_meta":{"progressToken":"${'t'.repeat(1_025)}"}}`), { code: -32602 }, 1],
    ['a related task that is a number', request(',"params":{"_meta":{"io.modelcontextprotocol/related-task":5}}'), { code: -32602 }, 1],
    ['a notification with a prototype', '{"jsonrpc":"2.0","method":"a","params":{"__proto__":1}}', { code: -32602 }, null],
  ])('objects to %s', (_name, text, objection, id) => {
    expect(readMessage(Buffer.from(text))).toMatchObject({ kind: 'unreadable', objection, id, calls: [], isAnswered: true });
  });

  it.each([
    ['no id', '{"jsonrpc":"2.0","result":{}}'],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"result":{}}'],
    ['a prototype', '{"jsonrpc":"2.0","id":1,"result":{"__proto__":{}}}'],
    ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"a"}}'],
    ['a result that is a number', '{"jsonrpc":"2.0","id":1,"result":5}'],
    ['an error without a code', '{"jsonrpc":"2.0","id":1,"error":{}}'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"result":{}}'],
    ['invalid UTF-8', broken('{"jsonrpc":"2.0","id":1,"result":{"a":"?"}}')],
  ])('answers no answer: %s', (_name, text) => {
    expect(readMessage(Buffer.from(text))).toMatchObject({ kind: 'unreadable', isAnswered: false });
  });

  it.each([
    ['a prototype', '{"name":"x","arguments":{"__proto__":1}}', ['params', 'arguments', '__proto__']],
    ['parameters in a list', '["x"]', ['params']],
    ['a _meta that is text', '{"name":"x","_meta":"a"}', ['params', '_meta']],
    ['a related task that is a number', '{"_meta":{"io.modelcontextprotocol/related-task":5}}', ['params', '_meta']],
    ['a number past 2^53', '{"name":"x","arguments":{"a":9007199254740993}}', ['params', 'arguments']],
    ['a number past the range, after another', `{"name":"x","arguments":[9007199254740993,${'9'.repeat(400)}]}`, ['params', 'arguments']],
  ])('takes a call with %s for a request, and says what is wrong with it', (_name, params, path) => {
    expect(read(call(params))).toMatchObject({ kind: 'request', request: { id: 1, method: 'tools/call' }, flaw: { path } });
  });

  it('looks 128 levels deep', () => {
    expect(read(deep(129))).toMatchObject({ kind: 'request', flaw: { problem: 'is nested deeper than 128 levels' } });
    expect(read(deep(400_000))).toMatchObject({ kind: 'request', flaw: { problem: 'is nested deeper than 128 levels' } });
    expect(read('['.repeat(500_000) + ']'.repeat(500_000))).toMatchObject({ kind: 'unreadable' });
  });

  it.each([
    ['without an id', '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}'],
    ['with an id that is null', '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"x"}}'],
    ['of another version of JSON-RPC', '{"id":1,"method":"tools/call","params":{"name":"x"}}'],
    ['that is an answer too', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"},"result":{}}'],
  ])('tells which call it turns away: %s', (_name, text) => {
    expect(read(text)).toMatchObject({ kind: 'unreadable', calls: [{ name: 'x' }] });
  });

  it('says in one row how many calls more a batch held', () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } };
    const reading = read(JSON.stringify([...Array.from({ length: 150 }, () => call), { method: 'ping' }]));
    const calls = 'calls' in reading ? reading.calls : [];
    expect(calls).toHaveLength(101);
    expect(calls.at(-1)).toEqual({ name: '50 more calls of a batch' });
  });

  it('tells the calls and the ids of a batch, so many as are kept', () => {
    const entry = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `x${id}` } });
    const batch = [entry(1), 5, null, [], { method: 'a' }, { id: 2, method: 'a' }, { id: 3, result: {} }];
    expect(read(JSON.stringify(batch))).toMatchObject({ id: 1, others: [2], calls: [{ name: 'x1' }] });
    const long = read(JSON.stringify(Array.from({ length: 1_000 }, (_, id) => entry(id))));
    expect(long).toMatchObject({ calls: { length: 101 }, others: { length: 99 } });
  });
});

/** What is handed on is a message to the SDK too, or nobody would answer it. */
function expectKnownToSdk(reading: Reading): void {
  if (reading.kind === 'request') {
    const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    expect(isJSONRPCRequest(reading.flaw === undefined ? reading.value : toSubstitute(reading.request, envelope))).toBe(true);
  }
  if (reading.kind === 'notification') expect(isJSONRPCNotification(reading.value)).toBe(true);
  if (reading.kind === 'response') expect(isJSONRPCResponse(reading.value)).toBe(true);
}

const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(2 ** 60 + 2 ** 10, 1.5, '', 'tools/call', 'ping', '2.0'));
const shaped = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, anything),
    id: fc.oneof(fc.integer(), fc.string(), anything),
    method: fc.oneof(fc.constantFrom('tools/call', 'tools/list', 'notifications/a'), anything),
    params: fc.oneof(
      fc.record(
        { name: anything, arguments: anything, _meta: fc.oneof(fc.dictionary(fc.constantFrom('progressToken', 'io.modelcontextprotocol/related-task', 'a'), anything), anything) },
        { requiredKeys: [] },
      ),
      anything,
    ),
    result: anything,
    error: fc.oneof(fc.record({ code: anything, message: anything }), anything),
    more: anything,
  },
  { requiredKeys: ['jsonrpc'] },
);

describe('reading any message', () => {
  it.each([
    ['bytes', fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))],
    ['JSON', jsonMessages.map((text) => Buffer.from(text))],
    ['nearly JSON', fc.tuple(jsonMessages, fc.nat(), fc.nat({ max: 255 })).map(([text, at, byte]) => {
      const bytes = Buffer.from(text);
      bytes[at % Math.max(1, bytes.length)] = byte;
      return bytes;
    })],
    ['nearly messages', shaped.map((message) => Buffer.from(JSON.stringify(message)))],
  ])('never throws, and hands on only what the SDK knows: %s', (_name, bytes) => {
    fc.assert(fc.property(bytes, (each) => expectKnownToSdk(readMessage(each))), { numRuns: 3_000 });
  });

  it('tells of every call that it does not hand on', () => {
    fc.assert(
      fc.property(shaped, (message) => {
        const reading = readMessage(Buffer.from(JSON.stringify(message)));
        if (message.method !== 'tools/call') return;
        if (reading.kind === 'unreadable') expect(reading.calls).toEqual([isRecord(JSON.parse(JSON.stringify(message))) ? JSON.parse(JSON.stringify(message)).params : undefined]);
        else expect(reading.kind).toBe('request');
      }),
      { numRuns: 2_000 },
    );
  });
});
