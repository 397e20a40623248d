import { isRecord } from '../json.ts';
import type { ConfigProblem } from './problems.ts';
import { findKeyProblems, findNameProblems } from './server-keys.ts';
import { findTextProblems } from './server-texts.ts';

/** What is wrong with servers and no schema can say. Of anything at all: what is no object the schema refuses. */
export function findServerProblems(config: unknown): readonly ConfigProblem[] {
  const servers = isRecord(config) ? config['mcpServers'] : undefined;
  if (!isRecord(servers)) return [];
  return Object.entries(servers).flatMap(([name, server]) => [
    ...findNameProblems(name),
    ...(isRecord(server) ? [...findKeyProblems(name, server), ...findTextProblems(name, server)] : []),
  ]);
}
