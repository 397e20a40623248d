import type { ProcessExit } from '@devs/core';

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
