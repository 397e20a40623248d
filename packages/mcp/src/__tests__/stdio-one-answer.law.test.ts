import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutAt } from '../raw/__tests__/json-texts.ts';
import { call, INITIALIZE, MODERN, open } from './stdio-scene.ts';

/** One line, with the answers and the records that it must bring. */
interface Line {
  readonly text: string;
  /** Ids to be answered under; null for one that has none that can be used. */
  readonly answers: readonly (string | number | null)[];
  readonly calls: number;
}

type Id = string | number;
type Write = (id: Id) => Line;

const say = (message: object, answers: Line['answers'], calls = 0): Line => ({ text: JSON.stringify(message), answers, calls });
const replace = (line: Line, from: string, to: string): Line => ({ ...line, text: line.text.replace(from, to) });
const toCall = (id: Id, params: object = {}): Line => say(call(id, params), [id], 1);

const requests: readonly Write[] = [
  (id) => toCall(id),
  (id) => toCall(id, { name: 'none' }),
  (id) => toCall(id, { name: 5 }),
  (id) => toCall(id, { name: 'later' }),
  (id) => toCall(id, { arguments: null }),
  (id) => replace(toCall(id), '"hi"', '[[9007199254740993]]'),
  (id) => toCall(id, { arguments: { text: 'x'.repeat(3_000) } }),
  (id) => toCall(id, { _meta: MODERN }),
  (id) => toCall(id, { _meta: { ...MODERN, progressToken: {} } }),
  (id) => toCall(id, { _meta: { ...MODERN, 'io.modelcontextprotocol/clientInfo': {} } }),
  (id) => toCall(id, { _meta: { ...MODERN, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } }),
  (id) => toCall(id, { _meta: { 'io.modelcontextprotocol/related-task': 5 } }),
  (id) => toCall(id, { _meta: { 'devs/context': { agentId: '\n' } } }),
  (id) => replace(toCall(id), '"hi"', '{"__proto__":1}'),
  (id) => replace(toCall(id, { _meta: MODERN }), '"_meta":{', '"_meta":{"__proto__":1,'),
  (id) => replace(toCall(id), '"text"', `"n":[9007199254740993,${'9'.repeat(400)}],"text"`),
  (id) => replace(toCall(id), '"jsonrpc"', '"more":1,"jsonrpc"'),
  (id) => replace(toCall(id), '2.0', '1.0'),
  (id) => say({ jsonrpc: '2.0', id, method: 'tools/call', params: [] }, [id], 1),
  (id) => say({ jsonrpc: '2.0', id, method: 'tools/call' }, [id], 1),
  (id) => say({ jsonrpc: '2.0', id, method: 'tools/list' }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: MODERN } }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 'tools/list', params: { cursor: 'x'.repeat(3_000) } }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 'x'.repeat(3_000) }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 'ping' }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 'ping', params: { _meta: MODERN } }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 'none' }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: MODERN } }, [id]),
  (id) => say({ ...INITIALIZE, id }, [id]),
  (id) => say({ ...INITIALIZE, id, params: {} }, [id]),
  (id) => say({ ...INITIALIZE, id, params: { ...INITIALIZE.params, _meta: MODERN } }, [id]),
  (id) => say({ jsonrpc: '2.0', id, method: 5 }, [id]),
];

const others: readonly Line[] = [
  { text: '{"id":1,', answers: [null], calls: 0 },
  { text: '\u{fffd}', answers: [null], calls: 0 },
  { text: '', answers: [], calls: 0 },
  { text: '\r', answers: [], calls: 0 },
  { text: 'x'.repeat(3_000), answers: [null], calls: 0 },
  { text: '[]', answers: [null], calls: 0 },
  say(call(null), [null], 1),
  say({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo' } }, [null], 1),
  say([call('b1'), call('b2'), { jsonrpc: '2.0', method: 'none' }], ['b1', 'b2'], 2),
  say({ jsonrpc: '2.0', method: 'notifications/initialized' }, []),
  say({ jsonrpc: '2.0', method: 'notifications/none', params: { _meta: MODERN } }, []),
  say({ jsonrpc: '2.0', id: 1, result: {} }, []),
  say({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(3_000) } }, []),
  say({ jsonrpc: '2.0', id: 1, result: 5 }, []),
];

const lines = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...requests) }, { weight: 1, arbitrary: fc.constantFrom(...others) }), { minLength: 1, maxLength: 25 })
  .map((each) => each.map((write, index) => (typeof write === 'function' ? write(index % 2 === 0 ? index : `id ${index}`) : write)));

const opened = fc.tuple(fc.constantFrom<readonly Line[]>([], [say(INITIALIZE, ['handshake'])], [toCall('first', { _meta: MODERN })]), lines).map((each) => each.flat());

const toText = (id: unknown) => JSON.stringify(id);

describe('the law of one answer', () => {
  it('holds for any lines in any pieces: each request is answered once, each call is in the log once', async () => {
    await fc.assert(
      fc.asyncProperty(opened, fc.array(fc.nat(), { maxLength: 10 }), async (each, cuts) => {
        const session = open({ maxMessageBytes: 2_000, graceMs: 60_000 });
        const bytes = Buffer.from(each.map(({ text }) => `${text}\n`).join(''));
        for (const piece of cutAt(bytes, cuts)) session.input.write(piece);
        const answers = await session.end();
        expect(answers.map(({ id }) => toText(id)).toSorted()).toEqual(each.flatMap((line) => line.answers.map(toText)).toSorted());
        expect(session.records).toHaveLength(each.reduce((count, { calls }) => count + calls, 0));
      }),
      { numRuns: 300 },
    );
  });

  it('holds for ids that come again: no answer is lost, and none is under the id of a request that was answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(1, '1', 2), { maxLength: 20 }), async (ids) => {
        const session = open({ graceMs: 60_000 });
        const answers = await session.end(INITIALIZE, ...ids.map((id) => call(id, { name: 'later' })));
        expect(answers).toHaveLength(ids.length + 1);
        expect(session.records).toHaveLength(ids.length);
        const distinct = new Set(ids);
        for (const id of distinct) expect(session.under(id)).toHaveLength(1);
        expect(session.under(null)).toHaveLength(ids.length - distinct.size);
      }),
      { numRuns: 50 },
    );
  });
});
