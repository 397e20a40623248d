import { describe, expect, it } from '@jest/globals';
import { describeBlock, type AgentLogRecord, type Json, type ToolResult } from '@devs/core';
import fc from 'fast-check';
import { STORED_JSON_CAP_BYTES } from '../index.ts';
import { storedInput, idsOf, type ContractSubject } from './contract-subject.ts';
import { callId, intentOf, recordOf } from './fixtures.ts';

const NOT_JSON: readonly (readonly [name: string, create: () => unknown, preview: string])[] = [
  ['undefined', () => undefined, '"[undefined]"'],
  ['a function', () => () => 1, '"[function]"'],
  ['a symbol', () => Symbol('x'), '"[symbol]"'],
  ['a bigint', () => ({ n: 12n }), '{"n":"[bigint 12]"}'],
  ['NaN', () => [Number.NaN, Number.NEGATIVE_INFINITY], '["[number NaN]","[number -Infinity]"]'],
  ['a member that JSON drops', () => ({ kept: 1, dropped: undefined }), '{"kept":1,"dropped":"[undefined]"}'],
  ['a cycle', createCycle, '{"self":"[circular]"}'],
  ['a toJSON that lies', () => ({ path: '/etc/passwd', toJSON: () => ({}) }), '{"path":"/etc/passwd","toJSON":"[function]"}'],
  ['a toJSON that hides', () => hideToJSON({ path: '/etc/passwd' }), '{"path":"/etc/passwd"}'],
  ['a list with a toJSON that hides', () => hideToJSON(['rm', '-rf']), '["rm","-rf"]'],
  ['a toJSON that throws', () => ({ toJSON: throws }), '{"toJSON":"[function]"}'],
  ['a getter that throws', () => Object.defineProperty({}, 'x', { get: throws, enumerable: true }), '{"x":"[accessor]"}'],
  ['a proxy that throws', () => new Proxy({}, { ownKeys: throws, getPrototypeOf: throws }), '"[unreadable]"'],
  ['a class instance', () => new Map([[1, 2]]), '{"[instance]":true}'],
  ['bytes', () => new Uint8Array(1_000_000), '"[binary, 1000000 bytes]"'],
];

const HOSTILE_STRINGS: readonly (readonly [name: string, text: string])[] = [
  ['a NUL', 'before\0after'],
  ['a lone surrogate', 'x\uD800y'],
  ['SQL', "'; DROP TABLE agent_log_records; --"],
  ['100,000 characters', 'x'.repeat(100_000)],
  ['newlines, ANSI, bidi', '\r\n\u001B[31m\u202Eevil'],
  ['a mark of ours', '{"devs/stored":{"form":"truncated"}}'],
];

function throws(): never {
  throw new Error('hostile');
}

/** `JSON.stringify` asks it, `Object.keys` does not show it. */
function hideToJSON(value: object): object {
  return Object.defineProperty(value, 'toJSON', { value: () => 'harmless', enumerable: false });
}

