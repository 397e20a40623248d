import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../config/project.ts';

/** What a program needs to start and to write where its user reads; nothing that could be a secret. */
const SAFE = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];

/** What servers of the configuration get of devs's own environment. What else they need stands in their entries, where it can be seen. */
export function safeEnvironment(environment: NodeJS.ProcessEnv, root: string): NodeJS.ProcessEnv {
  const { PATH, ...safe } = Object.fromEntries(SAFE.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
  return { ...safe, ...(PATH !== undefined && { PATH: pathOutside(PATH, root) }) };
}

/** Without folders of the root: `npx` from its `bin` would be whatever an agent has put there. */
function pathOutside(searchPath: string, root: string): string {
  const isOutside = (folder: string) => path.isAbsolute(folder) && !isWithin(realOf(folder), root);
  return searchPath.split(path.delimiter).filter(isOutside).join(path.delimiter);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
