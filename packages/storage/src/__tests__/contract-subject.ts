import type { AgentLogEntry, AgentLogQuery } from '@devs/core';
import type { AgentLogs } from '../index.ts';
import { callId, recordOf } from './fixtures.ts';

/** The log under test: an empty one at the start of each test. */
export interface ContractSubject {
  readonly logs: AgentLogs;
}

/** Ids of the calls that a query gives, in its order. */
export async function idsOf({ logs }: ContractSubject, query: Partial<AgentLogQuery> = {}): Promise<readonly string[]> {
  return (await logs.list({ limit: 1_000, ...query })).map(({ id }) => id);
}

/** What a reader gets for a call that was logged with this input. */
export async function storedInput({ logs }: ContractSubject, input: unknown): Promise<AgentLogEntry['input']> {
  const id = callId((await logs.list({ limit: 1_000 })).length + 1);
  await logs.append(recordOf({ id, input }));
  return (await logs.get(id))?.input;
}
