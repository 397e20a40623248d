import type Database from 'better-sqlite3';
import { DevsError } from '@devs/core';
import type { CompiledQuery } from 'kysely';
import { AgentLogError } from '../agent-log-error.ts';
import { parseObject, UNREADABLE, type StoredCall } from '../record/to-entry.ts';
import { checkOrder } from './check-order.ts';
import { listOpenCalls } from './open-calls.ts';
import { toAgentLogError } from './sqlite-failure.ts';
import { whileBusy } from './while-busy.ts';

/** A record as its row has it. Somebody who can write the file may have put any type into any column. */
export interface RecordRow {
  readonly seq: number;
  readonly leaf: unknown;
  readonly header: unknown;
  readonly payload: unknown;
}

/** A row whose header has been parsed; undefined of a damaged one. */
export interface ReadRow extends RecordRow {
  readonly parsed: Readonly<Record<string, unknown>> | undefined;
}

const BY_SEQ = 'SELECT seq, leaf, header, payload FROM records WHERE seq = ?';
const AFTER = 'SELECT seq, leaf, header, payload FROM records WHERE seq > ? ORDER BY seq LIMIT ?';

/** UTF-16 units that are held at once: a thousand records at the cap would be half a gigabyte. */
const MOST_SIZE = 8_388_608;

/** One connection to the log, for reading. Each question is answered out of one moment of the file. */
export class LogConnection {
  readonly #database: Database.Database;
  readonly #busyTimeoutMs: number;
  #bySeq: Database.Statement<[number], RecordRow> | undefined;

  constructor(database: Database.Database, busyTimeoutMs: number) {
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** @throws AgentLogError; what `answer` throws of its own comes through */
  async read<Answer>(answer: (log: this) => Answer): Promise<Answer> {
    try {
      return await whileBusy(() => this.#readNow(answer), this.#busyTimeoutMs);
    } catch (cause) {
      throw DevsError.is(cause) ? cause : toAgentLogError(cause);
    }
  }

  all<Row>({ sql, parameters }: CompiledQuery<Row>): readonly Row[] {
    return this.#database.prepare<unknown[], Row>(sql).all(...parameters);
  }

  get(seq: number): ReadRow | undefined {
    this.#bySeq ??= this.#database.prepare<[number], RecordRow>(BY_SEQ);
    const row = this.#bySeq.get(seq);
    return row === undefined ? undefined : parseRow(row);
  }

  /** At most `limit`, and fewer where they are large; none when there is none. */
  after(seq: number, limit: number): readonly ReadRow[] {
    const rows: ReadRow[] = [];
    let size = 0;
    for (const row of this.#database.prepare<[number, number], RecordRow>(AFTER).iterate(seq, limit)) {
      // Who goes on behind the last one would do so for ever where it is none of the later ones.
      checkOrder(rows.at(-1)?.seq ?? seq, row.seq);
      rows.push(parseRow(row));
      size += sizeOf(row.header) + sizeOf(row.payload);
      if (size >= MOST_SIZE) break;
    }
    return rows;
  }

  /** `seq` of the starts of calls that have no outcome, the newest first. */
  openCalls(): readonly number[] {
    return listOpenCalls(this.#database).map(({ seq }) => seq).toReversed();
  }

  newest(): number {
    return this.#database.prepare<[], number | null>('SELECT max(seq) FROM records').pluck().get() ?? 0;
  }

  /** Another number once another connection has written. */
  version(): number {
    return Number(this.#database.pragma('data_version', { simple: true }));
  }

  /** The start that an outcome names; of that very call, since what a header names may be the record of another. */
  startOf({ parsed }: ReadRow): ReadRow | undefined {
    const started = parsed?.['started'];
    if (typeof started !== 'number' || !Number.isSafeInteger(started)) return undefined;
    const start = this.get(started);
    return start?.parsed?.['callId'] === parsed?.['callId'] ? start : undefined;
  }

  /** A call as its latest record and its start tell it. */
  toCall(row: ReadRow): StoredCall {
    const { seq, leaf, header, payload } = row;
    const startPayload = toText(this.startOf(row)?.payload ?? null);
    return { seq, leaf: hexOf(leaf), header: toText(header) ?? UNREADABLE, payload: toText(payload), startPayload };
  }

  close(): void {
    this.#database.close();
  }

  #readNow<Answer>(answer: (log: this) => Answer): Answer {
    if (!this.#database.open) throw new AgentLogError('closed');
    return this.#database.transaction(() => answer(this)).deferred();
  }
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function parseRow(row: RecordRow): ReadRow {
  return { ...row, parsed: parseObject(row.header) };
}

/** Null stays null: it says that something is gone. */
function toText(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : UNREADABLE;
}

/** Whatever lies in the column. */
export function hexOf(leaf: unknown): string {
  return leaf instanceof Uint8Array ? Buffer.from(leaf.buffer, leaf.byteOffset, leaf.byteLength).toString('hex') : UNREADABLE;
}
