import { randomBytes } from 'node:crypto';
import { type AgentLogReceipt, isRecord } from '@devs/core';
import type Database from 'better-sqlite3';
import { AgentLogError } from '../agent-log-error.ts';
import type { FactHeader, FactKind } from '../chain/header.ts';
import { Salts } from '../chain/record.ts';
import type { FactDraft } from '../chain/seal.ts';
import { isDamaged } from '../database/sqlite-failure.ts';
import type { ChainView } from '../heads/chain-view.ts';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import type { SignedHead } from '../heads/signed-head.ts';
import type { KnownStart } from '../record/to-draft.ts';
import { createChainView } from './chain-of-log.ts';
import { type ChainEnd, ChainStatements, ChainTransaction, type PendingWrite } from './chain-transaction.ts';
import { type FileIdentity, identify } from './log-file.ts';
import { findOrphans } from './orphans.ts';
import { Session } from './session.ts';

interface Stored {
  readonly seq: number;
  readonly header: string;
}

const FIRST = 'SELECT seq, header FROM records ORDER BY seq LIMIT 1';
const PRUNED = "SELECT seq, header FROM records WHERE call_id IS NULL AND kind = 'audit.pruned' ORDER BY seq DESC LIMIT 1";

/** Whether a record is not in the log because all up to some later one were archived, as the log itself says. */
export function hasBeenPruned(database: Database.Database, { seq, store }: { readonly seq: number; readonly store: string | undefined }): boolean {
  const first = database.prepare<[], Stored>(FIRST).get();
  const fact = database.prepare<[], Stored>(PRUNED).get();
  if (first === undefined || fact === undefined || seq >= first.seq) return false;
  const pruned = parse(fact);
  return pruned['store'] === store && pruned['upTo'] === first.seq - 1 && pruned['leaf'] === parse(first)['prev'];
}

function parse({ header }: Stored): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(header);
  return isRecord(value) ? value : {};
}

export interface ChainWriterOptions {
  /** What the log says of who writes it. */
  readonly opening: {
    readonly version: string;
    readonly mode: string;
    readonly durability: string;
    /** Parts of the gate that an embedder has replaced. Absent: none. */
    readonly replaced?: readonly string[];
  };
  /** ISO 8601, UTC, milliseconds. */
  readonly now: () => string;
  readonly heads?: HeadKeeper | undefined;
}

const NEWEST_FACT = 'SELECT seq, header FROM records INDEXED BY records_facts WHERE call_id IS NULL AND kind = ? ORDER BY seq DESC LIMIT 1';
const NAMING_FACTS: readonly FactKind[] = ['audit.opened', 'audit.pruned'];

const STORE_BYTES = 16;
const STORE = /^[0-9a-f]{32}$/;

/** Writes transactions on one connection. What it knows of the chain it holds against the file each time. */
export class ChainWriter implements Disposable {
  readonly #database: Database.Database;
  readonly #options: ChainWriterOptions;
  readonly #statements: ChainStatements;
  readonly #salts = new Salts();
  readonly #session: Session;
  readonly #identity: FileIdentity;
  readonly #known = new Map<string, KnownStart>();
  /** The end of the chain, as this process has left it or found it. */
  #end: ChainEnd;
  #store: string | undefined;
  /** What it is called if nobody has named it when this process writes its first record. */
  readonly #newStore = randomBytes(STORE_BYTES).toString('hex');
  #isOpened = false;
  #isClosed = false;
  /** As those who sign it see it. */
  readonly chain: ChainView;

