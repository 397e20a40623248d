import type { KeyObject } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { whileBusy, whileBusyBlocking } from '../database/while-busy.ts';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { lockFiles, tryLockFile } from '../locks/lock-file.ts';
import { ChainWriter } from '../sqlite/chain-writer.ts';
import { findLogFile } from '../sqlite/log-file.ts';
import { type Durability, openLogDatabase, toUnusable } from '../sqlite/open-database.ts';
import { openReadOnly } from '../sqlite/open-read-only.ts';
import { unusable } from '../sqlite/unusable.ts';
import { describeFailure } from './archive-failure.ts';
import { defaultFolder, removeDrafts } from './archive-folder.ts';
import type { ArchivePlan, ArchiveReport, ArchiveStep } from './archive-plan.ts';
import { ArchiveProgress } from './archive-progress.ts';
import { ArchiveRun } from './archive-run.ts';
import { risingClock } from './clock.ts';
import { makePlan, sortUnused } from './make-plan.ts';
import { type ArchivePolicy, checkPolicy } from './policy.ts';
import { judgeSigner } from './signer.ts';

export interface LogArchiverOptions {
  /** Path of the log. */
  readonly file: string;
  /** Default `power`. */
  readonly durability?: Durability;
  /** Milliseconds. Default 2,000. */
  readonly busyTimeoutMs?: number;
  /** Of whoever archives, for the record that opens a session. Default empty. */
  readonly version?: string;
  /** Signs the log before records leave it. */
  readonly heads?: HeadKeeper | undefined;
  /** Whom heads that the log holds are held against. */
  readonly key?: KeyObject;
  /** The wall clock: ISO 8601, UTC, milliseconds. */
  readonly now?: () => string;
  /** Told after each step; `done` of `total` payloads or archives. */
  readonly onStep?: (step: ArchiveStep, done: number, total: number) => void;
  /** Ends the work between two steps: what is done by then is whole. */
  readonly signal?: AbortSignal;
}

const BUSY_TIMEOUT_MS = 2_000;

/**
 * Takes out of a log what is not to be kept: payloads, then whole records, which are exported before. The chain still
 * verifies: what was taken, when and why is a record of the log itself. Others may write to the log meanwhile.
 */
export class LogArchiver {
  readonly #options: LogArchiverOptions;
  readonly #busyTimeoutMs: number;
  #progress = new ArchiveProgress();

