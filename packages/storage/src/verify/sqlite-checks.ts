import type Database from 'better-sqlite3';
import { sqliteCode } from '../database/sqlite-failure.ts';
import type { Connected } from './connect.ts';
import type { SurroundingFacts } from './record-source.ts';
import { tampered, type Problem } from './report.ts';

/** SQLite's own words for a page that two others name, or that comes to itself. */
const CIRCLE = /2nd reference to page/;

/** What SQLite finds wrong first; `ok` when there is nothing. It follows no page twice, so this ends also where a query would not. */
export function findFirstFault(database: Database.Database): string {
  try {
    return database.prepare<[], string>('PRAGMA integrity_check(1)').pluck().get() ?? 'ok';
  } catch (cause) {
    const code = sqliteCode(cause);
    if (code === '') throw cause;
    return `checking it ended with ${code}`;
  }
}

/** Whether a query may never end. Other damage ends it, and then it is known at which record. */
export function isEndless(fault: string): boolean {
  return CIRCLE.test(fault);
}

/** What is wrong with the database around its records: schema, pages, indexes, the list of open calls. */
export async function* checkDatabase({ database, problem, file, fault }: Connected & { readonly fault: string }, facts: SurroundingFacts): AsyncIterable<Problem> {
  if (database === undefined) return;
  if (problem !== undefined) yield problem;
  yield* orDamaged(() => checkIntegrity(database, fault));
  if (!facts.isRead) return;
  yield* orDamaged(() => checkOpenCalls(database, facts));
  // What builds queries is loaded here, not when a server starts.
  const { checkSearchIndex } = await import('../search/check-search-index.ts');
  const search = await checkSearchIndex({ database, file });
  if (search !== undefined) yield tampered(search.seq, 'search', search.what);
}

function orDamaged(check: () => readonly Problem[]): readonly Problem[] {
  try {
    return check();
  } catch (cause) {
    const code = sqliteCode(cause);
    if (code === '') throw cause;
    return [tampered(null, 'damaged', `the database is damaged: checking it ended with ${code}`)];
  }
}

/** Its own words for a record that an index does not have: the how-manieth record it is. */
const MISSING_FROM_INDEX = /^row (?<row>\d+) missing from index (?<index>\w+)$/;

/**
 * Pages, and each index against the headers that it is made of: an entry that is missing hides a record from queries. Where
 * the pages themselves are damaged nothing more is asked, since SQLite would go on to read what it has just found wanting.
 */
function checkIntegrity(database: Database.Database, fault: string): readonly Problem[] {
  if (fault === 'ok') return [];
  if (!MISSING_FROM_INDEX.test(fault)) return [tampered(null, 'database', `the database does not agree with itself: ${toLine(fault)}`)];
  const first = database.prepare<[], number>('SELECT min(seq) FROM records').pluck().get() ?? 1;
  const messages = database.prepare<[], string>('PRAGMA integrity_check').pluck().all();
  return messages.map((message) => {
    const { row, index } = MISSING_FROM_INDEX.exec(message)?.groups ?? {};
    if (row === undefined) return tampered(null, 'database', `the database does not agree with itself: ${toLine(message)}`);
    const seq = first + Number(row) - 1;
    return tampered(seq, 'database', `record ${seq} is not in the index ${index}: queries do not find it, or find something else`);
  });
}

export function toLine(message: string): string {
  return message.replaceAll('\n', ' ');
}

const LISTED = "SELECT open_calls.call_id AS callId, seq, session, CASE WHEN json_valid(header) THEN header ->> '$.session' END AS hashed FROM open_calls LEFT JOIN records USING (seq)";

interface ListedCall {
  readonly callId: string;
  readonly seq: number;
  readonly session: unknown;
  readonly hashed: unknown;
}

/** Calls that are said to be open against those that are. */
function checkOpenCalls(database: Database.Database, { openCalls, isExact }: SurroundingFacts): readonly Problem[] {
  if (!isExact) return [{ seq: null, code: 'limit', what: 'more calls are open at once than can be held', verdict: 'unknown' }];
  const left = new Map(openCalls);
  for (const { callId, seq, session, hashed } of database.prepare<[], ListedCall>(LISTED).iterate()) {
    if (left.get(callId) !== seq) return [tampered(seq, 'calls', `record ${seq} is said to be a call without an outcome, and it is not one`)];
    // An older devs has told it in the list alone.
    if (hashed !== null && hashed !== session) return [tampered(seq, 'calls', `record ${seq} begins a call, and the list of open calls says that another session of devs runs it`)];
    left.delete(callId);
  }
  return [...left.values()].slice(0, 1).map((seq) => tampered(seq, 'calls', `record ${seq} begins a call without an outcome, and the list of such calls does not have it`));
}
