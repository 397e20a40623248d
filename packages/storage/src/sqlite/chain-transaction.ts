import type Database from 'better-sqlite3';
import type { AgentLogReceipt } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import { NO_LEAF, type FactKind, type RecordHeader } from '../chain/header.ts';
import { leafOf, type Salts } from '../chain/record.ts';
import { seal, type Draft, type FactDraft } from '../chain/seal.ts';
import type { KnownStart, PreparedOutcome, PreparedStart } from '../record/to-draft.ts';
import { toColumns } from './import-records.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';

/** What waits to be written. */
export type PendingWrite =
  | { readonly kind: 'start'; readonly start: PreparedStart }
  | { readonly kind: 'outcome'; readonly outcome: PreparedOutcome }
  | { readonly kind: 'fact'; readonly fact: readonly [kind: FactKind, more: object] };

/** The end of the chain; `leaf` is 64 hexadecimal digits. `seq` 0: there is none yet. */
export interface ChainEnd {
  readonly seq: number;
  readonly leaf: string;
}

export const NO_RECORDS: ChainEnd = { seq: 0, leaf: NO_LEAF };

/** The statements of one connection, each made once. */
export class ChainStatements {
  readonly begin: Database.Statement<[]>;
  readonly commit: Database.Statement<[]>;
  readonly rollback: Database.Statement<[]>;
  readonly insert: Database.Statement<[number, Uint8Array, string, Uint8Array | null, string | null]>;
  readonly last: Database.Statement<[], { seq: number; leaf: Uint8Array }>;
  readonly leafAt: Database.Statement<[number], Uint8Array>;
  readonly #headerAt: Database.Statement<[number], string>;
  readonly #first: Database.Statement<[], { seq: number; header: string }>;
  readonly open: Database.Statement<[string, number, string]>;
  readonly close: Database.Statement<[string]>;
  readonly outcomeOf: Database.Statement<[string], number>;
  readonly findOpen: Database.Statement<[string], number>;

  constructor(database: Database.Database) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.rollback = database.prepare('ROLLBACK');
    this.insert = database.prepare('INSERT INTO records (seq, leaf, header, salt, payload) VALUES (?, ?, ?, ?, ?)');
    this.last = database.prepare('SELECT seq, leaf FROM records ORDER BY seq DESC LIMIT 1');
    this.leafAt = database.prepare<[number], Uint8Array>('SELECT leaf FROM records WHERE seq = ?').pluck();
    this.#headerAt = database.prepare<[number], string>('SELECT header FROM records WHERE seq = ?').pluck();
    this.#first = database.prepare('SELECT seq, header FROM records ORDER BY seq LIMIT 1');
    this.open = database.prepare('INSERT INTO open_calls (call_id, seq, session) VALUES (?, ?, ?)');
    this.close = database.prepare('DELETE FROM open_calls WHERE call_id = ?');
    this.outcomeOf = database.prepare<[string], number>('SELECT seq FROM records WHERE call_id = ? AND status IS NOT NULL').pluck();
    this.findOpen = database.prepare<[string], number>('SELECT seq FROM open_calls WHERE call_id = ?').pluck();
  }

  /** As it is now: another process may have written. */
  readEnd(): ChainEnd {
    const last = this.last.get();
    return last === undefined ? NO_RECORDS : { seq: last.seq, leaf: Buffer.from(last.leaf).toString('hex') };
  }

  /** Of the header's bytes, not of what stands beside them. Undefined when there is no such record. */
  hashAt(seq: number): string | undefined {
    const header = this.#headerAt.get(seq);
    return header === undefined ? undefined : leafOf(header);
  }

  /** What the first record names as the one before it; undefined when the first is another than `seq`. */
  prevOfFirst(seq: number): string | undefined {
    const first = this.#first.get();
    if (first?.seq !== seq) return undefined;
    const { prev } = JSON.parse(first.header) as RecordHeader;
    return prev;
  }
}

export interface TransactionParts {
  readonly statements: ChainStatements;
  readonly salts: Salts;
  readonly session: string;
  /** Calls that this session has begun in earlier transactions. */
  readonly known: ReadonlyMap<string, KnownStart>;
  readonly toFact: (kind: FactKind, more: object) => FactDraft;
  /** Calls whose outcome comes in this very transaction: nobody can see them open. */
  readonly ending: ReadonlySet<string>;
}

/** The records of one transaction. What it changes in memory is taken over when it is committed. */
export class ChainTransaction {
  readonly #parts: TransactionParts;
  #end: ChainEnd;
  readonly opened = new Map<string, KnownStart>();
  readonly ended: string[] = [];
  /** Whether it holds the session's first record. */
  hasOpened = false;

  constructor(parts: TransactionParts, end: ChainEnd) {
    this.#parts = parts;
    this.#end = end;
  }

  get end(): ChainEnd {
    return this.#end;
  }

  /** One record; or why it alone is not written. @throws what ends the whole transaction */
  apply(write: PendingWrite): AgentLogReceipt | AgentLogError {
    try {
      return this.#write(write);
    } catch (cause) {
      // Refused by a constraint: SQLite has undone that statement, and nothing else.
      if (sqliteCode(cause).startsWith('SQLITE_CONSTRAINT')) return new AgentLogError('duplicate', cause);
      throw cause;
    }
  }

  append(draft: Draft): ChainEnd {
    const record = seal(draft, { seq: this.#end.seq + 1, prev: this.#end.leaf }, this.#parts.salts);
    const { changes } = this.#parts.statements.insert.run(...toColumns(record));
    // A trigger that ignores the insert, say: SQLite calls that a success.
    if (changes !== 1) throw new Error(`the insert changed ${changes} rows, not 1`);
    this.#end = { seq: record.seq, leaf: record.leafHex };
    return this.#end;
  }

  #write(write: PendingWrite): ChainEnd | AgentLogError {
    switch (write.kind) {
      case 'start':
        return this.#writeStart(write.start);
      case 'outcome':
        return this.#writeOutcome(write.outcome);
      default:
        return this.append(this.#parts.toFact(...write.fact));
    }
  }

  #writeStart({ callId, inputKey, draft }: PreparedStart): ChainEnd | AgentLogError {
    // A call that has ended does not begin: nobody could ever end it again.
    if (this.#parts.statements.outcomeOf.get(callId) !== undefined) return new AgentLogError('duplicate');
    const { session, statements } = this.#parts;
    // Hashed with the rest: whoever could say that another session runs it could have it ended while it runs.
    const end = this.append({ header: { ...draft.header, session }, payload: draft.payload });
    this.opened.set(callId, { seq: end.seq, inputKey });
    if (!this.#parts.ending.has(callId)) statements.open.run(callId, end.seq, session);
    return end;
  }

  #writeOutcome(outcome: PreparedOutcome): ChainEnd {
    const { known, statements } = this.#parts;
    const { callId } = outcome;
    const start = this.opened.get(callId) ?? known.get(callId) ?? this.#findStart(callId);
    const end = this.append(outcome.toDraft(start));
    // One that began in this very transaction was never said to be open.
    if (!this.opened.delete(callId)) statements.close.run(callId);
    this.ended.push(callId);
    return end;
  }

  /** Begun by another process, or before this one was restarted: its input is not known here, so the outcome repeats it. */
  #findStart(callId: string): KnownStart | undefined {
    const seq = this.#parts.statements.findOpen.get(callId);
    return seq === undefined ? undefined : { seq, inputKey: '' };
  }
}
