import type { AgentLogQuery } from '@devs/core';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type CompiledQuery,
  type RawBuilder,
} from 'kysely';
import type { CallRow, RecordRow } from '../record/rows.ts';

interface Tables {
  readonly agent_log_records: { readonly [Column in keyof RecordRow]: RecordRow[Column] };
  readonly agent_logs: CallRow;
}

/** Builds SQL and runs none: better-sqlite3 does, on the one connection. */
const build = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A parameter by name: the statement is prepared once and bound to each row. */
function bound<Column extends keyof RecordRow>(column: Column): RawBuilder<RecordRow[Column]> {
  return sql.raw<RecordRow[Column]>(`@${column}`);
}

/** The input is stored once a call: an outcome repeats it only where it differs from the start's. */
const inputUnlessStarted = sql<string>`CASE WHEN EXISTS (
  SELECT 1 FROM agent_log_records
  WHERE call_id = ${bound('call_id')} AND kind = 'started' AND input = ${bound('input')}
) THEN NULL ELSE ${bound('input')} END`;

/** Inserts a `RecordRow` given as named parameters. */
export function insertRecord(): string {
  const compiled = build
    .insertInto('agent_log_records')
    .values({
      call_id: bound('call_id'),
      kind: bound('kind'),
      tool_name: bound('tool_name'),
      agent_id: bound('agent_id'),
      turn_index: bound('turn_index'),
      phase_id: bound('phase_id'),
      epic_id: bound('epic_id'),
      task_id: bound('task_id'),
      principal: bound('principal'),
      channel: bound('channel'),
      parent_call_id: bound('parent_call_id'),
      rule: bound('rule'),
      timestamp: bound('timestamp'),
      status: bound('status'),
      is_error: bound('is_error'),
      code: bound('code'),
      duration_ms: bound('duration_ms'),
      detail: bound('detail'),
      sanitization: bound('sanitization'),
      input_form: bound('input_form'),
      output_form: bound('output_form'),
      input: inputUnlessStarted,
      output: bound('output'),
    })
    .compile();
  return compiled.sql;
}

/** Calls, the one with the newest record first. */
export function listCalls(query: AgentLogQuery): CompiledQuery<CallRow> {
  const { toolName, agentId, status } = query;
  return build
    .selectFrom('agent_logs')
    .selectAll()
    .$if(toolName !== undefined, (calls) => calls.where('tool_name', '=', toolName ?? ''))
    .$if(agentId !== undefined, (calls) => calls.where('agent_id', '=', agentId ?? ''))
    .$if(status !== undefined, (calls) => calls.where('status', '=', status ?? 'started'))
    .orderBy('seq', 'desc')
    .limit(query.limit)
    .compile();
}

/** Up to two calls whose id starts with the prefix, the shortest first. A range, so nothing in it is a wildcard. */
export function findCalls(prefix: string): CompiledQuery<CallRow> {
  return build
    .selectFrom('agent_logs')
    .selectAll()
    .where('id', '>=', prefix)
    // Ids are printable ASCII: nothing that starts with the prefix sorts after it and DEL.
    .where('id', '<', `${prefix}\x7f`)
    .orderBy('id')
    .limit(2)
    .compile();
}
