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

interface Change {
  readonly from?: number;
  readonly upTo?: number;
  readonly key?: typeof key;
  readonly areShared?: boolean;
  /** Files in which the anchors lie. */
  readonly files?: readonly string[];
}

async function judge(log: LogBuilder, anchors: readonly string[], change: Change = {}) {
  using folder = createTempFolder();
  log.records.splice(change.upTo ?? log.records.length);
  log.toSqlite(folder.log, change.from);
  const { found } = readHeads(anchors.join('\n'));
  const heads = found.map((head, index) => ({ ...head, ...(change.files !== undefined && { file: change.files[index] ?? '' }) }));
  return await verified(folder.log, { heads, areHeadsShared: change.areShared ?? false, ...(change.key !== undefined && { key: change.key.publicKey }) });
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

describe('a receipt beside heads', () => {
  const log = build();
  const forged = (seq: number) => JSON.stringify({ seq, leaf: '0'.repeat(64) });

  it.each([
    ['of a record that is here', [forged(5)], 'unknown, anchor at no record'],
    ['of the record of the head', [forged(18)], 'unknown, anchor at no record'],
    ['of a record that is still to come', [forged(50)], 'unknown, anchor at no record'],
    ['that agrees', [receiptOf(log, 19)], 'intact'],
  ])('%s is not believed over them: nobody signed it', async (_name, receipts, expected) => {
    const report = await judge(build(), [...receipts, lineOf(log, 18), ...receipts], { key });
    const own = await judge(log, [...receipts, lineOf(log, 18), ...receipts], { key });
    expect([judgement(own), own.anchor]).toEqual([expected, expect.objectContaining({ seq: 18, kind: 'head', signature: 'pinned' })]);
    // And hides nothing that they show.
    expect(judgement(report)).toBe('tampered, anchor at 18');
  });

  it('hides no cut end, and lets no other log pass', async () => {
    const cut = build();
    expect(judgement(await judge(cut, [lineOf(cut, 20), forged(50), receiptOf(cut, 9)], { upTo: 15, key }))).toBe('tampered, cut at 16');
    const other = new LogBuilder('0a'.repeat(16)).calls(10, day(1));
    expect(judgement(await judge(other, [lineOf(log, 18), receiptOf(other, 21)], { key }))).toBe('tampered, anchor at no record');
  });

  it('is what the log is held against where no head can be', async () => {
    expect(judgement(await judge(log, [forged(5), lineOf(log, 18, otherKey)], { key }))).toBe('tampered, anchor at 5');
  });
});

describe('heads of several logs', () => {
  const other = new LogBuilder('0a'.repeat(16)).calls(30);

  it.each<[string, readonly string[], Change, string]>([
    ['of which none is of this one are no finding', [lineOf(other, 20)], {}, 'intact'],
    ['that a key signed which was lost are none either', [lineOf(other, 20, otherKey)], {}, 'intact'],
    ['leave it open where its own head is by a lost key', [lineOf(other, 20), lineOf(build(), 5, otherKey)], {}, 'unknown, anchor at no record'],
    ['leave it open where they do not hold', [lineOf(other, 20, otherKey)], { areShared: false }, 'unknown, anchor at no record'],
    ['and one by a lost key do not make it another log', [lineOf(other, 20), lineOf(build(), 5, otherKey)], { areShared: false }, 'unknown, anchor at no record'],
  ])('%s', async (_name, lines, change, expected) => {
    expect(judgement(await judge(build(), lines, { key, areShared: true, ...change }))).toBe(expected);
  });

  it.each([25, 3])('do not accuse one without a name: at record %d', async (seq) => {
    const nameless = new LogBuilder();
    nameless.records.pop();
    nameless.calls(10);
    expect(judgement(await judge(nameless, [lineOf(other, seq)], { key, areShared: true }))).toBe('intact');
    expect(judgement(await judge(nameless, [lineOf(other, seq)], { key }))).toMatch(/^tampered/);
  });

  it('are named by their files', async () => {
    const { problem } = await judge(build(), [lineOf(other, 20), lineOf(build(), 5, otherKey)], { key, areShared: true, files: ['one.json', 'other.json'] });
    expect(problem?.what).toContain('the head in other.json is signed by another key');
  });
});

describe('a branch that was given up', () => {
  /** 21 records, of which a backup had 11; then what the adopting session writes, and more. */
  function restored({ from, opened = true }: { from?: { seq: number; leaf: string } | null; opened?: boolean } = {}) {
    const old = build();
    const log = build();
    log.records.splice(0, 11, ...old.records.slice(0, 11));
    log.records.splice(11);
    if (opened) log.fact('audit.opened', day(2), { session: STORE, version: '0', mode: 'strict', durability: 'power' });
    const { seq } = log.last;
    log.fact('audit.adopted', day(2), { from: from === undefined ? { seq: 21, leaf: old.leafAt(21) } : from, at: { seq, leaf: log.leafAt(seq) } });
    return { old, log };
  }

  it.each([11, 12, 13, 14, 21])('excuses its head at record %d once a later one of the key covers that', async (seq) => {
    for (const more of [0, 2, 20]) {
      const { old, log } = restored();
      log.calls(more, day(2));
      const report = await judge(log, [lineOf(old, seq), lineOf(log, 13 + more)], { key });
      expect([judgement(report), report.adopted]).toEqual(['intact', [{ seq: 13, upTo: 21 }]]);
    }
  });

  it.each<[string, (made: ReturnType<typeof restored>) => readonly string[], Parameters<typeof restored>[0], Change, string]>([
    ['is one that no later head covers', ({ old }) => [lineOf(old, 17)], {}, { key }, 'tampered, anchor at 17'],
    ['is one that only a head before it covers', ({ old, log }) => [lineOf(old, 17), lineOf(log, 12)], {}, { key }, 'tampered, anchor at 17'],
    ['is covered by whom nobody named', ({ old, log }) => [lineOf(old, 17), lineOf(log, 33)], {}, {}, 'tampered, anchor at 17'],
    ['is covered by a receipt', ({ old, log }) => [receiptOf(old, 17), receiptOf(log, 33)], {}, { key }, 'tampered, anchor at 17'],
    ['ends before the head', ({ old, log }) => [lineOf(old, 17), lineOf(log, 33)], { from: { seq: 16, leaf: '0'.repeat(64) } }, { key }, 'tampered, anchor at 17'],
    ['ends with another record than the head', ({ old, log }) => [lineOf(old, 17), lineOf(log, 33)], { from: { seq: 17, leaf: '0'.repeat(64) } }, { key }, 'tampered, anchor at 17'],
    ['is not known', ({ old, log }) => [lineOf(old, 17), lineOf(log, 33)], { from: null }, { key }, 'tampered, anchor at 17'],
    ['begins after the head', ({ log }) => [toHeadLine(signHead({ store: STORE, seq: 9, leaf: '0'.repeat(64) }, { privateKey: key.privateKey, id: toKeyId(key.publicKey) }, new Date())), lineOf(log, 33)], {}, { key }, 'tampered, anchor at 9'],
  ])('excuses nothing where it %s', async (_name, lines, made, change, expected) => {
    const both = restored(made);
    both.log.calls(10, day(2));
    expect(judgement(await judge(both.log, lines(both), change))).toBe(expected);
  });

  it('excuses nothing where no record follows that says so', async () => {
    const { old, log } = restored();
    expect(judgement(await judge(log, [lineOf(old, 12)], { upTo: 12, key }))).toBe('tampered, anchor at 12');
    const { old: other, log: cut } = restored();
    expect(judgement(await judge(cut, [lineOf(other, 17)], { key }))).toBe('tampered, cut at 14');
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
