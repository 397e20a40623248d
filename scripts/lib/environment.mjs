import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { inRepository } from './repository.mjs';

function isWritableFolder(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Where npm, pnpm and turbo may keep what they download. A home that is missing or read-only (a
 * service account, a locked-down container) must not stop the set-up, so caches then move into the
 * repository. Only for set-up: the server's own state folder is none of this.
 */
export function setupEnvironment(environment = process.env, home = os.homedir()) {
  const quiet = { ...environment, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  if (isWritableFolder(home)) return quiet;
  const caches = inRepository('.turbo', 'home');
  mkdirSync(caches, { recursive: true });
  return {
    ...quiet,
    npm_config_cache: path.join(caches, 'npm'),
    XDG_CACHE_HOME: path.join(caches, 'cache'),
    XDG_CONFIG_HOME: path.join(caches, 'config'),
    XDG_DATA_HOME: path.join(caches, 'data'),
    XDG_STATE_HOME: path.join(caches, 'state'),
  };
}
