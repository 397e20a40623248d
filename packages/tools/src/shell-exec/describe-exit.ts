import type { MovedAside, ProcessExit } from '@devs/core';
import { quoteName } from '../quote-name.ts';

/** Of what was moved, as many are named. */
const MOST_NAMED = 10;

const LIMITS = {
  wall: 'it took longer than it may. Ask for more time with "timeoutMs", or for less work at once',
  output: 'it wrote more output than anybody can read. Write it to a file, or ask for less',
  memory: 'it used more memory than it may',
  processes: 'it needed more processes than it may have',
} as const;

/** How a command ended. Undefined where there is nothing to say: it ended well, and its output shows it. */
export function describeExit(exit: ProcessExit, isSilent: boolean): string | undefined {
  switch (exit.kind) {
    case 'code':
      if (exit.code !== 0) return `[devs: the command ended with exit code ${String(exit.code)}.${hintFor(exit.code)}]`;
      return isSilent ? '[devs: the command ended well, without output.]' : undefined;
    case 'signal':
      return `[devs: the command was ended by the signal ${exit.signal}.]`;
    case 'limit':
      return `[devs: the command was ended by a limit: ${LIMITS[exit.limit]}.]`;
    case 'cancelled':
      return '[devs: the command was cancelled.]';
    case 'setup':
      return '[devs: the command could not be started.]';
  }
}

/** What shells and prlimit say when they cannot run a program. */
function hintFor(code: number): string {
  if (code === 127) return ' There may be no such program in its PATH.';
  return code === 126 ? ' The program may not be executable.' : '';
}

export const ROOT_CLOSED = '[devs: no tool may let other accounts write the project folder, so that permission was taken back.]';

/** Names what the command has made that git, editors or package managers of the user would have obeyed. */
export function describeMoved(moved: readonly MovedAside[]): string | undefined {
  if (moved.length === 0) return undefined;
  const named = moved.slice(0, MOST_NAMED).map(({ path, to }) => `${quoteName(path)} is now ${quoteName(to)}`);
  const rest = moved.length - named.length;
  const more = rest > 0 ? `; and ${String(rest)} more` : '';
  return `[devs: no tool may make these, so they were moved aside: ${named.join('; ')}${more}.]`;
}
