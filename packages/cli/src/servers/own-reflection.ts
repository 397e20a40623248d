import { createHash } from 'node:crypto';
import { DevsError, type McpServerConfig } from '@devs/core';

/** Of each devs above this one, which servers it has. */
const VARIABLE = 'DEVS_BEHIND';
const MOST_ABOVE = 16;

type Servers = Readonly<Record<string, McpServerConfig>>;

/**
 * What tells a devs that is started as a server behind devs that the one above has the same servers: whoever pastes all of a
 * client's `mcpServers` pastes devs too, and each would start the next one without end.
 */
export function markServers(servers: Servers, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { [VARIABLE]: [...above(environment), digestOf(servers)].slice(-MOST_ABOVE).join(',') };
}

/** @throws DevsError CONFIG_INVALID where a devs above this one has the same servers */
export function refuseReflection(servers: Servers, environment: NodeJS.ProcessEnv): void {
  if (!above(environment).includes(digestOf(servers)) && above(environment).length < MOST_ABOVE) return;
  const sentence = 'This devs was started by another devs with the same servers: each would start the next one without end. Remove devs from "mcpServers".';
  throw new DevsError('CONFIG_INVALID', { sentence });
}

function above(environment: NodeJS.ProcessEnv): readonly string[] {
  return (environment[VARIABLE] ?? '').split(',').filter((digest) => digest !== '');
}

/** By their names: what stands in an entry may hold variables, which are not the same for a server as for devs. */
function digestOf(servers: Servers): string {
  return createHash('sha256').update(JSON.stringify(Object.keys(servers).toSorted())).digest('hex').slice(0, 16);
}
