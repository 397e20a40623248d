import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { toKeyId } from '../../heads/public-key.ts';
import { readHeads } from '../../heads/read-heads.ts';
import { signHead, toHeadLine, type SignedHead } from '../../heads/signed-head.ts';
import type { VerifyReport } from '../report.ts';
import type { VerifyOptions } from '../verify-log.ts';
import { day, LogBuilder } from './log-builder.ts';
import { judgement, verified } from './verified.ts';

const [key, otherKey] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];

function headOf(log: LogBuilder, seq: number, { privateKey, publicKey } = key): SignedHead {
  return signHead({ store: log.store, seq, leaf: log.leafAt(seq) }, { privateKey, id: toKeyId(publicKey) }, new Date(day(seq)));
}

/** 21 records, then heads of the records that are named, by the key or the other one, then a call. */
function build(heads: readonly (readonly [seq: number, by: typeof key])[]): LogBuilder {
  const log = new LogBuilder().calls(10, day(1));
  for (const [seq, by] of heads) log.fact('audit.head', day(1), { ...headOf(log, seq, by) });
  return log.calls(1, day(1));
}

async function judge(log: LogBuilder, options: VerifyOptions, lines: readonly string[] = log.lines()): Promise<VerifyReport> {
  using folder = createTempFolder();
  return await verified(log.toExport(`${folder.path}/log.jsonl`, lines), options);
}

const pinned = { key: key.publicKey };
const expected = { ...pinned, isKeyExpected: true };

describe('the newest head in the log that the key signed', () => {
  it.each<[string, Parameters<typeof build>[0], VerifyOptions, number | null, number]>([
    ['is the one of the highest record', [[9, key], [20, key], [15, key]], pinned, 20, 3],
    ['is none that another key signed', [[9, key], [20, otherKey]], pinned, 9, 2],
    ['is none where only another key signed', [[20, otherKey]], pinned, null, 1],
    ['is none where no key is given: each names its own', [[20, key]], {}, null, 1],
    ['is none where there is no head', [], pinned, null, 0],
  ])('%s', async (_name, heads, options, seq, ownHeads) => {
    const { keyHead, ...report } = await judge(build(heads), options);
    expect([judgement({ keyHead, ...report }), keyHead, report.ownHeads]).toEqual(['intact', seq === null ? null : { seq, timestamp: day(seq) }, ownHeads]);
  });

  it('counts up to where the log was changed, and not behind that', async () => {
    const log = build([[9, key], [20, key]]);
    const changed = log.lines().with(22, (log.lines()[22] ?? '').replace('audit.head', 'audit.haed'));
    const report = await judge(log, pinned, changed);
    expect([judgement(report), report.keyHead?.seq]).toEqual(['tampered, chain at 23', 9]);
  });

  it('is none that the records before it do not agree with', async () => {
    const log = new LogBuilder().calls(10, day(1));
    log.fact('audit.head', day(1), { ...headOf(new LogBuilder().calls(10, day(1)), 15) });
    const report = await judge(log, pinned);
    expect([judgement(report), report.keyHead]).toEqual(['tampered, fact at 15', null]);
  });

  it('is none whose record is not here', async () => {
    using folder = createTempFolder();
    const log = build([[9, key]]).prune(day(2), 11);
    const report = await verified(log.toSqlite(folder.log, 12), expected);
    // Its signature says all the same whose log it is.
    expect([judgement(report), report.keyHead]).toEqual(['intact', null]);
  });
});

describe('a key that was asked for', () => {
  const OPEN = 'unknown, anchor at no record';
  const outside = (by: typeof key) => (log: LogBuilder) => readHeads(toHeadLine(headOf(log, 12, by))).found;
  it.each<[string, Parameters<typeof build>[0], ReturnType<typeof outside> | undefined, string]>([
    ['signed a head in the log', [[20, otherKey], [9, key]], undefined, 'intact'],
    ['signed a head that was kept', [[20, otherKey]], outside(key), 'intact'],
    ['signed none of the heads in the log', [[20, otherKey], [9, otherKey]], undefined, OPEN],
    ['signed neither those nor the one that was kept', [[20, otherKey]], outside(otherKey), OPEN],
    ['signed nothing, as there is no head', [], undefined, OPEN],
  ])('%s', async (_name, heads, found, verdict) => {
    const log = build(heads);
    expect(judgement(await judge(log, { ...expected, heads: found?.(log) ?? [] }))).toBe(verdict);
    // Of a key that nobody has asked for it is no finding.
    if (found === undefined) expect(judgement(await judge(log, pinned))).toBe('intact');
  });

  it('signed nothing, and the log agrees with a receipt: nobody signed that', async () => {
    const log = build([]);
    const { found } = readHeads(JSON.stringify({ seq: 12, leaf: log.leafAt(12) }));
    const { anchor, ...report } = await judge(log, { ...expected, heads: found });
    expect([judgement({ anchor, ...report }), anchor]).toEqual([OPEN, expect.objectContaining({ kind: 'receipt', seq: 12 })]);
  });
});
