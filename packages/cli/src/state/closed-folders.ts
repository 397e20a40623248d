import path from 'node:path';
import { withMountedNames } from '@devs/sandbox';
import { homesOfAccount } from './account.ts';
import type { StateFolder } from './state-folder.ts';

/** Where the private folders of servers lie when boxes run as another account: devs is root then. */
export const SERVERS_OF_ACCOUNT = '/var/lib/devs/servers';

/** The variables that move what devs trusts by its place. */
export interface PlaceVariables {
  readonly XDG_CONFIG_HOME?: string | undefined;
  readonly XDG_STATE_HOME?: string | undefined;
}

/**
 * Every folder whose content devs trusts because of where it lies: configuration, trust records, tokens, keys, pins, logs.
 * No tool, box or server reaches any of them, of any project, whether it exists or not. This is the only list of them.
 *
 * Besides the folders that the environment of this process names, those of an environment without these variables: another
 * devs of the same account, started without them, trusts what it finds there. And each under every name that mounts give it.
 * @param homes of the account, and of others that are served: a devs of theirs trusts what lies there
 */
export function closedFolders(own: Pick<StateFolder, 'path'>, variables: PlaceVariables = process.env, homes = homesOfAccount()): readonly string[] {
  const { XDG_CONFIG_HOME, XDG_STATE_HOME } = variables;
  const parents = [XDG_CONFIG_HOME, XDG_STATE_HOME, ...homes.flatMap((home) => [path.join(home, '.config'), path.join(home, '.local/state')])];
  // As a whole, not project by project: the state of a project that is first served later lies in it too.
  const shared = parents.flatMap((parent) => (parent !== undefined && path.isAbsolute(parent) ? [path.join(parent, 'devs')] : []));
  return withMountedNames([own.path, ...shared, ...(process.geteuid?.() === 0 ? [SERVERS_OF_ACCOUNT] : [])]);
}
