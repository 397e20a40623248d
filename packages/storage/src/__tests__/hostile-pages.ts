import fs from 'node:fs';
import Database from 'better-sqlite3';

/** Which B-tree of the log is replaced: `records`, an index, `sqlite_schema` itself, … */
export type TreeName = string;

export interface HostileTree {
  readonly tree: TreeName;
  /** Interior pages, one under the other. */
  readonly levels?: number;
  /** How often each of them names the next. */
  readonly fanOut?: number;
  /** The last of them names the first instead of a leaf. */
  readonly isLoop?: boolean;
}

const INTERIOR_TABLE = 0x05;
const LEAF_TABLE = 0x0d;

/**
 * Puts interior pages above the root of a B-tree, each of which names the next one `fanOut` times. With 12 levels of 150
 * that is 10^26 ways to the same leaf, in 50 KB more: whoever scans the tree never comes to its end.
 * The file must be closed, and without a journal.
 */
export function makeHostile(file: string, { tree, levels = 12, fanOut = 150, isLoop = false }: HostileTree): void {
  const root = tree === 'sqlite_schema' ? 1 : rootOf(file, tree);
  const pages = new Pages(file);
  const content = pages.read(root);
  const start = root === 1 ? 100 : 0;
  const type = content[start] ?? 0;
  const isTable = type === INTERIOR_TABLE || type === LEAF_TABLE;
  let child = isLoop ? root : pages.append(withoutFileHeader(content, start));
  for (let level = 1; level < levels; level += 1) child = pages.append(interior(pages.size, { child, fanOut, isTable, start: 0 }));
  const top = interior(pages.size, { child, fanOut, isTable, start });
  content.copy(top, 0, 0, start);
  pages.write(root, top);
  pages.save();
}

export function rootOf(file: string, name: string): number {
  const database = new Database(file, { readonly: true });
  const root = database.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name);
  database.close();
  fs.rmSync(`${file}-shm`, { force: true });
  fs.rmSync(`${file}-wal`, { force: true });
  if (root === undefined) throw new Error(`there is no ${name}`);
  return root;
}

/** Moves what makes a hostile copy differ from the log into a write-ahead journal beside the log, which stays as it is. */
export function putIntoJournal(file: string, hostile: string): void {
  const [before, after] = [new Pages(file), new Pages(hostile)];
  const changed = Array.from({ length: after.count }, (_, index) => index + 1).filter((page) => !before.read(page).equals(after.read(page)));
  const header = toWords(0x377f0682, 3_007_000, after.size, 0, 0x1234, 0x5678);
  let checksum = addUp(header, [0, 0]);
  const parts = [header, toWords(...checksum)];
  for (const [index, page] of changed.entries()) {
    const start = toWords(page, index === changed.length - 1 ? after.count : 0);
    checksum = addUp(after.read(page), addUp(start, checksum));
    parts.push(start, toWords(0x1234, 0x5678, ...checksum), after.read(page));
  }
  fs.writeFileSync(`${file}-wal`, Buffer.concat(parts), { mode: 0o600 });
}

/** The same for a rollback journal, which is played back into the log by whoever opens it first. */
export function putIntoRollbackJournal(file: string, hostile: string): void {
  const pages = new Pages(hostile);
  const header = Buffer.alloc(512);
  Buffer.from('d9d505f920a163d7', 'hex').copy(header);
  toWords(pages.count, 0, pages.count, 512, pages.size).copy(header, 8);
  const records = Array.from({ length: pages.count }, (_, index) => {
    const content = pages.read(index + 1);
    let sum = 0;
    for (let at = pages.size - 200; at > 0; at -= 200) sum += content[at] ?? 0;
    return Buffer.concat([toWords(index + 1), content, toWords(sum)]);
  });
  fs.writeFileSync(`${file}-journal`, Buffer.concat([header, ...records]), { mode: 0o600 });
}

function toWords(...words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * words.length);
  for (const [index, word] of words.entries()) bytes.writeUInt32BE(word >>> 0, 4 * index);
  return bytes;
}

function addUp(bytes: Buffer, [one, other]: readonly [number, number]): readonly [number, number] {
  let [a, b] = [one, other];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + bytes.readUInt32LE(at) + b) >>> 0;
    b = (b + bytes.readUInt32LE(at + 4) + a) >>> 0;
  }
  return [a, b];
}

/** A database file as pages; numbered from 1. */
class Pages {
  readonly #file: string;
  #bytes: Buffer;
  readonly size: number;

  constructor(file: string) {
    this.#file = file;
    this.#bytes = fs.readFileSync(file);
    const size = this.#bytes.readUInt16BE(16);
    this.size = size === 1 ? 65_536 : size;
  }

  get count(): number {
    return this.#bytes.length / this.size;
  }

  read(page: number): Buffer {
    return Buffer.from(this.#bytes.subarray((page - 1) * this.size, page * this.size));
  }

  write(page: number, content: Buffer): void {
    content.copy(this.#bytes, (page - 1) * this.size);
  }

  append(content: Buffer): number {
    this.#bytes = Buffer.concat([this.#bytes, content]);
    return this.#bytes.length / this.size;
  }

  save(): void {
    this.#bytes.writeUInt32BE(this.#bytes.length / this.size, 28);
    fs.writeFileSync(this.#file, this.#bytes);
  }
}

/** The first page begins with the header of the file; no other does. Cells stay where they are. */
function withoutFileHeader(page: Buffer, start: number): Buffer {
  if (start === 0) return page;
  const isInterior = page[start] === INTERIOR_TABLE || page[start] === 0x02;
  const length = (isInterior ? 12 : 8) + 2 * page.readUInt16BE(start + 3);
  const moved = Buffer.alloc(page.length);
  page.copy(moved, 0, start, start + length);
  page.copy(moved, start + length, start + length);
  return moved;
}

interface InteriorPage {
  readonly child: number;
  readonly fanOut: number;
  readonly isTable: boolean;
  readonly start: number;
}

/** An interior page whose cells all name one child, with rising keys. */
function interior(size: number, { child, fanOut, isTable, start }: InteriorPage): Buffer {
  const page = Buffer.alloc(size);
  let end = size;
  const cells = Array.from({ length: fanOut - 1 }, (_, index) => cellOf(child, isTable ? keyOf(index + 1) : INDEX_KEY));
  for (const [index, cell] of cells.entries()) {
    end -= cell.length;
    cell.copy(page, end);
    page.writeUInt16BE(end, start + 12 + 2 * index);
  }
  page[start] = isTable ? INTERIOR_TABLE : 0x02;
  page.writeUInt16BE(cells.length, start + 3);
  page.writeUInt16BE(end, start + 5);
  page.writeUInt32BE(child, start + 8);
  return page;
}

function cellOf(child: number, rest: Buffer): Buffer {
  const pointer = Buffer.alloc(4);
  pointer.writeUInt32BE(child);
  return Buffer.concat([pointer, rest]);
}

/** A varint of two bytes. */
function keyOf(key: number): Buffer {
  return Buffer.of(0x80 | (key >> 7), key & 0x7f);
}

/** A payload of 4 bytes: a record of the text "a" and the integer 1. */
const INDEX_KEY = Buffer.of(4, 3, 15, 9, 0x61);
