import { beforeEach, describe, expect, it } from '@jest/globals';
import { idsOf, type ContractSubject } from './contract-subject.ts';
import { callId, intentOf, recordOf } from './fixtures.ts';

/** `list` and `get`. */
export function describeReads(subject: ContractSubject): void {
  describe('list', () => {
    it('gives the newest first, and no more than asked', async () => {
      for (const number of [1, 2, 3]) await subject.logs.append(recordOf({ id: callId(number) }));
      expect(await idsOf(subject)).toEqual([callId(3), callId(2), callId(1)]);
      expect(await idsOf(subject, { limit: 2 })).toEqual([callId(3), callId(2)]);
    });

    it('counts a call as new as its latest record', async () => {
      await subject.logs.begin(intentOf({ id: callId(1) }));
      await subject.logs.begin(intentOf({ id: callId(2) }));
      await subject.logs.append(recordOf({ id: callId(1) }));
      expect(await idsOf(subject)).toEqual([callId(1), callId(2)]);
    });

    it('filters by tool, agent and status, alone and together', async () => {
      await subject.logs.append(recordOf({ id: callId(1), toolName: 'a', agentId: 'x', status: 'ok' }));
      await subject.logs.append(recordOf({ id: callId(2), toolName: 'a', agentId: 'y', status: 'denied' }));
      await subject.logs.append(recordOf({ id: callId(3), toolName: 'b', agentId: 'x', status: 'denied' }));
      await subject.logs.begin(intentOf({ id: callId(4), toolName: 'b', agentId: 'y' }));
      await subject.logs.begin(intentOf({ id: callId(5), toolName: 'b', agentId: 'y' }));
      await subject.logs.append(recordOf({ id: callId(5), toolName: 'b', agentId: 'y', status: 'error' }));
      expect(await idsOf(subject, { toolName: 'a' })).toEqual([callId(2), callId(1)]);
      expect(await idsOf(subject, { agentId: 'x' })).toEqual([callId(3), callId(1)]);
      expect(await idsOf(subject, { status: 'denied' })).toEqual([callId(3), callId(2)]);
      expect(await idsOf(subject, { status: 'started' })).toEqual([callId(4)]);
      expect(await idsOf(subject, { status: 'error' })).toEqual([callId(5)]);
      expect(await idsOf(subject, { toolName: 'a', agentId: 'y', status: 'denied' })).toEqual([callId(2)]);
      expect(await idsOf(subject, { toolName: '' })).toEqual([]);
    });

    it('filters by phase, epic and time', async () => {
      const at = (minute: number) => `2026-01-02T03:${String(minute).padStart(2, '0')}:00.000Z`;
      await subject.logs.append(recordOf({ id: callId(1), phaseId: 'p', epicId: 'e', timestamp: at(1) }));
      await subject.logs.append(recordOf({ id: callId(2), phaseId: 'q', epicId: 'e', timestamp: at(2) }));
      await subject.logs.append(recordOf({ id: callId(3), phaseId: 'p', epicId: 'f', timestamp: at(3) }));
      await subject.logs.begin(intentOf({ id: callId(4), phaseId: 'p', epicId: 'e', timestamp: at(4) }));
      expect(await idsOf(subject, { phaseId: 'p' })).toEqual([callId(4), callId(3), callId(1)]);
      expect(await idsOf(subject, { epicId: 'e', phaseId: 'p' })).toEqual([callId(4), callId(1)]);
      expect(await idsOf(subject, { since: at(2) })).toEqual([callId(4), callId(3), callId(2)]);
      expect(await idsOf(subject, { until: at(2) })).toEqual([callId(1)]);
      expect(await idsOf(subject, { since: at(2), until: at(4), phaseId: 'p' })).toEqual([callId(3)]);
      expect(await idsOf(subject, { since: at(5) })).toEqual([]);
    });

    it('gives the next page before the last record of the one before', async () => {
      for (const number of [1, 2, 3, 4, 5]) await subject.logs.append(recordOf({ id: callId(number) }));
      await subject.logs.begin(intentOf({ id: callId(6) }));
      const pages: string[][] = [];
      let before: number | undefined;
      for (;;) {
        const page = await subject.logs.list({ limit: 2, ...(before !== undefined && { before }) });
        if (page.length === 0) break;
        pages.push(page.map(({ id }) => id));
        before = page.at(-1)?.receipt.seq;
      }
      expect(pages).toEqual([[callId(6), callId(5)], [callId(4), callId(3)], [callId(2), callId(1)]]);
    });

    it.each(['2026-01-02', 'yesterday', '2026-01-02T03:04:05Z', ''])('refuses the time %j: it would sort wrongly', async (since) => {
      await expect(subject.logs.list({ limit: 1, since })).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
      await expect(subject.logs.list({ limit: 1, until: since })).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
    });

    it('refuses to begin a page before what is no place', async () => {
      await expect(subject.logs.list({ limit: 1, before: 1.5 })).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
    });

    it.each([0, -1, 1_001, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the limit %p', async (limit) => {
      await expect(subject.logs.list({ limit })).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
    });

    it('refuses a status that there is not', async () => {
      const query = { limit: 1, status: 'okay' as 'ok' };
      await expect(subject.logs.list(query)).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
    });
  });

  describe('get', () => {
    const ids = ['12345678-aaaa', '12345678-bbbb', '12345678-bbbb-more', 'ABCDEFGH-1111'];
    beforeEach(async () => {
      for (const id of ids) await subject.logs.append(recordOf({ id }));
    });

    it.each([
      ['the whole id', '12345678-aaaa', '12345678-aaaa'],
      ['a prefix of one', '12345678-a', '12345678-aaaa'],
      ['8 characters', 'ABCDEFGH', 'ABCDEFGH-1111'],
      ['an id that others start with', '12345678-bbbb', '12345678-bbbb'],
      ['other letter case', 'abcdefgh', undefined],
      ['LIKE wildcards', '________-aaaa', undefined],
      ['a LIKE wildcard at the end', '12345678-a%', undefined],
      ['GLOB wildcards', '12345678-a*', undefined],
      ['none', '00000000', undefined],
      ['beyond ASCII', '12345678-\u{10FFFF}', undefined],
    ])('%s', async (_name, id, found) => {
      expect((await subject.logs.get(id))?.id).toBe(found);
    });

    it('refuses a prefix that several calls have', async () => {
      await expect(subject.logs.get('12345678-')).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED', sentence: expect.stringContaining('Several') });
    });

    it.each(['', '1234567', '%'])('refuses %j: too short to mean one call', async (id) => {
      await expect(subject.logs.get(id)).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED', sentence: expect.stringContaining('8') });
    });
  });
}
