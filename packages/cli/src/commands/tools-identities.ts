import { DevsError, type McpServerConfig } from '@devs/core';
import { createServerIdentities } from '@devs/mcp';
import { loadConfig } from '../config/load-config.ts';
import { findCommand } from '../servers/gateway.ts';
import { safeEnvironment } from '../servers/server-environment.ts';
import type { Site } from '../session.ts';
import type { Pinned } from './tools-pinned.ts';

/** By entry, the key under which its pins are, as the gateway has them. */
export function identityKeys(servers: Readonly<Record<string, McpServerConfig>>, root: string): ReadonlyMap<string, string> {
  const { PATH = '' } = safeEnvironment(process.env, root);
  const identify = createServerIdentities({ resolve: (command) => findCommand(command, PATH, root) });
  const enabled = Object.entries(servers).filter(([, { disabled }]) => disabled !== true);
  return new Map(enabled.map(([name, config]) => [name, identify(config, name).key]));
}

/** The same for a command that needs no configuration: with one that cannot be used it still shows what is pinned. */
export async function readIdentityKeys({ request, root }: Pick<Site, 'request' | 'root'>): Promise<ReadonlyMap<string, string>> {
  try {
    return identityKeys((await loadConfig(request)).config.mcpServers, root);
  } catch (cause) {
    if (DevsError.is(cause)) return new Map();
    throw cause;
  }
}

/**
 * Without what is pinned of a server that is configured no more, where one that is has the same name: its old change would stand
 * for the other's, and a yes to the one be asked for with the other. What else is not configured stays: `devs run` guards such.
 */
export function withoutStale(pinned: readonly Pinned[], keys: ReadonlyMap<string, string>): readonly Pinned[] {
  const live = new Set(keys.values());
  const named = new Set(pinned.filter(({ approval }) => live.has(approval.key)).map(({ name }) => name));
  return pinned.filter(({ approval, name }) => live.has(approval.key) || !named.has(name));
}
