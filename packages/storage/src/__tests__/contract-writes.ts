import { describe, expect, it } from '@jest/globals';
import { isRecord, type AgentLogRecord } from '@devs/core';
import type { AgentLogs } from '../index.ts';
import { idsOf, type ContractSubject } from './contract-subject.ts';
import { entryOf } from './entry-of.ts';
import { callId, intentOf, recordOf } from './fixtures.ts';

/** `begin` and `append`: two parts of one call, each written once; and the end. */
export function describeWrites(subject: ContractSubject): void {
  describe('what is written', () => {
    it('shows a call that began and has no outcome as started', async () => {
      await subject.logs.begin(intentOf());
      const started = { status: 'started', isError: null, output: null, durationMs: null, code: null, detail: null };
      expect(await subject.logs.get(callId(1))).toEqual({ ...entryOf(recordOf()), ...started, sanitization: { truncated: false } });
    });

    it('shows every field of a call that began and ended, as one call', async () => {
      await subject.logs.begin(intentOf());
      const record = recordOf({
        status: 'withheld',
        isError: true,
        code: 'OUTPUT_WITHHELD',
        detail: 'why',
        parentCallId: callId(9),
        sanitization: { truncated: true },
        output: { content: [], isError: true, structuredContent: { a: [1] }, _meta: { b: 2 } },
      });
      await subject.logs.append(record);
      expect(await subject.logs.list({ limit: 10 })).toEqual([entryOf(record)]);
    });

    it('shows a refused call that never began', async () => {
      const record = recordOf({ status: 'denied', isError: true, code: 'UNKNOWN_TOOL', rule: '' });
      await subject.logs.append(record);
      expect(await subject.logs.get(callId(1))).toEqual(entryOf(record));
    });

    it.each<[string, string | undefined, Pick<AgentLogRecord, 'agentSource'>]>([
      ['as it was said: claimed', 'claimed', { agentSource: 'claimed' }],
      ['as it was said: clientInfo', 'clientInfo', { agentSource: 'clientInfo' }],
      ['not, where nobody has said it', undefined, {}],
      ['not, where it is none', 'proven', {}],
    ])('keeps where the name of the agent comes from %s', async (_, agentSource, kept) => {
      const said = { agentSource } as object;
      await subject.logs.begin(intentOf(said));
      const { agentSource: started, ...entry } = (await subject.logs.get(callId(1))) ?? {};
      await subject.logs.append(recordOf(said));
      expect([started, entry]).toMatchObject([kept.agentSource, { status: 'started' }]);
      expect(await subject.logs.list({ limit: 10 })).toEqual([entryOf(recordOf(kept))]);
    });

    it('keeps the input of the outcome where it differs from that of the start', async () => {
      await subject.logs.begin(intentOf({ input: { a: 1 } }));
      await subject.logs.append(recordOf({ input: { a: 2 } }));
      expect((await subject.logs.get(callId(1)))?.input).toEqual({ a: 2 });
    });

    it('is not changed by what the caller or the reader does to its objects afterwards', async () => {
      const input = { list: [1] };
      await subject.logs.append(recordOf({ input }));
      input.list.push(2);
      const first = await subject.logs.get(callId(1));
      const list = isRecord(first?.input) ? first.input['list'] : undefined;
      if (Array.isArray(list)) list.push(3);
      expect(list).toEqual([1, 3]);
      expect((await subject.logs.get(callId(1)))?.input).toEqual({ list: [1] });
    });
  });

  describe('each part of a call is written once', () => {
    it.each<[name: string, write: (target: AgentLogs) => Promise<unknown>]>([
      ['append after append', async (target) => await target.append(recordOf())],
      ['append of another outcome', async (target) => await target.append(recordOf({ status: 'denied' }))],
      ['begin after append', async (target) => await target.begin(intentOf())],
    ])('%s is refused and changes nothing', async (_name, write) => {
      await subject.logs.append(recordOf());
      await expect(write(subject.logs)).rejects.toMatchObject({ name: 'AgentLogError', failure: 'duplicate' });
      expect(await subject.logs.list({ limit: 10 })).toEqual([entryOf(recordOf())]);
    });

    it('begin after begin is refused, and the call may still end', async () => {
      await subject.logs.begin(intentOf());
      await expect(subject.logs.begin(intentOf({ toolName: 'other' }))).rejects.toMatchObject({ failure: 'duplicate' });
      await subject.logs.append(recordOf());
      await expect(subject.logs.append(recordOf())).rejects.toMatchObject({ failure: 'duplicate' });
      expect(await subject.logs.list({ limit: 10 })).toEqual([entryOf(recordOf())]);
    });

    it.each(['', 'short', 'with spaces in it', 'caf\u00E9-caf\u00E9', 'a'.repeat(129), 'line\nbreak-1'])(
      'the id %j is refused: nothing can be filed under it',
      async (id) => {
        await expect(subject.logs.begin(intentOf({ id }))).rejects.toMatchObject({ failure: 'invalid' });
        await expect(subject.logs.append(recordOf({ id }))).rejects.toMatchObject({ failure: 'invalid' });
        expect(await idsOf(subject)).toEqual([]);
      },
    );
  });

  describe('receipts', () => {
    it('say where the record stands, each another place, and the entry says the same', async () => {
      const first = await subject.logs.append(recordOf());
      await subject.logs.begin(intentOf({ id: callId(2) }));
      const second = await subject.logs.append(recordOf({ id: callId(2) }));
      expect(second?.seq).toBe((first?.seq ?? 0) + 2);
      expect(second?.leaf).not.toBe(first?.leaf);
      expect((await subject.logs.get(callId(1)))?.receipt).toEqual(first);
      expect((await subject.logs.get(callId(2)))?.receipt).toEqual(second);
    });
  });

  describe('a start that may wait', () => {
    it('is there with its outcome, at the latest', async () => {
      await subject.logs.begin(intentOf(), { mayWait: true });
      await subject.logs.append(recordOf());
      expect(await subject.logs.list({ limit: 10 })).toEqual([entryOf(recordOf())]);
      await expect(subject.logs.begin(intentOf())).rejects.toMatchObject({ failure: 'duplicate' });
    });
  });

  describe('close', () => {
    it('keeps what was asked before, refuses what comes after, and may be called again', async () => {
      const write = subject.logs.append(recordOf());
      await subject.logs.close();
      await write;
      await subject.logs.close();
      const failure = { failure: 'closed' };
      await expect(subject.logs.begin(intentOf())).rejects.toMatchObject(failure);
      await expect(subject.logs.append(recordOf())).rejects.toMatchObject(failure);
      await expect(subject.logs.list({ limit: 1 })).rejects.toMatchObject(failure);
      await expect(subject.logs.get(callId(1))).rejects.toMatchObject(failure);
    });
  });
}
