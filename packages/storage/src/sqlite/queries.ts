import type { AgentLogQuery } from '@devs/core';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
} from 'kysely';
import type { CallRow } from '../record/rows.ts';

interface Tables {
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
