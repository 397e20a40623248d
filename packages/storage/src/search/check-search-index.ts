import { randomInt } from 'node:crypto';
import type Database from 'better-sqlite3';
import { LogConnection } from '../database/log-connection.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';
import { documentOf } from './document.ts';
import { fitsLog } from './fits-log.ts';
import { isReadOnly, isUnfit, openIndexReadOnly } from './index-file.ts';
import type { SearchIndex } from './search-index.ts';

/** A log, and the connection to it that is to be used. */
export interface LogSource {
  readonly database: Database.Database;
  readonly file: string;
}

export interface IndexProblem {
  /** The first record that the index tells wrongly. Null: the index as a whole cannot be read. */
  readonly seq: number | null;
  readonly what: string;
}

/** Records read at once. */
const BATCH = 1_000;

/** Parts into which the records are put for the comparison, however many they are. */
const MOST_BUCKETS = 4_096;

/**
 * Holds the search index against the payloads of the log: a word that is missing hides a call, one too many invents one.
 * Undefined: they agree, or there is no index of this log (one of another is never asked, but made anew). In constant
 * memory: both sides are added up by parts of the log, in whatever order they come; only a part whose sums differ is
 * looked at word by word. Never throws for what the index holds.
 */
export async function checkSearchIndex({ database, file }: LogSource): Promise<IndexProblem | undefined> {
  try {
    using index = openIndexReadOnly(file);
    const log = new LogConnection(database, 0);
    return index === undefined || !fitsLog(log, index) ? undefined : compare(log, index);
  } catch (cause) {
    if (isReadOnly(cause)) return { seq: null, what: 'the search index cannot be opened' };
    if (!isUnfit(cause) && sqliteCode(cause) === '') throw cause;
    return { seq: null, what: 'the search index is damaged; delete it, and the next search makes it anew' };
  }
}

interface Span {
  readonly first: number;
  readonly last: number;
}

function compare(log: LogConnection, index: SearchIndex): IndexProblem | undefined {
  const last = index.readState()?.seq ?? 0;
  const sums = new Sums(last);
  for (const { seq, words } of documents(log, { first: 1, last })) for (const word of words) sums.add(word, seq, 1);
  // Words come in their order, each with all its records.
  for (const { word, seq } of index.instances()) sums.add(word, seq, -1);
  const span = sums.firstDifference();
  if (span === undefined) return undefined;
  const seq = firstDifference(log, index, span);
  return { seq, what: `the search index does not have the words of record ${seq}, or has others` };
}

function* documents(log: LogConnection, { first, last }: Span) {
  for (let after = first - 1; after < last; ) {
    const rows = log.after(after, BATCH);
    if (rows.length === 0) return;
    for (const row of rows) {
      if (row.seq > last) return;
      const document = documentOf(log, row);
      if (document !== undefined && document !== '') yield { seq: row.seq, words: document.split(' ') };
      after = row.seq;
    }
  }
}

/** Of a part whose sums differ. */
function firstDifference(log: LogConnection, index: SearchIndex, span: Span): number {
  const left = new Map<number, Set<string>>();
  for (const { seq, words } of documents(log, span)) left.set(seq, new Set(words));
  let first = Number.MAX_SAFE_INTEGER;
  for (const { word, seq } of index.instances()) {
    if (seq < span.first || seq > span.last) continue;
    // Each word once: what comes a second time is one too many, as is what the log does not have.
    if (left.get(seq)?.delete(word) !== true) first = Math.min(first, seq);
  }
  for (const [seq, words] of left) if (words.size > 0) first = Math.min(first, seq);
  return first;
}

/**
 * A sum for each part, of a number for each pair of word and record: 64 bits, by a key that nobody could know when the
 * index was written, so that no two wrongs can be chosen to add up to nothing.
 */
class Sums {
  readonly #last: number;
  readonly #width: number;
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;
  readonly #keys = [randomKey(), randomKey()] as const;
  #word = '';
  #hashes: readonly [number, number] = [0, 0];

  constructor(last: number) {
    this.#last = last;
    this.#width = Math.max(1, Math.ceil(last / MOST_BUCKETS));
    // The last part is for records that there are not.
    const parts = Math.ceil(last / this.#width) + 1;
    this.#low = new Uint32Array(parts);
    this.#high = new Uint32Array(parts);
  }

  add(word: string, seq: number, sign: 1 | -1): void {
    if (word !== this.#word) {
      this.#word = word;
      this.#hashes = [hash(word, this.#keys[0]), hash(word, this.#keys[1])];
    }
    const part = seq >= 1 && seq <= this.#last ? Math.floor((seq - 1) / this.#width) : this.#low.length - 1;
    this.#low[part] = (this.#low[part] ?? 0) + sign * mix(this.#hashes[0], seq);
    this.#high[part] = (this.#high[part] ?? 0) + sign * mix(this.#hashes[1], seq);
  }

  firstDifference(): Span | undefined {
    const part = this.#low.findIndex((sum, index) => sum !== 0 || this.#high[index] !== 0);
    if (part === -1) return undefined;
    if (part === this.#low.length - 1) return { first: this.#last + 1, last: Number.MAX_SAFE_INTEGER };
    return { first: part * this.#width + 1, last: (part + 1) * this.#width };
  }
}

function randomKey(): number {
  return randomInt(2 ** 32);
}

/** FNV-1a, begun with the key, then mixed. */
function hash(word: string, key: number): number {
  let state = key;
  for (let index = 0; index < word.length; index += 1) state = Math.imul(state ^ word.charCodeAt(index), 0x01000193);
  return mix(state ^ key, word.length);
}

function mix(state: number, value: number): number {
  let mixed = Math.imul(state ^ Math.imul(value, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16) ^ state, 0x27d4eb2f);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
