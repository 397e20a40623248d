import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { PageView } from '../database/page-view.ts';
import { createTempFolder } from './fixtures.ts';

/** What happened to a journal whose writer was killed. */
interface Accident {
  /** Where it ends, in thousandths of its length. */
  readonly end: number;
  /** A byte that the disk got wrong, in thousandths of what is left; 1,000: none. */
  readonly flip: number;
}

const accidents = fc.record({ end: fc.integer({ min: 0, max: 1_000 }), flip: fc.integer({ min: 0, max: 1_000 }) });
const transactions = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

/** A database and the journal that it had while its writer lived. */
function writeJournal(file: string, rowsOfTransactions: readonly number[]): void {
  const writer = new Database(`${file}-live`);
  writer.pragma('journal_mode = WAL');
  writer.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)');
  writer.pragma('wal_checkpoint(TRUNCATE)');
  const insert = writer.prepare('INSERT INTO t (a) VALUES (?)');
  for (const rows of rowsOfTransactions) {
    writer.transaction(() => {
      for (let row = 0; row < rows; row += 1) insert.run('x'.repeat(700));
    })();
  }
  fs.copyFileSync(`${file}-live`, file);
  fs.copyFileSync(`${file}-live-wal`, `${file}-wal`);
  writer.close();
}

function damage(journal: string, { end, flip }: Accident): void {
  const bytes = fs.readFileSync(journal);
  const left = bytes.subarray(0, Math.ceil((bytes.length * end) / 1_000));
  const at = Math.floor((left.length * flip) / 1_000);
  if (at < left.length) left[at] = (left[at] ?? 0) ^ 0x10;
  fs.writeFileSync(journal, left);
}

function readPages(file: string, count: number): readonly (string | undefined)[] {
  using view = PageView.open(file);
  return Array.from({ length: count }, (_, index) => view?.read(index + 1)?.toString('base64'));
}

test('pages are those that SQLite sees, whatever became of the journal', () => {
  fc.assert(
    fc.property(transactions, accidents, (rows, accident) => {
      using folder = createTempFolder();
      const file = path.join(folder.path, 'law.db');
      writeJournal(file, rows);
      damage(`${file}-wal`, accident);
      const found = readPages(file, 64);
      const played = new Database(file);
      played.pragma('wal_checkpoint(TRUNCATE)');
      played.close();
      const count = fs.statSync(file).size / 4_096;
      expect(found.slice(0, count)).toEqual(readPages(file, count));
    }),
    { numRuns: 30 },
  );
});
