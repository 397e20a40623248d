import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { LEAF_BYTES, SALT_BYTES, type StoredRecord } from '../chain/record.ts';
import { checkOrder } from '../database/check-order.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';
import { connectToVerify, type Connected } from './connect.ts';
import { MOST_TEXT_BYTES } from './read-header.ts';
import { BATCH_RECORDS, BATCH_SIZE, SourceFailure, type Batches, type RecordRange, type RecordSource, type SurroundingFacts } from './record-source.ts';
import { tampered, type Problem } from './report.ts';
import { checkDatabase, findFirstFault, isEndless, toLine } from './sqlite-checks.ts';

export interface SqliteSourceOptions {
  readonly file: string;
  /** Milliseconds to wait for another process's lock. Default 2,000. */
  readonly busyTimeoutMs?: number;
}

/** A row as it may be: whoever changed the file could put anything anywhere. */
interface Row {
  readonly seq: unknown;
  readonly leaf: unknown;
  readonly header: unknown;
  readonly salt: unknown;
  readonly payload: unknown;
  /** Bytes. */
  readonly size: unknown;
}

// As bytes: what is not UTF-8 would be made well formed on its way, and hashed as if it had been so. Measured before they
// are read: a check constraint holds back nobody who can write the file. A salt of another size is 0, which is no salt.
const COLUMNS = `seq,
  CASE WHEN octet_length(leaf) = ${LEAF_BYTES} THEN leaf END AS leaf,
  CASE WHEN octet_length(salt) = ${SALT_BYTES} THEN salt WHEN salt IS NOT NULL THEN 0 END AS salt,
  CASE WHEN octet_length(header) <= ${MOST_TEXT_BYTES} THEN CAST(header AS BLOB) END AS header,
  CASE WHEN octet_length(payload) <= ${MOST_TEXT_BYTES} THEN CAST(payload AS BLOB) END AS payload,
  max(octet_length(header), coalesce(octet_length(payload), 0)) AS size`;
const RANGE = `SELECT ${COLUMNS} FROM records NOT INDEXED WHERE seq >= ? AND seq <= ? ORDER BY seq`;
// Looked up by their kind, one after the other, and never counted or sorted: both would read all of an index first.
const FACTS_OF_KIND = 'SELECT seq FROM records INDEXED BY records_facts WHERE call_id IS NULL AND kind = ? ORDER BY seq';
const NEXT_KIND = 'SELECT kind, seq FROM records INDEXED BY records_facts WHERE call_id IS NULL AND kind > ? ORDER BY kind, seq LIMIT 1';
const ONE = `SELECT ${COLUMNS} FROM records WHERE seq = ?`;
const MOST_KINDS = 64;

/** Opens a log in SQLite, as it is at this moment, also while it is written. @throws DevsError when there is none, or it cannot be read */
export function openSqliteSource({ file, busyTimeoutMs = 2_000 }: SqliteSourceOptions): RecordSource {
  return new SqliteSource(connectToVerify(file, busyTimeoutMs));
}

class SqliteSource implements RecordSource {
  readonly file = undefined;
  readonly isWhole = true;
  readonly hasPruned = false;
  readonly #connected: Connected;
  #fault: string | undefined;
  #progress = { done: 0, total: 0 };

  constructor(connected: Connected) {
    this.#connected = connected;
  }

  async *faults(): AsyncIterable<Problem> {
    const fault = this.#findFault();
    if (!isEndless(fault)) return;
    yield tampered(null, 'damaged', `the database is damaged: its pages lead in a circle, and reading it would never end (${toLine(fault)})`);
  }

  async *facts(): Batches {
    yield* this.#read((database) => iterateFacts(database));
  }

  async *records({ from = 1, upTo = Number.MAX_SAFE_INTEGER }: RecordRange = {}): Batches {
    this.#progress = { done: 0, total: this.#count() };
    for await (const batch of this.#read((database) => database.prepare<unknown[], Row>(RANGE).iterate(from, upTo))) {
      this.#progress.done += batch.length;
      yield batch;
    }
  }

