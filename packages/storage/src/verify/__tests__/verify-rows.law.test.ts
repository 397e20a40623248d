import { describe, expect, it } from '@jest/globals';
import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { leafOf } from '../../chain/record.ts';
import { day, LogBuilder, tamper } from './log-builder.ts';
import { verified } from './verified.ts';

const log = new LogBuilder().calls(20, day(1));
const LAST = log.last.seq;
const anySeq = fc.integer({ min: 1, max: LAST });
const anyCall = fc.integer({ min: 2, max: LAST });

type Change = (database: Database.Database) => void;

/** A change of a log, and the first record that it makes a bad one. */
type Case = readonly [change: Change, first: number];

const deletion = fc.integer({ min: 1, max: LAST - 1 }).map<Case>((seq) => [(database) => database.exec(`DELETE FROM records WHERE seq = ${seq}`), seq]);

const swap = fc.uniqueArray(anySeq, { minLength: 2, maxLength: 2 }).map<Case>(([one = 0, other = 0]) => [
  (database) => database.exec(`UPDATE records SET seq = -1 WHERE seq = ${one}; UPDATE records SET seq = ${one} WHERE seq = ${other}; UPDATE records SET seq = ${other} WHERE seq = -1`),
  Math.min(one, other),
]);

const copiedPayload = fc.uniqueArray(anyCall, { minLength: 2, maxLength: 2 }).map<Case>(([from = 0, to = 0]) => [
  (database) => database.exec(`UPDATE records SET (salt, payload) = (SELECT salt, payload FROM records WHERE seq = ${from}) WHERE seq = ${to}`),
  to,
]);

/** Of a fact: a second record of a call the unique indexes do not take. */
const insertion = anyCall.map<Case>((at) => [
  (database) => database.exec(`UPDATE records SET seq = -seq - 1 WHERE seq >= ${at}; UPDATE records SET seq = -seq WHERE seq < 0;
    INSERT INTO records SELECT ${at}, leaf, header, salt, payload FROM records WHERE seq = 1`),
  at,
]);

/** One letter of a name in a header, by one who knows how a leaf is made. */
const rewritten = anyCall.map<Case>((seq) => [
  (database) => {
    const header = log.records[seq - 1]?.header.replace('agent-1', 'agent-2') ?? '';
    database.prepare('UPDATE records SET header = ?, leaf = ? WHERE seq = ?').run(header, Buffer.from(leafOf(header), 'hex'), seq);
  },
  seq,
]);

describe('any change of rows', () => {
  it('is found, and told by the first record that is a bad one', async () => {
    using folder = createTempFolder();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(deletion, swap, copiedPayload, insertion, rewritten.filter(([, seq]) => seq < LAST)), async ([change, first]) => {
        number += 1;
        const file = log.toSqlite(`${folder.path}/${number}.db`);
        tamper(file, change);
        expect(await verified(file)).toMatchObject({ verdict: 'tampered', problem: { seq: first } });
      }),
      { numRuns: 200 },
    );
  });
});
