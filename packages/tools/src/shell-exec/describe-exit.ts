import type { MendedLink, MovedAside, ProcessExit } from '@devs/core';
import { cutWords } from '@devs/core';
import { quoteName } from '../quote-name.ts';

/** Of what was moved, as many are named. */
const MOST_NAMED = 10;
/** Of a path: one of the longest would bury what else the answer says. */
const MOST_CHARACTERS = 200;

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
  return `[devs: no tool may make these, so they were moved aside: ${list(moved.map(({ path, to }) => `${quote(path)} is now ${quote(to)}`))}.]`;
}

/** Names the links of the user's that git, editors or package managers obey, and that the command had taken away. */
export function describeLinks(links: readonly MendedLink[]): readonly string[] {
  const named = (isBack: boolean) => links.filter((link) => link.isBack === isBack).map(({ path, leadsTo }) => `${quote(path)} to ${quote(leadsTo)}`);
  const [back, gone] = [named(true), named(false)];
  return [
    ...(back.length > 0 ? [`[devs: no tool may remove or replace these links, so they were put back: ${list(back)}.]`] : []),
    ...(gone.length > 0 ? [`[devs: these protected links are gone with the folder that they were in: ${list(gone)}.]`] : []),
  ];
}

function list(named: readonly string[]): string {
  const rest = named.length - MOST_NAMED;
  return named.slice(0, MOST_NAMED).join('; ') + (rest > 0 ? `; and ${String(rest)} more` : '');
}

/** As a string where it could be taken for more than a name: the command has chosen it, and the words around it are devs's own. */
function quote(name: string): string {
  const shown = name.length > MOST_CHARACTERS ? `${cutWords(name, MOST_CHARACTERS)}...` : name;
  return quoteName(shown, /[^\w./+-]/);
}