function createCycle(): unknown {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  return cycle;
}

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** What goes in comes out; what cannot be stored as it is leaves a mark, never a gap. */
export function describeValues(subject: ContractSubject): void {
  describe('values', () => {
    it('gives back any JSON as it came', async () => {
      let number = 0;
      const law = fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: 'binary' }), async (input, text) => {
        number += 1;
        const id = callId(number);
        const output: ToolResult = { content: [{ type: 'text', text }], structuredContent: toJson(input) };
        if (number % 2 === 0) await subject.logs.begin(intentOf({ id, input }));
        await subject.logs.append(recordOf({ id, input, output }));
        const entry = await subject.logs.get(id);
        expect(JSON.stringify(entry?.input)).toBe(JSON.stringify(input));
        expect(JSON.stringify(entry?.output)).toBe(JSON.stringify(output));
      });
      await fc.assert(law, { numRuns: 200 });
    });

    it('keeps what came beside what was made of it, and nothing where they are the same', async () => {
      const change = { input: { limit: 5 }, receivedInput: { limit: '5' } };
      await subject.logs.begin(intentOf(change));
      expect(await subject.logs.get(callId(1))).toMatchObject(change);
      await subject.logs.append(recordOf(change));
      expect(await subject.logs.get(callId(1))).toMatchObject({ ...change, status: 'ok' });
      await subject.logs.append(recordOf({ id: callId(2) }));
      expect(await subject.logs.get(callId(2))).toMatchObject({ receivedInput: null });
      const { receivedInput: _unknown, ...older } = recordOf({ id: callId(3) });
      await subject.logs.append(older as AgentLogRecord);
      expect(await subject.logs.get(callId(3))).toMatchObject({ receivedInput: null });
    });

    it('keeps what a client has answered, once a call, and nothing where it was asked nothing', async () => {
      const answered = { inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } } };
      await subject.logs.begin(intentOf(answered));
      expect(await subject.logs.get(callId(1))).toMatchObject(answered);
      await subject.logs.append(recordOf(answered));
      expect(await subject.logs.get(callId(1))).toMatchObject({ ...answered, status: 'ok' });
      await subject.logs.begin(intentOf({ id: callId(2), inputResponses: { name: 'once' } }));
      await subject.logs.append(recordOf({ id: callId(2), inputResponses: { name: 'another' } }));
      expect(await subject.logs.get(callId(2))).toMatchObject({ inputResponses: { name: 'another' } });
      await subject.logs.append(recordOf({ id: callId(3) }));
      expect(await subject.logs.get(callId(3))).not.toHaveProperty('inputResponses');
      await subject.logs.append(recordOf({ id: callId(4), inputResponses: { picture: 'x'.repeat(STORED_JSON_CAP_BYTES) } }));
      expect(await subject.logs.get(callId(4))).toMatchObject({ inputResponses: { 'devs/stored': { form: 'truncated' } } });
    });

    it('cuts what came at the cap too', async () => {
      await subject.logs.append(recordOf({ receivedInput: 'x'.repeat(STORED_JSON_CAP_BYTES) }));
      expect(await subject.logs.get(callId(1))).toMatchObject({ receivedInput: { 'devs/stored': { form: 'truncated' } }, input: { path: 'README.md' } });
    });

    it.each(HOSTILE_STRINGS)('gives back %s', async (_name, text) => {
      const output = { content: [{ type: 'text', text }] } as const;
      await subject.logs.append(recordOf({ input: { [text]: text }, output }));
      expect(await subject.logs.get(callId(1))).toMatchObject({ input: { [text]: text }, output });
    });

    it('gives back hostile text outside JSON too, and finds it', async () => {
      const toolName = "a\0b'; DROP TABLE agent_logs";
      await subject.logs.append(recordOf({ toolName, agentId: 'x\uD800', detail: '\uDC00' }));
      expect(await subject.logs.list({ limit: 1, toolName })).toMatchObject([{ toolName, agentId: 'x\uFFFD', detail: '\uFFFD' }]);
      expect(await idsOf(subject, { toolName: 'a' })).toEqual([]);
    });

    it('takes objects of another realm and without a prototype for what they are', async () => {
      const bare: unknown = Object.assign(Object.create(null), { a: structuredClone({ b: [1] }) });
      expect(await storedInput(subject, bare)).toEqual({ a: { b: [1] } });
    });

    it('gives back __proto__ as a plain member', async () => {
      const text = '{"__proto__":{"admin":true},"constructor":1}';
      expect(JSON.stringify(await storedInput(subject, JSON.parse(text)))).toBe(text);
    });

    it.each(NOT_JSON)('stores a description of %s', async (_name, createValue, preview) => {
      const mark = { form: 'described', capBytes: STORED_JSON_CAP_BYTES, originalBytes: Buffer.byteLength(preview) };
      expect(await storedInput(subject, createValue())).toEqual({ 'devs/stored': mark, preview });
    });

    it('stores what is too deep to be read back, described', async () => {
      expect(await storedInput(subject, nested(400))).toEqual(nested(400));
      for (const depth of [600, 100_000]) {
        expect(await storedInput(subject, nested(depth))).toMatchObject({ 'devs/stored': { form: 'described' } });
      }
    });

    it.each(['a', '\u20AC', '"', '\uD83D\uDE00'])('cuts an input of many %j at the cap, and says so', async (unit) => {
      const fits = unit.repeat(Math.floor((STORED_JSON_CAP_BYTES - 2) / Buffer.byteLength(JSON.stringify(unit).slice(1, -1))));
      expect(await storedInput(subject, fits)).toBe(fits);
      const text = JSON.stringify(fits + unit);
      const stored = (await storedInput(subject, fits + unit)) as { readonly preview: string };
      const mark = { form: 'truncated', capBytes: STORED_JSON_CAP_BYTES, originalBytes: Buffer.byteLength(text) };
      expect(stored).toMatchObject({ 'devs/stored': mark });
      expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(STORED_JSON_CAP_BYTES);
      expect(stored.preview.length).toBeGreaterThan(text.length / 4);
      expect(text.startsWith(stored.preview.replaceAll('\uFFFD', ''))).toBe(true);
    });

    it('cuts an answer at the cap into an answer', async () => {
      await subject.logs.append(recordOf({ output: { content: [{ type: 'text', text: 'x'.repeat(300_000) }] } }));
      const output = (await subject.logs.get(callId(1)))?.output;
      expect(output?._meta).toMatchObject({ 'devs/stored': { form: 'truncated', originalBytes: 300_039 } });
      expect(output?.content.map(describeBlock)[0]).toContain('xxx');
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 1.5, 2 ** 60, '7', undefined])(
      'stores the turn %p as -1, which no turn is',
      async (turnIndex) => {
        await subject.logs.begin(intentOf({ turnIndex: turnIndex as number }));
        expect(await subject.logs.get(callId(1))).toMatchObject({ turnIndex: -1 });
      },
    );

    it.each<[name: string, change: object]>([
      ['a channel', { channel: 10n }],
      ['a channel that throws', { channel: { toJSON: throws } }],
      ['a code', { code: Symbol('code') }],
      ['whether it failed', { isError: 1n }],
      ['a channel too deep for any JSON', { channel: nested(5_000) }],
    ])('%s that is none harms no other record', async (_name, change) => {
      const writes = [recordOf(), recordOf({ id: callId(2), ...change }), recordOf({ id: callId(3) })];
      await Promise.all(writes.map(async (record) => subject.logs.append(record)));
      expect(await subject.logs.list({ limit: 10 })).toHaveLength(3);
    });

    it.each([undefined, null, 5, 'fine', {}])('an outcome called %p is none, and harms no other record', async (status) => {
      const odd = subject.logs.append(recordOf({ id: callId(2), status: status as 'ok' }));
      const writes = await Promise.allSettled([subject.logs.append(recordOf()), odd]);
      expect(writes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { failure: 'invalid' } }]);
    });

    it('stores a duration that is none as -1, and text that is none as its type', async () => {
      const change = { durationMs: Number.NaN, agentId: 5n, taskId: undefined, detail: {} };
      await subject.logs.append(recordOf(change as object));
      expect(await subject.logs.get(callId(1))).toMatchObject({ durationMs: -1, agentId: '[bigint]', taskId: '[undefined]', detail: '[object]' });
    });
  });
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
