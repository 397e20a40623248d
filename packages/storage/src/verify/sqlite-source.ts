import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LEAF_BYTES, SALT_BYTES, type StoredRecord } from '../chain/record.ts';
import { sqliteCode } from '../sqlite/sqlite-failure.ts';
import { connectToVerify, type Connected } from './connect.ts';
import { BATCH_RECORDS, BATCH_SIZE, MOST_TEXT_BYTES, SourceFailure, type Batches, type RecordRange, type RecordSource, type SurroundingFacts } from './record-source.ts';
import type { Problem } from './report.ts';
import { checkDatabase } from './sqlite-checks.ts';

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
const FACTS = `SELECT ${COLUMNS} FROM records WHERE seq IN (
  SELECT seq FROM records WHERE call_id IS NULL AND kind IN ('audit.erased', 'audit.pruned')
  UNION ALL SELECT min(seq) FROM records WHERE call_id IS NULL
) ORDER BY seq`;

/** Opens a log in SQLite, as it is at this moment, also while it is written. @throws DevsError when there is none, or it cannot be read */
export function openSqliteSource({ file, busyTimeoutMs = 2_000 }: SqliteSourceOptions): RecordSource {
  return new SqliteSource(connectToVerify(file, busyTimeoutMs));
}

class SqliteSource implements RecordSource {
  readonly file = undefined;
  readonly isWhole = true;
  readonly hasPruned = false;
  readonly #connected: Connected;
  #progress = { done: 0, total: 0 };

  constructor(connected: Connected) {
    this.#connected = connected;
  }

  async *facts(): Batches {
    yield* this.#read(FACTS, []);
  }

  async *records({ from = 1, upTo = Number.MAX_SAFE_INTEGER }: RecordRange = {}): Batches {
    this.#progress = { done: 0, total: this.#count() };
    for await (const batch of this.#read(RANGE, [from, upTo])) {
      this.#progress.done += batch.length;
      yield batch;
    }
  }

  async *surroundings(facts: SurroundingFacts): AsyncIterable<Problem> {
    yield* checkDatabase(this.#connected, facts);
  }

  progress(): { readonly done: number; readonly total: number } {
    return this.#progress;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connected.database?.close();
  }

  #count(): number {
    try {
      const sql = 'SELECT max(seq) - min(seq) + 1 FROM records';
      return Number(this.#connected.database?.prepare<[], number>(sql).pluck().get() ?? 0);
    } catch {
      return 0;
    }
  }

  /** Row by row, so that however large they are, few are held at once. */
  async *#read(sql: string, parameters: readonly number[]): Batches {
    const { database, problem } = this.#connected;
    if (database === undefined) throw new SourceFailure(problem);
    let batch: StoredRecord[] = [];
    let size = 0;
    try {
      for (const row of database.prepare<unknown[], Row>(sql).iterate(...parameters)) {
        batch.push(toRecord(row));
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

