import type Database from 'better-sqlite3';
import type { SeqRange } from '../database/queries.ts';
import { WORDS_VERSION } from './words.ts';

/** `PRAGMA application_id`: 'devx' in ASCII. */
export const INDEX_APPLICATION_ID = 0x64_65_76_78;

/** Contentless: the index holds no text, only which word stands in which record, and not where. */
export const INDEX_SCHEMA = [
  "CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, detail=none, tokenize='ascii')",
  'CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), version TEXT NOT NULL, store TEXT NOT NULL, began INTEGER NOT NULL, seq INTEGER NOT NULL, leaf TEXT NOT NULL) STRICT',
];

/** Words of many records are sorted in memory before they are written: a third of the time of the first indexing. */
const SETTINGS = "INSERT INTO words (words, rank) VALUES ('hashsize', 67108864)";

/** Up to where the log is indexed, and which log. */
export interface IndexState {
  readonly store: string;
  /** The newest record when it was made: what was erased until then has left no word in it. */
  readonly began: number;
  readonly seq: number;
  /** Of the record `seq`, hexadecimal. */
  readonly leaf: string;
}

/** One index, in a file or in memory. */
export class SearchIndex implements Disposable {
  readonly #database: Database.Database;
  readonly #insert: Database.Statement<[number, string]>;
  readonly #find: Database.Statement<[string, number, number], number>;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#insert = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
    this.#find = database.prepare<[string, number, number], number>('SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC').pluck();
  }

  /** Makes the tables of a new one. */
  static create(database: Database.Database, { store, began, seq, leaf }: IndexState): void {
    for (const statement of [...INDEX_SCHEMA, SETTINGS]) database.exec(statement);
    database.prepare('INSERT INTO state (id, version, store, began, seq, leaf) VALUES (1, ?, ?, ?, ?, ?)').run(WORDS_VERSION, store, began, seq, leaf);
    database.pragma(`application_id = ${INDEX_APPLICATION_ID}`);
  }

  /** Undefined: it was made by another version. */
  readState(): IndexState | undefined {
    const row = this.#database.prepare<[], IndexState & { version: string }>('SELECT version, store, began, seq, leaf FROM state').get();
    if (row === undefined) return undefined;
    const { version, ...state } = row;
    return version === WORDS_VERSION ? state : undefined;
  }

  moveTo({ seq, leaf }: Pick<IndexState, 'seq' | 'leaf'>): void {
    this.#database.prepare('UPDATE state SET seq = ?, leaf = ?').run(seq, leaf);
  }

  add(seq: number, document: string): void {
    this.#insert.run(seq, document);
  }

  /** `seq` of outcomes that hold what is asked for, the newest first; found one by one, as they are taken. */
  find(match: string, { first, last }: SeqRange): Iterable<number> {
    return this.#find.iterate(match, first, last);
  }

  /** Every word of every record, word by word: what an attacker has put in as well as what devs has. */
  *instances(): Generator<{ readonly word: string; readonly seq: number }> {
    this.#database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab(main, words, 'instance')");
    const rows = this.#database.prepare<[], [string, number]>('SELECT term, doc FROM temp.instances').raw();
    for (const [word, seq] of rows.iterate()) yield { word, seq };
  }

  /** All or nothing; others who write wait. */
  change<Result>(make: () => Result): Result {
    return this.#database.transaction(make).immediate();
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