  constructor(options: LogArchiverOptions) {
    this.#options = options;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  }

  /** How far `plan` or `run` is, in steps of any size. */
  progress(): { readonly done: number; readonly total: number } {
    return this.#progress.read();
  }

  /**
   * What `run` would do. Changes nothing.
   * @throws DevsError `LOG_NOT_FOUND`, `STATE_UNUSABLE`, or `LOG_QUERY_REFUSED` for a policy that cannot be; and the reason of `signal`
   */
  async plan(policy: ArchivePolicy): Promise<ArchivePlan> {
    checkPolicy(policy);
    const file = findLogFile(this.#options.file);
    const database = openReadOnly(file, this.#busyTimeoutMs);
    try {
      return await makePlan({ ...this.#partsOf(policy, { file, database, now: this.#createClock() }), isRun: false });
    } finally {
      database.close();
    }
  }

  /**
   * Does what can be done of the plan. What goes wrong on the way is in the report, and nothing is lost by it: a payload
   * is either there or recorded as erased, a record either in the log or in an archive that was read back.
   * @throws DevsError as `plan`; and the reason of `signal` when it came before anything was erased or moved
   */
  async run(policy: ArchivePolicy): Promise<ArchiveReport> {
    checkPolicy(policy);
    // A log is not made by archiving it.
    const file = findLogFile(this.#options.file);
    const { durability = 'power', version = '' } = this.#options;
    using _lock = lockArchive(file);
    const database = openLogDatabase({ file, durability, busyTimeoutMs: this.#busyTimeoutMs });
    try {
      // What SQLite puts aside to undo a statement holds payloads: not into a file.
      database.pragma('temp_store = MEMORY');
      const opening = { version, mode: 'strict', durability };
      const now = this.#createClock();
      const heads = this.#findSigner(file, database);
      using writer = new ChainWriter(database, { opening, now, heads });
      return await this.#runWith(policy, { file, database, writer, now, heads });
    } finally {
      database.close();
    }
  }

  /** Of one run: of a clock that was ahead for a moment, no later run may learn. */
  #createClock(): () => string {
    return risingClock(this.#options.now ?? (() => new Date().toISOString()));
  }

  /** Nobody of a log that somebody else signs: else the next run would take it for one that is signed here. */
  #findSigner(file: string, database: Database.Database): HeadKeeper | undefined {
    const { heads } = this.#options;
    try {
      return judgeSigner(database, heads) === null ? heads : undefined;
    } catch (cause) {
      throw toUnusable(file, cause);
    }
  }

  async #runWith(policy: ArchivePolicy, log: WritableLog): Promise<ArchiveReport> {
    const { writer, file } = log;
    let report: ArchiveReport;
    let unclosed: string | undefined;
    try {
      this.#begin(writer, file);
      report = await this.#work(policy, log);
    } finally {
      unclosed = await close(writer, this.#busyTimeoutMs);
      await this.#options.heads?.settle();
    }
    return unclosed === undefined ? report : { ...report, problems: [...report.problems, unclosed] };
  }

  #begin(writer: ChainWriter, file: string): void {
    try {
      this.#options.heads?.check(writer.chain);
      whileBusyBlocking(() => writer.recover(), this.#busyTimeoutMs);
    } catch (cause) {
      throw toUnusable(file, cause);
    }
  }

  async #work(policy: ArchivePolicy, log: WritableLog): Promise<ArchiveReport> {
    const parts = this.#partsOf(policy, log);
    const plan = await makePlan(parts);
    const { onStep = () => undefined, signal } = this.#options;
    onStep('planned', 0, plan.records);
    if (plan.forbidden === null) await removeRests(parts);
    const { progress } = parts;
    return await new ArchiveRun({ ...log, plan, policy, onStep, signal, progress, busyTimeoutMs: this.#busyTimeoutMs }).run();
  }

  #partsOf(policy: ArchivePolicy, { file, database, now }: OpenLog) {
    const { heads, key, signal } = this.#options;
    const folder = path.resolve(policy.folder ?? defaultFolder(file));
    this.#progress = new ArchiveProgress();
    return { file, database, folder, policy, heads, key, signal, progress: this.#progress, isRun: true, now: now() };
  }
}

interface OpenLog {
  /** Absolute. */
  readonly file: string;
  readonly database: Database.Database;
  /** Rises. */
  readonly now: () => string;
}

interface WritableLog extends OpenLog {
  readonly writer: ChainWriter;
  readonly heads: HeadKeeper | undefined;
}

/** What runs have left that were ended. */
async function removeRests(parts: Parameters<typeof sortUnused>[0]): Promise<void> {
  removeDrafts(parts.file, parts.folder);
  for (const file of (await sortUnused(parts)).own) fs.rmSync(file, { force: true });
}

/** Ends the session in the log. What has been done is done, whether that can be said or not. */
async function close(writer: ChainWriter, busyTimeoutMs: number): Promise<string | undefined> {
  try {
    await whileBusy(() => writer.close(), busyTimeoutMs);
    return undefined;
  } catch (cause) {
    return describeFailure(cause);
  }
}

/**
 * Held by the one who archives a log, until it ends, however it does.
 * @throws DevsError `STATE_UNUSABLE` when somebody else holds it
 */
export function lockArchive(log: string): Disposable {
  const held = tryLock(log);
  if (held === undefined) throw unusable(log, 'is being archived by another process.');
  return held;
}

function tryLock(log: string): Disposable | undefined {
  try {
    return tryLockFile(lockFiles.ofArchiver(log));
  } catch (cause) {
    throw unusable(log, 'cannot be archived, because no lock file can be created beside it.', cause);
  }
}
