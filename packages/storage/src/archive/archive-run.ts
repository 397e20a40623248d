import type Database from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import type { SignedHead } from '../heads/signed-head.ts';
import type { ChainWriter } from '../sqlite/chain-writer.ts';
import { forgetWords } from '../search/forget-words.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';
import { whileBusy } from '../database/while-busy.ts';
import { openSqliteSource } from '../verify/sqlite-source.ts';
import { describeFailure, ArchiveFailure } from './archive-failure.ts';
import { checkDraft, placeDraft, writeDraft, type ArchiveReading, type Draft } from './archive-file.ts';
import { prepareFolder } from './archive-folder.ts';
import type { ArchiveProgress } from './archive-progress.ts';
import type { ArchivePlan, ArchiveReport, ArchiveStep, ErasureSpan, PlannedArchive, WrittenArchive } from './archive-plan.ts';
import { describeIgnored, eraseSpan } from './erase.ts';
import type { ArchivePolicy } from './policy.ts';
import { lastErasure, pruneRecords, readFirst } from './prune.ts';

export interface ArchiveRunParts {
  readonly database: Database.Database;
  readonly writer: ChainWriter;
  /** Absolute path of the log. */
  readonly file: string;
  readonly plan: ArchivePlan;
  readonly policy: ArchivePolicy;
  readonly heads: HeadKeeper | undefined;
  readonly onStep: (step: ArchiveStep, done: number, total: number) => void;
  /** Rises. */
  readonly now: () => string;
  readonly busyTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly progress: ArchiveProgress;
}

/** Longer than the longest pause of a process that waits for the lock: between two transactions all others have their turn. */
const TURN_MS = 12;

/** Carries out one plan, in short transactions. */
export class ArchiveRun {
  readonly #parts: ArchiveRunParts;
  readonly #problems: string[] = [];
  readonly #archives: WrittenArchive[] = [];
  /** Up to which record those from the future are left out. */
  readonly #ignored: number;
  #erased = 0;
  #isStopped = false;

  constructor(parts: ArchiveRunParts) {
    this.#parts = parts;
    this.#ignored = parts.policy.ignoreFuture ?? 0;
  }

