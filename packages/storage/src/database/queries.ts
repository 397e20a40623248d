import type { AgentLogEntry, AgentLogQuery } from '@devs/core';
import { DummyDriver, Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type CompiledQuery, type RawBuilder } from 'kysely';

/** Builds SQL and runs none: better-sqlite3 does, on the one connection. */
const build = new Kysely<Record<never, never>>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/*
 * None of these reads the text of a header: what is asked for stands in the indexes. So a header that somebody has
 * damaged, and that SQLite would fail to take apart, ends no query. Which index is said, not left to the planner: by
 * itself it looks each record up and takes its header apart, at twenty times the time.
 */

interface Filter {
  readonly column: 'status' | 'epic_id' | 'agent_id' | 'phase_id' | 'tool_name';
  readonly index: string;
  readonly value: string;
}

/** Statuses that `records_status` has: all but the one that nearly all calls have. */
const RARE_STATUSES: readonly AgentLogEntry['status'][] = ['error', 'denied', 'withheld', 'unknown'];

/** The one with the fewest calls first, as far as one can know. */
function filtersOf({ status, epicId, agentId, phaseId, toolName }: AgentLogQuery): readonly Filter[] {
  const isRare = status !== undefined && RARE_STATUSES.includes(status);
  const asked: readonly [Filter['column'], string, string | undefined][] = [
    ['status', 'records_status', isRare ? status : undefined],
    ['epic_id', 'records_epic', epicId],
    ['agent_id', 'records_agent', agentId],
    ['phase_id', 'records_phase', phaseId],
    ['tool_name', 'records_tool', toolName],
  ];
  return asked.flatMap(([column, index, value]) => (value === undefined ? [] : [{ column, index, value }]));
}

/** That the record of `call` is in the part of an index that has this value. */
function isIn({ column, index, value }: Filter): RawBuilder<unknown> {
  return sql`EXISTS (SELECT 1 FROM records AS other INDEXED BY ${sql.ref(index)} WHERE ${holds('other', column, value)} AND other.seq = call.seq)`;
}

function holds(table: string, column: Filter['column'], value: string): RawBuilder<unknown> {
  const named = sql.ref(`${table}.${column}`);
  const status = sql.ref(`${table}.status`);
  // What the partial index says of itself, or SQLite does not use it.
  const partial = column === 'status' ? sql`${status} IS NOT NULL AND ${status} <> 'ok'` : sql`${status} IS NOT NULL`;
  return sql`${named} = ${value} AND ${partial}`;
}

type TimeSpan = Pick<AgentLogQuery, 'since' | 'until'>;

/** `first` and `last` are included. */
export interface SeqRange {
  readonly first: number;
  readonly last: number;
}

/**
 * `seq` of records that may answer the query, the newest first: outcomes that have its values; or, where it asks for
 * none that has an index, simply records. The reader looks at each.
 */
export function findCandidates(query: AgentLogQuery, { first, last }: SeqRange, limit: number): CompiledQuery<{ seq: number }> {
  const [main, ...others] = filtersOf(query);
  const range = sql`call.seq BETWEEN ${first} AND ${last}`;
  const end = sql`ORDER BY call.seq DESC LIMIT ${limit}`;
  if (main === undefined) return sql<{ seq: number }>`SELECT seq FROM records AS call WHERE ${range} ${end}`.compile(build);
  const notOk = RARE_STATUSES.map((value) => sql`AND NOT ${isIn({ column: 'status', index: 'records_status', value })}`);
  const more = [...others.map((filter) => sql`AND ${isIn(filter)}`), ...(query.status === 'ok' ? notOk : [])];
  const where = sql`${holds('call', main.column, main.value)} AND ${range} ${sql.join(more, sql` `)}`;
  return sql<{ seq: number }>`SELECT seq FROM records AS call INDEXED BY ${sql.ref(main.index)} WHERE ${where} ${end}`.compile(build);
}

/**
 * The first and the last `seq` of outcomes whose call came in that time; nulls when there is none. Nearly all between
 * them are of that time too, but a clock may have gone backwards, so the reader looks at each.
 */
export function findTimeRange(time: TimeSpan): CompiledQuery<{ first: number | null; last: number | null }> {
  return sql<{ first: number | null; last: number | null }>`SELECT min(seq) AS first, max(seq) AS last FROM records INDEXED BY records_time
    WHERE status IS NOT NULL ${during(time)}`.compile(build);
}

/** Conditions on `timestamp`, each with its AND. */
export function during({ since, until }: TimeSpan): RawBuilder<unknown> {
  const from = since === undefined ? sql`` : sql`AND timestamp >= ${since}`;
  return until === undefined ? from : sql`${from} AND timestamp < ${until}`;
}

export interface FoundCall {
  readonly id: string;
  readonly seq: number;
}

/** Up to two calls of each sort whose id starts with the prefix, the shortest first. A range, so nothing in it is a wildcard. */
export function findCalls(prefix: string): readonly CompiledQuery<FoundCall>[] {
  // Ids are printable ASCII: nothing that starts with the prefix sorts after it and DEL.
  const range = sql`call_id >= ${prefix} AND call_id < ${`${prefix}\x7f`}`;
  const end = sql`ORDER BY call_id LIMIT 2`;
  return [
    sql<FoundCall>`SELECT call_id AS id, seq FROM records INDEXED BY records_outcome WHERE ${range} AND status IS NOT NULL ${end}`.compile(build),
    sql<FoundCall>`SELECT call_id AS id, seq FROM open_calls WHERE ${range} ${end}`.compile(build),
  ];
}

/** Where a call began and where it ended, as far as it did. */
export function findRecordsOf(callId: string): readonly CompiledQuery<{ seq: number }>[] {
  return [
    sql<{ seq: number }>`SELECT seq FROM records INDEXED BY records_start WHERE call_id = ${callId} AND kind = 'call.started'`.compile(build),
    sql<{ seq: number }>`SELECT seq FROM records INDEXED BY records_outcome WHERE call_id = ${callId} AND status IS NOT NULL`.compile(build),
  ];
}

/** Compiles a query that another file has written. */
export function compile<Row>(query: RawBuilder<Row>): CompiledQuery<Row> {
  return query.compile(build);
}
