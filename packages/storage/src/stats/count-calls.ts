import { sql } from 'kysely';
import type { CallCounts, CallStats, Durations, StatsQuery } from '../agent-logs.ts';
import { parseObject } from '../record/to-entry.ts';
import type { LogConnection } from '../database/log-connection.ts';
import { compile, during } from '../database/queries.ts';

/** A caller may ask for as many names as it likes, and each is a line. */
const MOST_TOOLS = 100;

interface StatusCount {
  readonly tool: string;
  readonly status: string;
  readonly calls: number;
}

/** Everything comes out of the index `records_stats`, in its order: no header is taken apart, and nothing is sorted. */
export function countCalls(log: LogConnection, query: StatsQuery): CallStats {
  const byTool = Map.groupBy(countByStatus(log, query), ({ tool }) => tool);
  const counted = [...byTool].map(([toolName, counts]) => ({ toolName, ...toCounts(counts) })).toSorted((a, b) => b.calls - a.calls);
  return {
    tools: counted.slice(0, MOST_TOOLS).map((counts) => ({ ...counts, ...toDurations(log, { ...query, toolName: counts.toolName }, counts) })),
    moreTools: Math.max(0, counted.length - MOST_TOOLS),
    total: addUp(counted),
    notEnded: countNotEnded(log, query),
    countedRefusals: query.toolName === undefined ? countCoalesced(log, query) : 0,
  };
}

const FROM = sql`FROM records INDEXED BY records_stats WHERE status IS NOT NULL`;

function asked({ toolName, ...time }: StatsQuery) {
  return toolName === undefined ? during(time) : sql`AND tool_name = ${toolName} ${during(time)}`;
}

/** Up to so many names each is counted by itself, which takes a third of the time of one question for all. */
const FEW_NAMES = 256;

function countByStatus(log: LogConnection, query: StatsQuery): readonly StatusCount[] {
  const tools = query.toolName === undefined ? fewNamesOf(log) : [query.toolName];
  if (tools === undefined) return log.all(groupByStatus(query));
  return tools.flatMap((tool) =>
    distinct((after) => log.all(nextStatus(tool, after))[0]?.name, FEW_NAMES).map((status) => ({ tool, status, calls: log.all(countOf({ ...query, toolName: tool }, status))[0]?.calls ?? 0 })),
  ).filter(({ calls }) => calls > 0);
}

/** Undefined: there are more, or one that is no name, in a record that somebody has changed. */
function fewNamesOf(log: LogConnection): readonly string[] | undefined {
  if (log.all(compile(sql`SELECT 1 ${FROM} AND tool_name IS NULL LIMIT 1`)).length > 0) return undefined;
  const names = distinct((after) => log.all(nextTool(after))[0]?.name, FEW_NAMES + 1);
  return names.length > FEW_NAMES ? undefined : names;
}

/** From one to the next in an index, without what lies between. */
function distinct(next: (after: string | undefined) => string | undefined, most: number): readonly string[] {
  const found: string[] = [];
  for (let name = next(undefined); name !== undefined && found.length < most; name = next(name)) found.push(name);
  return found;
}

function nextTool(after: string | undefined) {
  return compile(sql<{ name: string }>`SELECT tool_name AS name ${FROM} ${after === undefined ? sql`` : sql`AND tool_name > ${after}`} ORDER BY tool_name LIMIT 1`);
}

function nextStatus(tool: string, after: string | undefined) {
  return compile(sql<{ name: string }>`SELECT status AS name ${FROM} AND tool_name = ${tool} ${after === undefined ? sql`` : sql`AND status > ${after}`} ORDER BY status LIMIT 1`);
}

function countOf(query: StatsQuery, status: string) {
  return compile(sql<{ calls: number }>`SELECT count(*) AS calls ${FROM} ${asked(query)} AND status = ${status}`);
}

function groupByStatus(query: StatsQuery) {
  return compile(sql<StatusCount>`SELECT tool_name AS tool, status, count(*) AS calls ${FROM} ${asked(query)} GROUP BY tool_name, status`);
}

