import type Database from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { createChainView } from '../sqlite/chain-of-log.ts';
import { ChainStatements } from '../sqlite/chain-transaction.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';
import { openSqliteSource } from '../verify/sqlite-source.ts';
import { verifyLog } from '../verify/verify-log.ts';
import { holds, verifyArchive } from './archive-file.ts';
import { describeFailure } from './archive-failure.ts';
import { archiveName, examineFolder, findUnused } from './archive-folder.ts';
import type { ArchivePlan, ErasurePlan, PruningPlan } from './archive-plan.ts';
import type { ArchiveProgress } from './archive-progress.ts';
import { daysBefore, findMisdated, judgeClock, type Moment } from './clock.ts';
import type { ArchivePolicy } from './policy.ts';
import { judgeSigner } from './signer.ts';
import { surveyErasure, surveyPruning } from './survey.ts';

export interface PlanParts {
  /** For reading at least. */
  readonly database: Database.Database;
  /** Absolute path of the log. */
  readonly file: string;
  /** Absolute. */
  readonly folder: string;
  readonly policy: ArchivePolicy;
  readonly heads: HeadKeeper | undefined;
  /** Whom the heads in the log are held against. */
  readonly key: KeyObject | undefined;
  /** ISO 8601. */
  readonly now: string;
  readonly signal: AbortSignal | undefined;
  readonly progress: ArchiveProgress;
  /** Whether it is carried out too. */
  readonly isRun: boolean;
}

const NO_ERASURE: ErasurePlan = { before: null, payloads: 0, bytes: 0, from: null, upTo: null, held: 0, spans: [] };
const NO_PRUNING: PruningPlan = { before: null, records: 0, bytes: 0, from: null, upTo: null, heldAt: null, misdatedAt: null, archives: [], forbidden: null };

const UNSIGNED = 'No record may leave the log: it is not signed here, so nothing would tell whether an archive is the true one. With --unsigned they may.';

/** Looks what would be done. Changes nothing. @throws the reason of `signal` */
export async function makePlan(parts: PlanParts): Promise<ArchivePlan> {
  const survey = surveyNow(parts);
  const { now, folder } = parts;
  if ('damage' in survey) return { now, folder, records: 0, misdated: null, erasure: NO_ERASURE, pruning: NO_PRUNING, forbidden: survey.damage };
  const plan = { now, folder, ...survey };
  // To read all of a log is dear: not when there is nothing to do.
  const isIdle = plan.erasure.payloads === 0 && plan.pruning.records === 0;
  return isIdle || plan.forbidden !== null ? plan : { ...plan, forbidden: await judgeLog(parts, plan) };
}

type Survey = Pick<ArchivePlan, 'records' | 'misdated' | 'erasure' | 'pruning' | 'forbidden'>;

/** One moment of the log. */
function surveyNow(parts: PlanParts): Survey | { readonly damage: string } {
  try {
    // What is remembered before the moment begins: whoever signs meanwhile remembers what a moment before it does not hold.
    const changed = judgeHeads(parts);
    return parts.database.transaction(() => survey(parts, changed)).deferred();
  } catch (cause) {
    if (sqliteCode(cause) === '') throw cause;
    return { damage: `The log cannot be read to its end (${sqliteCode(cause)}). Look what is wrong with it: devs logs verify.` };
  }
}

function survey(parts: PlanParts, changed: string | null): Survey {
  const { database, now, policy, folder } = parts;
  const moment = { now, ignored: policy.ignoreFuture ?? 0 };
  const records = database.prepare<[], number>('SELECT count(*) FROM records').pluck().get() ?? 0;
  const erasure = policy.payloadDays === 0 ? NO_ERASURE : planErasure(database, daysBefore(now, policy.payloadDays), moment);
  const pruning = policy.keepDays === undefined ? NO_PRUNING : planPruning(parts, daysBefore(now, policy.keepDays), moment);
  const forbidden = judgeClock(database, moment) ?? changed ?? judgeFolder(folder, pruning);
  return { records, misdated: findMisdated(database, moment), erasure, pruning, forbidden };
}

