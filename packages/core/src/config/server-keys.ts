import { closestName } from './closest-name.ts';
import { OWN_KEYS, SERVER_KEYS } from './mcp-servers-schema.ts';
import { toPointer } from './pointer.ts';
import type { ConfigProblem } from './problems.ts';

/** Where devs's own tools come from, in the scope of a token and in the log. */
const OWN_SOURCE = 'built-in';

/** Names that no server can have, beside those that the schema refuses. */
export function findNameProblems(name: string): readonly ConfigProblem[] {
  const rule = ruleOfName(name);
  return rule === undefined ? [] : [{ pointer: toPointer(['mcpServers', name]), problem: rule, rule }];
}

function ruleOfName(name: string): string | undefined {
  // A token for devs's own tools would reach the server's.
  if (name.toLowerCase() === OWN_SOURCE) return 'cannot be the name of a server: "built-in" are devs’s own tools, where tokens name what they reach';
  // JavaScript puts such keys before all others, so that a project's server would come before the operator's, and have their names.
  if (/^\d+$/.test(name)) return 'cannot be the name of a server: one of digits alone would stand before those of other files; put a letter into it';
  return undefined;
}

/**
 * Keys of other programs pass, so that a pasted file holds. One that was meant for devs would pass with them, and
 * `"Sandbox": { "mode": "require" }` be a box that is not there.
 */
export function findKeyProblems(name: string, server: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  return Object.entries(server).flatMap(([key, value]) => {
    const rule = ruleOfKey(key, value);
    return rule === undefined ? [] : [{ pointer: toPointer(['mcpServers', name, key]), problem: rule, rule }];
  });
}

function ruleOfKey(key: string, value: unknown): string | undefined {
  if (SERVER_KEYS.includes(key)) return undefined;
  const lower = key.toLowerCase();
  if (lower === 'enabled') return value === true ? undefined : 'is not read by devs unless it is true; to leave the server out, write "disabled": true';
  // Of what all clients have, the case alone: VS Code's `dev` is two letters away from `env`.
  const meant = SERVER_KEYS.find((known) => known.toLowerCase() === lower) ?? closestName(key, OWN_KEYS);
  return meant === undefined ? undefined : `is an unknown key; did you mean "${meant}"; keys of other programs may stand here, but none so near to one of devs`;
}