function toCounts(counts: readonly StatusCount[]): CallCounts {
  const of = (status: string) => counts.find((count) => count.status === status)?.calls ?? 0;
  const calls = counts.reduce((total, count) => total + count.calls, 0);
  return { calls, ok: of('ok'), errors: of('error'), refusals: of('denied'), withheld: of('withheld'), unknown: of('unknown') };
}

function addUp(counts: readonly CallCounts[]): CallCounts {
  const sum = (name: keyof CallCounts) => counts.reduce((total, count) => total + count[name], 0);
  return { calls: sum('calls'), ok: sum('ok'), errors: sum('errors'), refusals: sum('refusals'), withheld: sum('withheld'), unknown: sum('unknown') };
}

/** What ran and ended, of which there is any: a refusal takes no time that says anything of the tool. */
function statusesOf({ ok, errors, withheld }: CallCounts): readonly string[] {
  const counts = { ok, error: errors, withheld };
  return Object.entries(counts).flatMap(([status, count]) => (count > 0 ? [status] : []));
}

interface Ranked {
  readonly query: StatsQuery;
  readonly statuses: readonly string[];
  /** How many there are to be ranked. */
  readonly count: number;
}

function toDurations(log: LogConnection, query: StatsQuery, counts: CallCounts): Durations {
  const statuses = statusesOf(counts);
  if (statuses.length === 0) return { p50: undefined, p95: undefined, p99: undefined };
  // The writer stores -1 for a duration that was none.
  const untimed = log.all(countUntimed(query, statuses)).reduce((total, { calls }) => total + calls, 0);
  const count = counts.ok + counts.errors + counts.withheld - untimed;
  const at = (share: number) => (count <= 0 ? undefined : log.all(findDuration({ query, statuses, count }, Math.ceil(share * count)))[0]?.ms);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function countUntimed(query: StatsQuery, statuses: readonly string[]) {
  return compile(sql<{ calls: number }>`SELECT count(*) AS calls ${FROM} ${asked(query)} AND status IN (${sql.join(statuses)}) AND duration_ms < 0`);
}

/** The one of that rank, from 1; counted from the nearer end. The parts of the index, each in order, are merged: the fewer, the quicker. */
function findDuration({ query, statuses, count }: Ranked, rank: number) {
  const isNearStart = rank <= count / 2;
  const order = isNearStart ? sql`ASC` : sql`DESC`;
  const offset = isNearStart ? rank - 1 : count - rank;
  const parts = statuses.map((status) => sql`SELECT duration_ms AS ms ${FROM} ${asked(query)} AND status = ${status} AND duration_ms >= 0`);
  return compile(sql<{ ms: number }>`${sql.join(parts, sql` UNION ALL `)} ORDER BY ms ${order} LIMIT 1 OFFSET ${offset}`);
}

/** As many as run at once: each is looked at. */
function countNotEnded(log: LogConnection, { toolName, since, until }: StatsQuery): number {
  const headers = log.openCalls().map((seq) => log.get(seq)?.parsed);
  return headers.filter((header) => {
    if (header === undefined) return toolName === undefined && since === undefined && until === undefined;
    const { toolName: name, timestamp } = header;
    const isOfTime = (since === undefined || String(timestamp) >= since) && (until === undefined || String(timestamp) < until);
    return isOfTime && (toolName === undefined || name === toolName);
  }).length;
}

/** By the time at which they were written down, which is within minutes of when they came. */
function countCoalesced(log: LogConnection, { since, until }: StatsQuery): number {
  const facts = compile(sql<{ header: unknown }>`SELECT header FROM records INDEXED BY records_facts WHERE call_id IS NULL AND kind = 'call.coalesced'`);
  let total = 0;
  for (const { header } of log.all(facts)) {
    const { timestamp, count } = parseObject(header) ?? {};
    if (typeof timestamp !== 'string' || typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) continue;
    if ((since === undefined || timestamp >= since) && (until === undefined || timestamp < until)) total += count;
  }
  return total;
}