  constructor(database: Database.Database, options: ChainWriterOptions) {
    this.#database = database;
    this.#options = options;
    this.#statements = new ChainStatements(database);
    this.#identity = identify(database.name);
    this.#session = new Session(database.name);
    this.#end = this.#statements.readEnd();
    const isFlushed = options.opening.durability === 'power';
    this.chain = createChainView({ database, statements: this.#statements, file: database.name, store: () => this.store, isFlushed });
  }

  /** The log's own id; it gets one with its first record. */
  get store(): string | undefined {
    this.#store ??= this.#readStore();
    return this.#store;
  }

  get isHeadDue(): boolean {
    return this.#options.heads?.isDue(this.#end.seq, Date.now()) ?? false;
  }

  /** Signs where the chain stands, and gives the head when there is a new one. @throws DevsError `STATE_UNUSABLE` when the head before is not in it any more */
  signHead(): SignedHead | undefined {
    const { heads } = this.#options;
    if (heads === undefined || !this.#isOpened) return undefined;
    let signed: SignedHead | undefined;
    this.#transact([], (transaction) => {
      signed = heads.sign(this.chain);
      return signed === undefined ? [] : [transaction.append(this.#toFact('audit.head', { ...signed }))];
    });
    if (signed !== undefined) heads.publish(signed);
    return signed;
  }

  /** Says of calls whose session is gone that nobody knows how they ended. */
  recover(): void {
    this.#transact([], (transaction) => {
      const orphans = findOrphans(this.#database, (session) => this.#session.isAlive(session));
      // A gate with replaced parts may write nothing more here: that it was built must be in the log all the same.
      if (orphans.length > 0 || this.#options.opening.replaced !== undefined) this.#openSession(transaction);
      for (const orphan of orphans) {
        transaction.append(orphan);
        this.#statements.close.run(orphan.header.callId);
      }
      this.#session.sweep();
      return [];
    });
  }

  /** All of them in one transaction; those that a constraint refuses alone are not written. @throws what kept all from being written */
  commit(writes: readonly PendingWrite[]): readonly (AgentLogReceipt | AgentLogError)[] {
    return this.#transact(writes, (transaction) => {
      this.#openSession(transaction);
      return writes.map((write) => transaction.apply(write));
    });
  }

  /**
   * Does `work` in a transaction that holds the lock of the log, and writes the facts that it gives right behind the end
   * that it sees. `before`: where the log ended when the transaction began.
   */
  writeFacts(work: (before: ChainEnd) => readonly (readonly [kind: FactKind, more: object])[]): void {
    this.#transact([], (transaction) => {
      const before = transaction.end;
      this.#openSession(transaction);
      return work(before).map(([kind, more]) => transaction.append(this.#toFact(kind, more)));
    });
  }

  /** The last word of this session; says nothing when it has written nothing. Again and again until it succeeds. */
  close(): void {
    if (this.#isOpened && !this.#isClosed) {
      this.#transact([], (transaction) => [transaction.append(this.#toFact('audit.closed', { session: this.#session.id }))]);
      this.#isClosed = true;
    }
    this.signHead();
  }

  /** Lets go of the session's lock: from here on its open calls are nobody's. */
  [Symbol.dispose](): void {
    this.#session[Symbol.dispose]();
  }

  /** Inside a transaction: whether the log has a name already is known only there. */
  #toFact(kind: FactKind, more: object): FactDraft {
    return { header: { kind, timestamp: toTimestamp(this.#options.now()), store: this.store ?? this.#newStore, ...more }, payload: null };
  }

  #transact<Result>(writes: readonly PendingWrite[], work: (transaction: ChainTransaction) => readonly Result[]): readonly Result[] {
    // A deleted file still takes writes, into nothing that anybody will read.
    if (identify(this.#database.name) !== this.#identity) throw new AgentLogError('moved');
    this.#statements.begin.run();
    try {
      const transaction = this.#createTransaction(writes);
      const results = work(transaction);
      this.#statements.commit.run();
      this.#takeOver(transaction);
      return results;
    } catch (cause) {
      // SQLite has ended it already when the disk is full, say.
      if (this.#database.inTransaction) this.#statements.rollback.run();
      // Pages that were read broken are not kept: the file may be mended under a running devs.
      if (isDamaged(cause)) this.#database.pragma('shrink_memory');
      throw cause;
    }
  }

  #createTransaction(writes: readonly PendingWrite[]): ChainTransaction {
    const end = this.#statements.readEnd();
    this.#checkNothingLost(end);
    const ending = new Set(writes.flatMap((write) => (write.kind === 'outcome' ? [write.outcome.callId] : [])));
    const parts = { statements: this.#statements, salts: this.#salts, session: this.#session.id, known: this.#known, ending };
    return new ChainTransaction({ ...parts, toFact: (kind, more) => this.#toFact(kind, more) }, end);
  }

  /** Somebody put an older copy in the place of the log, or wrote another end to it, while devs has it open. */
  #checkNothingLost(end: ChainEnd): void {
    const { seq, leaf } = this.#end;
    if (seq === 0 || (end.seq === seq && end.leaf === leaf)) return;
    const found = end.seq > seq ? this.#statements.leafAt.get(seq) : undefined;
    if (found === undefined && end.seq > seq && this.#hasLeft(seq)) return;
    if (found === undefined || Buffer.from(found).toString('hex') !== leaf) throw new AgentLogError('rolled-back');
  }

  /** Whether a record has been archived, and what is left is the log that is remembered. @throws DevsError `STATE_UNUSABLE` when it is not */
  #hasLeft(seq: number): boolean {
    if (!hasBeenPruned(this.#database, { seq, store: this.store })) return false;
    this.#options.heads?.check(this.chain);
    return true;
  }

  #takeOver(transaction: ChainTransaction): void {
    this.#end = transaction.end;
    for (const callId of transaction.ended) this.#known.delete(callId);
    for (const [callId, start] of transaction.opened) this.#known.set(callId, start);
    this.#isOpened ||= transaction.hasOpened;
  }

  /** Who writes from here on: with the first record of a session, since one that writes nothing has nothing to say. */
  #openSession(transaction: ChainTransaction): void {
    if (this.#isOpened) return;
    this.#session.hold();
    transaction.append(this.#toFact('audit.opened', { session: this.#session.id, ...this.#options.opening }));
    transaction.hasOpened = true;
  }

  /** The newest fact of each kind is looked up, not searched for: a log has as many as sessions have written to it. */
  #readStore(): string | undefined {
    const newest = this.#database.prepare<[string], { seq: number; header: string }>(NEWEST_FACT);
    const facts = NAMING_FACTS.flatMap((kind) => newest.get(kind) ?? []);
    const header = facts.toSorted((one, other) => other.seq - one.seq)[0]?.header;
    if (header === undefined) return undefined;
    const { store } = JSON.parse(header) as FactHeader;
    if (!STORE.test(store)) throw new AgentLogError('failed', new Error('the log does not say which one it is'));
    return store;
  }
}

/** An embedder's clock may say anything; what stands in the chain stands there for ever. */
function toTimestamp(said: unknown): string {
  const isTime = typeof said === 'string' && !Number.isNaN(Date.parse(said)) && new Date(said).toISOString() === said;
  return isTime ? said : new Date().toISOString();
}
