import type { ClientInfo } from '../../client-info.ts';

/** Milliseconds that a client waits for servers, once for each of them; those that take longer come when they come. */
export interface Patience {
  /** With something that may be theirs. */
  readonly useMs: number;
  /** With a list, which has what the others offer. */
  readonly listMs: number;
}

/**
 * A list waits a second: clients offer their model no tool at all before they have it, devs's own and those of quick servers
 * neither, and they ask again when they are told that there is more. A call waits longer: it has nothing else to wait for.
 */
const PATIENCE: Patience = Object.freeze({ useMs: 10_000, listMs: 1_000 });

/** Clients that never ask for a list again, whatever they are told (seen with Codex 0.169): what is not in their first list is lost to them. */
const ASKING_ONCE = /^codex\b/i;

export function patienceOf({ clientInfo }: ClientInfo): Patience {
  return ASKING_ONCE.test(clientInfo.name) ? { ...PATIENCE, listMs: PATIENCE.useMs } : PATIENCE;
}
