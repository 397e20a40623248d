import path from 'node:path';
import { HOME, TEMPORARY } from './box-places.ts';
import type { ServerOrder } from './server-order.ts';

/** They lead to places that are not in the box, or to a proxy that cannot be reached from it. */
const ELSEWHERE = /^(?:XDG_.*|(?:https?|all|no|ftp)_proxy|npm_config_(?:cache|userconfig|globalconfig|prefix|local_prefix|global_prefix|init_module)|SSH_AUTH_SOCK|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS)$/i;
/** There is one way to programs, and one out. */
const OURS = /^(?:PATH|(?:https?|all|no)_proxy)$/i;

/**
 * What a server finds in its environment: what it would find without a box, but for what leads elsewhere, and what its user
 * has written for it.
 * @param programs `PATH`, and what programs outside of the system have to know
 */
export function toServerEnvironment(order: ServerOrder, programs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.entries(order.env).flatMap(([name, value]): [string, string][] => (value === undefined || ELSEWHERE.test(name) ? [] : [[name, value]]));
  const own = Object.entries(order.ownEnv).filter(([name]) => !OURS.test(name));
  return { ...Object.fromEntries(kept), ...programs, HOME, TMPDIR: `${HOME}/${TEMPORARY}`, ...withoutNetwork(order), ...Object.fromEntries(own) };
}

/**
 * What starts servers out of packages keeps those that it has fetched in its home. Where nothing can be fetched it takes
 * them from there: else it asks a registry for a minute that it cannot reach, and the server is late.
 */
function withoutNetwork({ command, hosts }: ServerOrder): Readonly<Record<string, string>> {
  if (hosts.length > 0) return {};
  const starter = path.basename(command);
  if (starter === 'npx' || starter === 'npm') return { npm_config_offline: 'true' };
  return starter === 'uvx' || starter === 'uv' ? { UV_OFFLINE: '1' } : {};
}