  async *surroundings(facts: SurroundingFacts): AsyncIterable<Problem> {
    yield* checkDatabase({ ...this.#connected, fault: this.#findFault() }, facts);
  }

  progress(): { readonly done: number; readonly total: number } {
    return this.#progress;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connected.database?.close();
  }

  /** Once: it reads all of the file. */
  #findFault(): string {
    const { database } = this.#connected;
    this.#fault ??= database === undefined ? 'ok' : findFirstFault(database);
    return this.#fault;
  }

  #count(): number {
    try {
      const sql = 'SELECT (SELECT max(seq) FROM records) - (SELECT min(seq) FROM records) + 1';
      return Number(this.#connected.database?.prepare<[], number>(sql).pluck().get() ?? 0);
    } catch {
      return 0;
    }
  }

  /** Row by row, so that however large they are, few are held at once. */
  async *#read(select: (database: Database.Database) => Iterable<Row>): Batches {
    const { database, problem } = this.#connected;
    if (database === undefined) throw new SourceFailure(problem);
    let batch: StoredRecord[] = [];
    let [size, before] = [0, 0];
    try {
      for (const row of select(database)) {
        const record = toRecord(row);
        // In a tree that leads in a circle the same records come for ever.
        checkOrder(before, record.seq);
        before = record.seq;
        batch.push(record);
        size += Number(row.size);
        if (batch.length < BATCH_RECORDS && size < BATCH_SIZE) continue;
        yield batch;
        [batch, size] = [[], 0];
        // Timers and signals have their turn: the reading itself never waits.
        await nextTurn();
      }
    } catch (cause) {
      if (batch.length > 0) yield batch;
      throw toFailure(cause);
    }
    if (batch.length > 0) yield batch;
  }
}

/** What explains erasures and prunings, and the first fact of all, which says which log it is; in the order of the log. */
function* iterateFacts(database: Database.Database): Generator<Row> {
  const one = database.prepare<[number], Row>(ONE);
  const seqs = new Set<number>(firstFact(database));
  const ofKind = database.prepare<[string], number>(FACTS_OF_KIND).pluck();
  for (const kind of ['audit.erased', 'audit.pruned']) {
    let before = 0;
    for (const seq of ofKind.iterate(kind)) {
      checkOrder(before, seq);
      before = seq;
      seqs.add(seq);
    }
  }
  for (const seq of [...seqs].toSorted((a, b) => a - b)) {
    const row = one.get(seq);
    if (row !== undefined) yield row;
  }
}

function firstFact(database: Database.Database): readonly number[] {
  const next = database.prepare<[string], { kind: string; seq: number }>(NEXT_KIND);
  const firsts: number[] = [];
  for (let found = next.get(''); found !== undefined && firsts.length < MOST_KINDS; found = next.get(found.kind)) firsts.push(found.seq);
  return firsts.length === 0 ? [] : [Math.min(...firsts)];
}

function toRecord({ seq, leaf, header, salt, payload, size }: Row): StoredRecord {
  if (typeof size === 'number' && size > MOST_TEXT_BYTES) throw new SourceFailure({ code: 'limit', what: `record ${String(seq)} is larger than any that devs writes`, verdict: 'tampered' });
  const isBytes = Buffer.isBuffer(leaf) && Buffer.isBuffer(header) && (salt === null || Buffer.isBuffer(salt)) && (payload === null || Buffer.isBuffer(payload));
  if (typeof seq !== 'number' || !isBytes || !isUtf8(header) || !isUtf8(payload ?? Buffer.of())) {
    throw new SourceFailure({ code: 'form', what: `record ${String(seq)} holds what devs does not write`, verdict: 'tampered' });
  }
  return { seq, leaf, header: header.toString('utf8'), salt, payload: payload?.toString('utf8') ?? null };
}

function toFailure(cause: unknown): unknown {
  if (cause instanceof SourceFailure) return cause;
  const code = sqliteCode(cause);
  if (code === '') return cause;
  return new SourceFailure({ code: 'damaged', what: `the database is damaged: reading ended here with ${code}`, verdict: 'tampered' }, cause);
}

