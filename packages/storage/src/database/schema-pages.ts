import fs from 'node:fs';
import process from 'node:process';
import { PageView } from './page-view.ts';

/** Far above what devs writes: its schema takes 3 pages, and 7 KB of text. */
const MOST_PAGES = 64;
const MOST_ROWS = 512;
const MOST_BYTES = 262_144;

const INTERIOR_TABLE = 0x05;
const LEAF_TABLE = 0x0d;
const FILE_HEADER_BYTES = 100;

/**
 * What keeps the schema of a database from being read, as a part of a sentence; undefined when nothing does. To be asked
 * before SQLite sees the file: SQLite reads the whole schema with its first statement, and a file of 130 KB whose
 * interior pages name one child 300 times each, twelve levels deep, keeps it busy for ever, deaf to every signal. Here
 * at most 64 pages are looked at, whatever they name. Costs less than a millisecond, and is independent of the size of the log.
 */
export function findSchemaFault(file: string): string | undefined {
  const stats = fs.lstatSync(file);
  // Closing a descriptor of it would drop the locks that SQLite holds for this process, and who opened it has asked this.
  if (isOpenHere(stats)) return undefined;
  const journal = findJournalFault(file, stats.size);
  if (journal !== undefined) return journal;
  // Twice, as another process may have begun its journal anew between two reads.
  return readSchemaFault(file) && readSchemaFault(file);
}

function readSchemaFault(file: string): string | undefined {
  using view = PageView.open(file);
  return view === undefined ? undefined : findTreeFault(view);
}

const DAMAGED = 'is damaged: its schema does not have the form that SQLite gives it.';
const ENDLESS = 'is damaged, or was made to keep its reader busy: its schema is larger than any that devs writes, or leads in a circle.';

function findTreeFault(view: PageView): string | undefined {
  const left = { pages: MOST_PAGES, rows: MOST_ROWS, bytes: MOST_BYTES };
  const waiting = [1];
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    left.pages -= 1;
    const content = page === 0 ? undefined : view.read(page);
    const found = content && readTreePage(content, page === 1 ? FILE_HEADER_BYTES : 0);
    if (found === undefined) return DAMAGED;
    left.rows -= found.rows;
    // A page that lies on a chain is read as often as a row says that it is long.
    left.bytes -= found.bytes;
    if (left.pages - waiting.length - found.children.length < 0 || left.rows < 0 || left.bytes < 0) return ENDLESS;
    waiting.push(...found.children);
  }
  return undefined;
}

interface TreePage {
  readonly children: readonly number[];
  readonly rows: number;
  /** What the rows say that they are long. */
  readonly bytes: number;
}

/** Undefined: it is no page of a table. */
function readTreePage(page: Buffer, start: number): TreePage | undefined {
  const type = page[start];
  const isInterior = type === INTERIOR_TABLE;
  if (!isInterior && type !== LEAF_TABLE) return undefined;
  const cells = start + (isInterior ? 12 : 8);
  const count = page.readUInt16BE(start + 3);
  if (cells + 2 * count > page.length) return undefined;
  const places = Array.from({ length: count }, (_, index) => page.readUInt16BE(cells + 2 * index));
  // No cell is shorter than 4 bytes.
  if (places.some((place) => place < cells || place + 4 > page.length)) return undefined;
  if (!isInterior) return { children: [], rows: count, bytes: places.reduce((sum, place) => sum + readVarint(page, place), 0) };
  const children = places.map((place) => page.readUInt32BE(place));
  return { children: [...children, page.readUInt32BE(start + 8)], rows: 0, bytes: 0 };
}

/** At most 8 bytes of 7 bits, then one of 8. Past the end of the page there are none. */
function readVarint(page: Buffer, start: number): number {
  let value = 0;
  for (let index = 0; index < 9; index += 1) {
    const byte = page[start + index] ?? 0;
    if (index === 8) return value * 256 + byte;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return value;
  }
  return value;
}

const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const ONE_PAGE = 65_536;

/**
 * A rollback journal is played back into the file with the first statement, and would put other pages in the place of
 * those that were looked at. devs has one for a moment only, while it makes the log: it says that the file was empty before.
 */
function findJournalFault(file: string, size: number): string | undefined {
  const journal = `${file}-journal`;
  const stats = fs.lstatSync(journal, { throwIfNoEntry: false });
  if (stats === undefined || stats.size === 0 || size === 0) return undefined;
  const start = readStart(journal, 20);
  if (!start.subarray(0, JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC)) return undefined;
  const pagesBefore = start.readUInt32BE(16);
  if (pagesBefore === 0 && size <= ONE_PAGE) return undefined;
  return 'has a rollback journal (-journal) beside it, which devs does not write: move it away.';
}

function readStart(file: string, length: number): Buffer {
  const descriptor = fs.openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    fs.readSync(descriptor, bytes, 0, length, 0);
    return bytes;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Whether this process has a file open. On Windows locks are of a descriptor, and closing another drops none. */
function isOpenHere({ dev, ino }: fs.Stats): boolean {
  if (process.platform === 'win32') return false;
  return listDescriptors().some((descriptor) => {
    try {
      const stats = fs.fstatSync(descriptor);
      return stats.ino === ino && stats.dev === dev;
    } catch {
      // The one that listed them.
      return false;
    }
  });
}

function listDescriptors(): readonly number[] {
  try {
    return fs.readdirSync('/dev/fd').map(Number);
  } catch {
    return [];
  }
}