  async run(): Promise<ArchiveReport> {
    const { plan } = this.#parts;
    if (plan.forbidden === null) {
      // What is old enough to leave is old enough to be erased: it must not go into an archive, where nobody erases it.
      const isErased = await this.#attempt(async () => this.#erase());
      if (isErased) await this.#attempt(async () => this.#prune());
    } else {
      this.#problems.push(plan.forbidden);
    }
    let isJournalEmpty = false;
    await this.#attempt(async () => {
      isJournalEmpty = await this.#emptyJournal();
    });
    // Again: a search that made an index meanwhile has read what was still there.
    if (this.#erased > 0 || this.#archives.length > 0) await this.#attempt(async () => forgetWords(this.#parts.file));
    return { plan, erased: this.#erased, archives: this.#archives, problems: this.#problems, isStopped: this.#isStopped, isJournalEmpty };
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (cause) {
      const { signal } = this.#parts;
      if (signal?.aborted === true && cause === signal.reason) this.#isStopped = true;
      else this.#problems.push(describeFailure(cause));
      return false;
    }
  }

  async #erase(): Promise<void> {
    const { before, spans, payloads } = this.#parts.plan.erasure;
    if (before === null) return;
    for (const span of spans) {
      this.#parts.signal?.throwIfAborted();
      this.#erased += await this.#eraseSpan(span, before);
      this.#parts.progress.add(span.payloads);
      this.#parts.onStep('erased', this.#erased, payloads);
      await pause(TURN_MS);
    }
  }

  async #eraseSpan({ from, upTo }: ErasureSpan, before: string): Promise<number> {
    const { database, file, now, policy: { payloadDays: days } } = this.#parts;
    let erased = 0;
    await this.#transact(() => {
      const facts = eraseSpan({ database, file }, { from, upTo, before, days, now: now(), ignored: this.#ignored });
      erased = facts.reduce((total, { count }) => total + count, 0);
      return facts.map((fact) => ['audit.erased', fact] as const);
    });
    return erased;
  }

  async #prune(): Promise<void> {
    const { plan: { pruning, folder }, signal } = this.#parts;
    if (pruning.archives.length === 0) return;
    if (pruning.forbidden !== null) throw new ArchiveFailure(pruning.forbidden);
    signal?.throwIfAborted();
    prepareFolder(folder);
    const head = await this.#signHead();
    for (const archive of pruning.archives) {
      const erasure = lastErasure(this.#parts.database);
      const draft = await this.#export(archive);
      this.#report('exported');
      try {
        await this.#pruneTo(draft, archive, { head, erasure });
      } finally {
        fs.rmSync(draft.file, { force: true });
      }
      await pause(TURN_MS);
    }
  }

  async #export(archive: PlannedArchive): Promise<Draft> {
    const { plan: { folder }, file, signal, progress } = this.#parts;
    await using source = openSqliteSource({ file });
    // Of the whole log is what the source says: a part of it is read.
    const read = () => ({ done: source.progress().done, total: archive.records });
    return await progress.during({ units: archive.records, read }, async () => writeDraft(source, archive, { log: file, folder, signal }));
  }

  async #check(draft: Draft, { from, upTo, records }: PlannedArchive, leaf: string): Promise<void> {
    const { signal, progress } = this.#parts;
    let read = () => ({ done: 0, total: 0 });
    const onOpened: ArchiveReading['onOpened'] = (source) => {
      read = () => source.progress();
    };
    await progress.during({ units: records, read: () => read() }, async () => checkDraft(draft, { from, upTo, leaf }, { signal, onOpened }));
  }

  async #pruneTo(draft: Draft, archive: PlannedArchive, { head, erasure }: { readonly head: SignedHead | null; readonly erasure: number }): Promise<void> {
    const { database, file, writer, plan } = this.#parts;
    const { from, upTo } = archive;
    const leaf = writer.chain.leafAt(upTo);
    if (leaf === undefined) throw new ArchiveFailure('The log has changed since devs read it. No record was removed from it.');
    await this.#check(draft, archive, leaf);
    this.#report('checked');
    // From here on it is one step.
    this.#parts.signal?.throwIfAborted();
    const target = path.join(plan.folder, archive.file);
    const placed: Placed = { file: undefined };
    try {
      await this.#transact(() => {
        pruneRecords({ database, file }, { ...archive, erasure, now: this.#parts.now(), ignored: this.#ignored });
        // Last, so that whatever refuses leaves no archive behind; and before the records are gone.
        placeDraft(draft, target);
        placed.file = target;
        this.#report('placed');
        const { sha256, size: bytes } = draft;
        return [['audit.pruned', { upTo, leaf, records: archive.records, archive: { file: archive.file, sha256, bytes }, head, ...describeIgnored(this.#ignored) }]];
      });
    } catch (cause) {
      if (placed.file !== undefined && !isDoubtful(cause) && readFirst(database) === from) fs.rmSync(placed.file, { force: true });
      throw cause;
    }
    this.#archives.push({ ...archive, sha256: draft.sha256, size: draft.size });
    this.#report('pruned');
  }

  /** Over all that is in the log, hence over what leaves. Null: the user has said that it need not be signed. */
  async #signHead(): Promise<SignedHead | null> {
    const { writer, heads, policy } = this.#parts;
    // The session is opened before the records leave that say which log this is; and one that has written nothing has nothing to sign.
    await this.#transact(() => []);
    if (heads === undefined) return null;
    const head = await whileBusy(() => writer.signHead(), this.#parts.busyTimeoutMs);
    if (head === undefined && policy.unsigned !== true) throw new ArchiveFailure('The log cannot be signed now, so no record can be removed from it.');
    return head ?? null;
  }

  async #transact(work: Parameters<ChainWriter['writeFacts']>[0]): Promise<void> {
    await whileBusy(() => this.#parts.writer.writeFacts(work), this.#parts.busyTimeoutMs);
  }

  /** What was erased stands in the journal until it is taken over into the file, whose free places are overwritten. */
  async #emptyJournal(): Promise<boolean> {
    const { database, busyTimeoutMs, onStep } = this.#parts;
    const end = performance.now() + busyTimeoutMs;
    for (;;) {
      const isBusy = database.prepare<[], number>('PRAGMA wal_checkpoint(TRUNCATE)').pluck().get() !== 0;
      if (!isBusy) onStep('emptied', 1, 1);
      if (!isBusy || performance.now() > end) return !isBusy;
      await pause(TURN_MS);
    }
  }

  #report(step: ArchiveStep): void {
    this.#parts.onStep(step, this.#archives.length, this.#parts.plan.pruning.archives.length);
  }
}

/** A disk that refuses to flush may have the commit all the same, and a crash brings it back: whoever runs next looks at both. */
function isDoubtful(cause: unknown): boolean {
  return sqliteCode(cause).startsWith('SQLITE_IOERR');
}

interface Placed {
  file: string | undefined;
}
