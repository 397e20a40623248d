import fs from 'node:fs';
import { OpenParts } from '../disposal.ts';
import { readJournal, type JournalPages } from './wal-frames.ts';

const SMALLEST_PAGE = 512;
const LARGEST_PAGE = 65_536;
const MAGIC = Buffer.from('SQLite format 3\0');

/** Single pages of a database, as SQLite sees them: out of the write-ahead journal where that has a newer one. */
export class PageView implements Disposable {
  readonly #file: number;
  readonly #journal: number | undefined;
  readonly #pages: JournalPages;

  private constructor(file: number, journal: number | undefined, pages: JournalPages) {
    this.#file = file;
    this.#journal = journal;
    this.#pages = pages;
  }

  /** Undefined: it is no database, which SQLite says itself. @throws the system's error */
  static open(file: string): PageView | undefined {
    using opened = new OpenParts();
    const open = (name: string) => opened.adopt(fs.openSync(name, READ), fs.closeSync);
    // The journal first: what is written back to the file meanwhile is in both.
    const journal = fs.existsSync(`${file}-wal`) ? open(`${file}-wal`) : undefined;
    const pages = journal === undefined ? undefined : readJournal(journal);
    const main = open(file);
    const pageSize = pageSizeOf(new PageView(main, journal, pages ?? NO_JOURNAL).#readStart());
    if (pageSize === undefined) return undefined;
    opened.keep();
    return new PageView(main, journal, pages ?? { ...NO_JOURNAL, pageSize });
  }

  /** Undefined: there is no such page. */
  read(page: number): Buffer | undefined {
    const { pageSize, places } = this.#pages;
    const place = places.get(page);
    const bytes = Buffer.alloc(pageSize);
    const isInJournal = this.#journal !== undefined && place !== undefined;
    const count = isInJournal ? fs.readSync(this.#journal, bytes, 0, pageSize, place) : fs.readSync(this.#file, bytes, 0, pageSize, (page - 1) * pageSize);
    // Of a journal with pages of another size nobody knows what SQLite would read.
    if (count !== pageSize || (page === 1 && pageSizeOf(bytes) !== pageSize)) return undefined;
    return bytes;
  }

  [Symbol.dispose](): void {
    for (const descriptor of [this.#file, this.#journal]) if (descriptor !== undefined) fs.closeSync(descriptor);
  }

  /** Of the first page, whatever its size. */
  #readStart(): Buffer | undefined {
    const place = this.#pages.places.get(1);
    const bytes = Buffer.alloc(SMALLEST_PAGE);
    const [descriptor, at] = place === undefined || this.#journal === undefined ? [this.#file, 0] : [this.#journal, place];
    return fs.readSync(descriptor, bytes, 0, SMALLEST_PAGE, at) === SMALLEST_PAGE ? bytes : undefined;
  }
}

const READ = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW;
const NO_JOURNAL: JournalPages = { pageSize: SMALLEST_PAGE, places: new Map() };

function pageSizeOf(start: Buffer | undefined): number | undefined {
  if (start === undefined || !start.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const said = start.readUInt16BE(16);
  const size = said === 1 ? LARGEST_PAGE : said;
  return size >= SMALLEST_PAGE && (size & (size - 1)) === 0 ? size : undefined;
}
