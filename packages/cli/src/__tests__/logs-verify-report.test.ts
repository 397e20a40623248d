import { describe, expect, it } from '@jest/globals';
import type { Anchoring, Problem, VerifyReport } from '@devs/storage';
import { describeReport } from '../commands/logs-verify-report.ts';

const place = (seq: number) => ({ seq, leaf: 'ab'.repeat(32), timestamp: '2026-01-02T03:04:05.678Z' });
const keyHead = (seq: number) => ({ seq, timestamp: '2026-01-02T03:04:06.000Z' });
const anchor = (seq: number, change: Partial<Anchoring> = {}): Anchoring => ({ seq, kind: 'head', timestamp: '2026-01-02T03:04:07.000Z', signature: 'pinned', ...change });
const bad = (seq: number | null, code: Problem['code'] = 'chain'): Partial<VerifyReport> => ({ verdict: 'tampered', problem: { seq, code, what: 'it was changed', verdict: 'tampered' }, problems: 1 });

const INTACT: VerifyReport = {
  verdict: 'intact',
  records: 30,
  first: place(1),
  last: place(30),
  problem: undefined,
  problems: 0,
  heads: { given: 0, checked: 0 },
  anchor: 'none',
  unanchored: 30,
  store: '5e'.repeat(16),
  erased: 0,
  ownHeads: 0,
  keyHead: null,
  adopted: [],
};

const KEY = 'the key of this machine';
const said = (change: Partial<VerifyReport>, context = { key: KEY as string | undefined, isDatabase: true }) => describeReport({ ...INTACT, ...change }, context).join('\n');

describe('what vouches for a log that was changed', () => {
  const NONE = 'Nothing vouches for the records before the first bad one either: all of them may have been rewritten';
  const OWN = `Up to record 18 a head in the log itself, signed by ${KEY}, vouches for the records`;
  const BETWEEN = '; those between it and the first bad one may have been rewritten';
  it.each<[string, Partial<VerifyReport>, string]>([
    ['nothing', bad(20), NONE],
    ['nothing, as the heads in it are of nobody who was asked', { ...bad(20), ownHeads: 4 }, NONE],
    ['a head in it', { ...bad(20), ownHeads: 4, keyHead: keyHead(18) }, OWN + BETWEEN],
    ['a head in it, to the record before', { ...bad(19), ownHeads: 4, keyHead: keyHead(18) }, OWN],
    ['a head in it that is newer than the one outside', { ...bad(20), keyHead: keyHead(18), anchor: anchor(12) }, OWN + BETWEEN],
    ['a head outside that is newer', { ...bad(28), keyHead: keyHead(18), anchor: anchor(25) }, `Up to record 25 they agree with the head${BETWEEN}`],
    ['a receipt, to the record before', { ...bad(20), anchor: anchor(19, { kind: 'receipt' }) }, 'Up to record 19 they agree with the receipt'],
    ['the chain, where it is a payload', bad(20, 'payload'), 'The chain holds through the first bad record, and nothing is wrong with those before it'],
  ])('%s', (_name, change, expected) => {
    expect(said(change)).toContain(`\nKeep the file and its copies as they are. ${expected}; nothing can be said of those after it.`);
  });

  it('is nothing that is said of single records, where it is another log', () => {
    expect(said({ ...bad(null), keyHead: keyHead(18) })).toMatch(/The log as a whole is not what it should be, so nothing can be said of single records\.$/);
  });
});

describe('what is said of an intact log', () => {
  it.each<[string, Partial<VerifyReport>, string | undefined, string]>([
    ['heads in it by the key', { ownHeads: 4, keyHead: keyHead(18) }, KEY, `heads in the log: 4 agree with it, the newest by ${KEY} at record 18, 2026-01-02T03:04:06.000Z`],
    ['one head in it, by another key', { ownHeads: 1 }, KEY, `heads in the log: 1 agrees with it, none of them signed by ${KEY}`],
    ['heads in it, and no key', { ownHeads: 2 }, undefined, 'heads in the log: 2 agree with it, signed by the key that each names itself'],
    ['what vouches without an anchor', { ownHeads: 4, keyHead: keyHead(18) }, KEY, ` Up to record 18 a head in the log itself, signed by ${KEY}, vouches for the records. Without an anchor this does not show a cut end, an older copy, another log of the same key, or that what is after record 18 was rewritten:`],
    ['what nothing vouches for', {}, KEY, ' Without an anchor this does not show a cut end, an older copy, or a log that was rewritten as a whole:'],
    ['an anchor by the key of this machine', { anchor: anchor(28), unanchored: 2 }, KEY, `signed by ${KEY}; 2 records after it have none`],
    ['an anchor by the key that was named', { anchor: anchor(29), unanchored: 1 }, 'the key that was asked for', 'signed by the key that was asked for; 1 record after it has none'],
    ['one erased payload', { erased: 1 }, KEY, 'erased: 1 payload, as a record says'],
    ['erased payloads', { erased: 2 }, KEY, 'erased: 2 payloads, as records say'],
    ['a log that was begun in the place of another', { adopted: [{ seq: 2, upTo: 9 }] }, KEY, 'adopted at record 2: the log that lay here before, signed up to record 9, was given up, and this one begun in its place'],
    ['a log that was begun, nobody knows after what', { adopted: [{ seq: 2, upTo: null }] }, KEY, 'adopted at record 2: the log that lay here before was given up, and this one begun in its place'],
    ['a backup', { adopted: [{ seq: 12, upTo: 19 }] }, KEY, 'adopted at record 12: records up to 19 of another branch, or of another log, were given up'],
    ['a key that was lost', { adopted: [{ seq: 12, upTo: 9 }] }, KEY, 'adopted at record 12: what devs remembered of it was given up'],
  ])('%s', (_name, change, key, expected) => {
    expect(said(change, { key, isDatabase: true })).toContain(expected);
  });

  it('is what was checked, and no database where there was none', () => {
    const checked = 'Checked: order, hashes, links, payloads, erasures, starts and outcomes of calls';
    const change = { anchor: anchor(30), unanchored: 0 };
    expect(said(change)).toMatch(new RegExp(`\n${checked}; and the tables and indexes of the database, its list of open calls, and its search index where there is one\\.$`));
    expect(said(change, { key: KEY, isDatabase: false })).toMatch(new RegExp(`\n${checked}\\.$`));
  });
});
