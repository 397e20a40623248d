import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { toKeyId } from '../../heads/public-key.ts';
import { readHeads } from '../../heads/read-heads.ts';
import { signHead, toHeadLine, type Head, type SignedHead } from '../../heads/signed-head.ts';
import { day, LogBuilder, STORE } from './log-builder.ts';
import { judgement, verified } from './verified.ts';

const [key, otherKey] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];

function headOf(log: LogBuilder, seq: number, { privateKey, publicKey } = key): SignedHead {
  return signHead({ store: log.store, seq, leaf: log.leafAt(seq) }, { privateKey, id: toKeyId(publicKey) }, new Date(day(1)));
}

const lineOf = (log: LogBuilder, seq: number, by = key) => toHeadLine(headOf(log, seq, by));
const receiptOf = (log: LogBuilder, seq: number) => JSON.stringify({ seq, leaf: log.leafAt(seq) });

/** Records 1 to 21. */
const build = () => new LogBuilder().calls(10, day(1));

async function judge(log: LogBuilder, anchors: readonly string[], change: { from?: number; upTo?: number; key?: typeof key } = {}) {
  using folder = createTempFolder();
  log.records.splice(change.upTo ?? log.records.length);
  log.toSqlite(folder.log, change.from);
  const { found } = readHeads(anchors.join('\n'));
  return await verified(folder.log, { heads: found, ...(change.key !== undefined && { key: change.key.publicKey }) });
}

describe('a log that was kept hold of', () => {
  it('is anchored where the newest head or receipt is that agrees', async () => {
    const log = build();
    const report = await judge(log, [lineOf(log, 15), receiptOf(log, 12)], { key });
    expect(report).toMatchObject({ verdict: 'intact', heads: { given: 2, checked: 2 }, unanchored: 6 });
    expect(report.anchor).toEqual({ seq: 15, kind: 'head', timestamp: day(1), signature: 'pinned' });
  });

  it('is anchored by a receipt alone, which nobody signed', async () => {
    const log = build();
    const { anchor } = await judge(log, [receiptOf(log, 21)]);
    expect(anchor).toEqual({ seq: 21, kind: 'receipt', timestamp: null, signature: 'none' });
  });

  it('says so where the key is only the one that the head names', async () => {
    const log = build();
    expect((await judge(log, [lineOf(log, 21)])).anchor).toMatchObject({ signature: 'own' });
  });

  it('takes heads out of a system log, and leaves those of other logs alone', async () => {
    const log = build();
    const other = new LogBuilder('0a'.repeat(16)).calls(30);
    const lines = [`Jan 01 12:00:00 host devs[7]: devs-head ${lineOf(log, 20)}`, `Jan 01 12:00:01 host devs[8]: devs-head ${lineOf(other, 3)}`];
    expect(judgement(await judge(log, lines, { key }))).toBe('intact');
  });

  it('takes a head of the last record that was pruned', async () => {
    const log = build().prune(day(2), 11);
    expect(await judge(log, [lineOf(log, 11)], { from: 12, key })).toMatchObject({ verdict: 'intact', anchor: { seq: 11 } });
  });
});

describe('against a head', () => {
  const log = build();
  const forged = new LogBuilder().calls(10, day(1));
  const other = new LogBuilder('0a'.repeat(16)).calls(10, day(1));
  it.each<[string, LogBuilder, readonly string[], Parameters<typeof judge>[2], string]>([
    ['a log written anew', forged, [lineOf(log, 15)], {}, 'tampered, anchor at 15'],
    ['a log written anew, by a receipt', forged, [receiptOf(log, 15)], {}, 'tampered, anchor at 15'],
    ['another log', other, [lineOf(log, 15)], {}, 'tampered, anchor at no record'],
    ['nothing', new LogBuilder(), [lineOf(log, 15)], { upTo: 0 }, 'tampered, cut at 1'],
  ])('%s is found', async (_name, subject, anchors, change, expected) => {
    expect(judgement(await judge(subject, anchors, change))).toBe(expected);
  });

  it('a cut end or an older copy is found', async () => {
    const cut = build();
    const head = lineOf(cut, 21);
    const report = await judge(cut, [head], { upTo: 15, key });
    expect(judgement(report)).toBe('tampered, cut at 16');
    expect(report.problem?.what).toContain('its end was cut off, or this is an older copy');
  });

  it('is not found without one, and nothing more is claimed', async () => {
    const cut = build();
    expect(await judge(cut, [], { upTo: 15 })).toMatchObject({ verdict: 'intact', anchor: 'none', unanchored: 15 });
  });

  it('the lowest record is named where several do not agree', async () => {
    expect(judgement(await judge(build(), [lineOf(log, 21), lineOf(log, 9), receiptOf(log, 12)]))).toBe('tampered, anchor at 9');
  });
});

describe('a head that cannot be believed', () => {
  const log = build();
  const { head, signature } = headOf(log, 21);
  it.each([
    ['is by another key', lineOf(log, 21, otherKey)],
    ['was changed', toHeadLine({ head: head.replace('"seq":21', '"seq":20'), signature })],
    ['has the key of another', toHeadLine({ head: headOf(log, 21, otherKey).head, signature })],
  ])('because it %s leaves the verdict open', async (_name, line) => {
    expect(judgement(await judge(build(), [line], { key }))).toBe('unknown, anchor at no record');
  });

  it('does not make an honest log a tampered one', async () => {
    const forged = new LogBuilder().calls(10, day(1));
    expect(judgement(await judge(log, [lineOf(forged, 21, otherKey), lineOf(log, 21)], { key }))).toBe('intact');
  });

  it('because all before the first record is gone leaves the verdict open', async () => {
    const pruned = build().prune(day(2), 11);
    expect(judgement(await judge(pruned, [lineOf(pruned, 5)], { from: 12, key }))).toBe('unknown, anchor at no record');
  });
});

describe('a head in the log itself', () => {
  it('is held against the chain, and its signature against the key', async () => {
    const log = build();
    const [good, bad] = [headOf(log, 21), headOf(log, 20)];
    log.fact('audit.head', day(1), { ...good });
    expect(await judge(log, [], { key })).toMatchObject({ verdict: 'intact', ownHeads: 1 });
    log.fact('audit.head', day(1), { head: bad.head, signature: good.signature });
    expect(judgement(await judge(log, [], { key }))).toBe('tampered, fact at 23');
  });

  it.each<[string, Partial<Head>]>([
    ['of another log', { store: '00'.repeat(16) }],
    ['of a record that is still to come', { seq: 23 }],
  ])('%s is found', async (_name, change) => {
    const log = build();
    const { head, signature } = headOf(log, 21);
    log.fact('audit.head', day(1), { head: JSON.stringify({ ...(JSON.parse(head) as Head), ...change }), signature });
    log.calls(2);
    const report = await judge(log, []);
    expect([judgement(report), report.problem?.what]).toEqual(['tampered, fact at 22', expect.stringContaining('record 22 holds a head')]);
  });

  it('finds a log that was written anew and kept it', async () => {
    const head = headOf(build(), 15);
    const forged = build();
    forged.fact('audit.head', day(1), { ...head });
    const report = await judge(forged, []);
    expect(judgement(report)).toBe('tampered, fact at 15');
    expect(report.store).toBe(STORE);
  });
});
