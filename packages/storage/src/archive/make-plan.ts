import type Database from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { createChainView } from '../sqlite/chain-of-log.ts';
import { ChainStatements } from '../sqlite/chain-transaction.ts';
import { sqliteCode } from '../sqlite/sqlite-failure.ts';
import { openSqliteSource } from '../verify/sqlite-source.ts';
import { verifyLog } from '../verify/verify-log.ts';
import { holds, verifyArchive } from './archive-file.ts';
import { archiveName, findUnused } from './archive-folder.ts';
import type { ArchivePlan, ErasurePlan, PruningPlan } from './archive-plan.ts';
import { daysBefore, judgeClock } from './clock.ts';
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
}

const NO_ERASURE: ErasurePlan = { before: null, payloads: 0, bytes: 0, from: null, upTo: null, held: 0, spans: [] };
const NO_PRUNING: PruningPlan = { before: null, records: 0, bytes: 0, from: null, upTo: null, heldAt: null, archives: [], forbidden: null };

const UNSIGNED = 'No record may leave the log: it is not signed here, so nothing would tell whether an archive is the true one. With --unsigned they may.';

/** Looks what would be done. Changes nothing. */
export async function makePlan(parts: PlanParts): Promise<ArchivePlan> {
  const survey = surveyNow(parts);
  const { now, folder } = parts;
  if ('damage' in survey) return { now, folder, records: 0, erasure: NO_ERASURE, pruning: NO_PRUNING, forbidden: survey.damage };
  const plan = { now, folder, ...survey };
  // To read all of a log is dear: not when there is nothing to do.
  const isIdle = plan.erasure.payloads === 0 && plan.pruning.records === 0;
  return isIdle || plan.forbidden !== null ? plan : { ...plan, forbidden: await judgeLog(parts) };
}

type Survey = Pick<ArchivePlan, 'records' | 'erasure' | 'pruning' | 'forbidden'>;

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
  const { database, now, policy } = parts;
  const records = database.prepare<[], number>('SELECT count(*) FROM records').pluck().get() ?? 0;
  const forbidden = judgeClock(database, now) ?? changed;
  const erasure = policy.payloadDays === 0 ? NO_ERASURE : planErasure(database, daysBefore(now, policy.payloadDays));
  const pruning = policy.keepDays === undefined ? NO_PRUNING : planPruning(parts, daysBefore(now, policy.keepDays));
  return { records, erasure, pruning, forbidden };
}

function planErasure(database: Database.Database, before: string): ErasurePlan {
  const { spans, ...rest } = surveyErasure(database, { from: 1, upTo: Number.MAX_SAFE_INTEGER, before });
  return { before, payloads: sum(spans.map(({ payloads }) => payloads)), bytes: sum(spans.map(({ bytes }) => bytes)), ...rest, spans };
}

function planPruning({ database, file, heads, policy }: PlanParts, before: string): PruningPlan {
  const { spans, ...rest } = surveyPruning(database, before);
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
async function judgeLog({ file, folder, key, database }: PlanParts): Promise<string | null> {
  await using source = openSqliteSource({ file });
  const { verdict, problem } = await verifyLog(source, key === undefined ? {} : { key });
  if (verdict !== 'intact') return `The log is not as devs wrote it: ${problem?.what ?? verdict}. See devs logs verify.`;
  return await judgeUnused({ file, folder, database });
}

async function judgeUnused(place: Pick<PlanParts, 'file' | 'folder' | 'database'>): Promise<string | null> {
  const foreign = (await sortUnused(place)).foreign.at(0);
  return foreign === undefined ? null : `There is already a file ${JSON.stringify(foreign)} where an archive should go, and it is not one of this log: look what it is, and move it away.`;
}

/**
 * Files of the names of archives whose records are all still in the log: left by runs that ended just before the records
 * left. What they hold is in the log, so they can be made anew; any other file is not devs's to take away.
 */
export async function sortUnused({ file, folder, database }: Pick<PlanParts, 'file' | 'folder' | 'database'>): Promise<{ readonly own: readonly string[]; readonly foreign: readonly string[] }> {
  const statements = new ChainStatements(database);
  const from = database.prepare<[], number | null>('SELECT min(seq) FROM records').pluck().get() ?? 1;
  const [own, foreign]: [string[], string[]] = [[], []];
  for (const unused of findUnused(file, folder, from)) {
    const leaf = statements.hashAt(unused.upTo);
    const isOwn = leaf !== undefined && holds(await verifyArchive(unused.file), { from, upTo: unused.upTo, leaf });
    if (isOwn) own.push(unused.file);
    else foreign.push(unused.file.slice(folder.length + 1));
  }
  return { own, foreign };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