/**
 * A wrong folder is a mistake of whoever asks, which is mended at once: then nothing is erased either, which nobody can
 * take back. Of a log that others sign no record may leave for long, and its payloads are not to wait for that.
 */
function judgeFolder(folder: string, { archives, forbidden }: PruningPlan): string | null {
  if (archives.length === 0 || forbidden !== null) return null;
  try {
    examineFolder(folder);
    return null;
  } catch (cause) {
    return describeFailure(cause);
  }
}

function planErasure(database: Database.Database, before: string, moment: Moment): ErasurePlan {
  const { spans, ...rest } = surveyErasure(database, { from: 1, upTo: Number.MAX_SAFE_INTEGER, before, ...moment });
  return { before, payloads: sum(spans.map(({ payloads }) => payloads)), bytes: sum(spans.map(({ bytes }) => bytes)), ...rest, spans };
}

function planPruning({ database, file, heads, policy }: PlanParts, before: string, moment: Moment): PruningPlan {
  const { spans, ...rest } = surveyPruning(database, { before, isErased: policy.payloadDays > 0, ...moment });
  const archives = spans.map((span) => ({ ...span, file: archiveName(file, span) }));
  const forbidden = judgeSigner(database, heads) ?? (heads === undefined && policy.unsigned !== true ? UNSIGNED : null);
  return { before, records: sum(spans.map(({ records }) => records)), bytes: sum(spans.map(({ bytes }) => bytes)), ...rest, archives, forbidden };
}

/** Whether the log is the one that is remembered. */
function judgeHeads({ database, file, heads }: PlanParts): string | null {
  if (heads === undefined) return null;
  const chain = createChainView({ database, statements: new ChainStatements(database), file, store: () => readStore(database), isFlushed: true });
  return heads.examine(chain)?.what ?? null;
}

function readStore(database: Database.Database): string | undefined {
  const sql = "SELECT header ->> '$.store' FROM records WHERE call_id IS NULL AND kind = 'audit.opened' ORDER BY seq DESC LIMIT 1";
  return database.prepare<[], string>(sql).pluck().get();
}

/** Of a log that was changed nothing may be taken away: that would take the traces away too. */
async function judgeLog({ file, folder, key, database, progress, isRun, signal }: PlanParts, { records, erasure, pruning }: Survey): Promise<string | null> {
  await using source = openSqliteSource({ file });
  // What leaves is read twice: exported, and read back.
  progress.expect(records + (isRun ? erasure.payloads + 2 * pruning.records : 0));
  const options = { ...(key !== undefined && { key }), ...(signal !== undefined && { signal }) };
  const { verdict, problem } = await progress.during({ units: records, read: () => source.progress() }, async () => verifyLog(source, options));
  if (verdict !== 'intact') return `The log is not as devs wrote it: ${problem?.what ?? verdict}. See devs logs verify.`;
  return await judgeUnused({ file, folder, database, signal });
}

type UnusedPlace = Pick<PlanParts, 'file' | 'folder' | 'database' | 'signal'>;

async function judgeUnused(place: UnusedPlace): Promise<string | null> {
  const foreign = (await sortUnused(place)).foreign.at(0);
  return foreign === undefined ? null : `There is already a file ${JSON.stringify(foreign)} where an archive should go, and it is not one of this log: look what it is, and move it away.`;
}

/**
 * Files of the names of archives whose records are all still in the log: left by runs that ended just before the records
 * left. What they hold is in the log, so they can be made anew; any other file is not devs's to take away.
 */
export async function sortUnused({ file, folder, database, signal }: UnusedPlace): Promise<{ readonly own: readonly string[]; readonly foreign: readonly string[] }> {
  const statements = new ChainStatements(database);
  const from = database.prepare<[], number | null>('SELECT min(seq) FROM records').pluck().get() ?? 1;
  const [own, foreign]: [string[], string[]] = [[], []];
  for (const unused of findUnused(file, folder, from)) {
    const leaf = statements.hashAt(unused.upTo);
    const isOwn = leaf !== undefined && holds(await verifyArchive(unused.file, { signal }), { from, upTo: unused.upTo, leaf });
    if (isOwn) own.push(unused.file);
    else foreign.push(unused.file.slice(folder.length + 1));
  }
  return { own, foreign };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
