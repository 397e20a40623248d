import { isRecord } from '@devs/core';
import { claimOf } from '../secrets/names.ts';
import { variablesOf, type Variables } from './expand.ts';
import { serversIn } from './server-files.ts';

/** A variable of the environment that servers of a file are handed. */
export interface TakenVariable {
  readonly name: string;
  readonly servers: readonly string[];
}

/**
 * All that the servers of a file take out of the environment, wherever in their entries: a token leaves in a query as well
 * as in a header. First those that are set and called like a secret, so that a long list cannot bury them.
 */
export function listTaken(written: Readonly<Record<string, unknown>>, variables: Variables): readonly TakenVariable[] {
  const taken = new Map<string, Set<string>>();
  for (const [server, entry] of serversIn(written)) {
    for (const name of textsIn(entry).flatMap(variablesOf)) taken.set(name, (taken.get(name) ?? new Set()).add(server));
  }
  const weight = (name: string) => (variables[name] === undefined ? 0 : 2) + (claimOf(name) === 'none' ? 0 : 1);
  return [...taken].map(([name, servers]) => ({ name, servers: [...servers] })).toSorted((one, other) => weight(other.name) - weight(one.name));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}
