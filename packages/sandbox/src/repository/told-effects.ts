import { DevsError, type MendedLink, type MovedAside } from '@devs/core';
import { quotePath } from '../files/errno.ts';

/** Of each kind, as many are named. */
const MOST_NAMED = 10;

const UNKNOWN = 'Check what the command did before you call it again.';

/** What stays of a command or a commit also when it is refused. */
export interface Effects {
  readonly movedAside: readonly MovedAside[];
  readonly links: readonly MendedLink[];
}

/**
 * The same error with what was moved aside and put back, which a refusal would keep from whoever asked. It comes first: a hook
 * has chosen the words at the end, and could imitate what follows them.
 */
export function withEffects(error: unknown, effects: Effects, signal: AbortSignal): unknown {
  const told = describe(effects);
  // The gate knows its own reason by identity, and nobody waits for more.
  if (told === '' || (signal.aborted && error === signal.reason)) return error;
  if (!DevsError.is(error)) return new DevsError('PROJECT_UNSAFE', { sentence: `${told} The command has run, and its sandbox failed.`, suggestion: UNKNOWN, cause: error });
  const { code, sentence, suggestion, repair, decidedBy, cause } = error;
  return new DevsError(code, {
    sentence: `${told} ${sentence}`,
    cause,
    ...(suggestion !== undefined && { suggestion }),
    ...(repair !== undefined && { repair }),
    ...(decidedBy !== undefined && { decidedBy }),
  });
}

/** Does what may be refused once there are effects. */
export async function tellEffects<Result>(effects: Effects, signal: AbortSignal, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw withEffects(error, effects, signal);
  }
}

function describe({ movedAside, links }: Effects): string {
  const ofLinks = (isBack: boolean) => links.filter((link) => link.isBack === isBack).map(({ path, leadsTo }) => `${quotePath(path)} to ${quotePath(leadsTo)}`);
  return [
    ...sentenceOf('No tool may make these, so they were moved aside', movedAside.map(({ path, to }) => `${quotePath(path)} is now ${quotePath(to)}`)),
    ...sentenceOf('No tool may remove or replace these links, so they were put back', ofLinks(true)),
    ...sentenceOf('These protected links are gone with the folder that they were in', ofLinks(false)),
  ].join(' ');
}

function sentenceOf(what: string, named: readonly string[]): readonly string[] {
  const rest = named.length - MOST_NAMED;
  const list = named.slice(0, MOST_NAMED).join('; ') + (rest > 0 ? `; and ${String(rest)} more` : '');
  return named.length === 0 ? [] : [`${what}: ${list}.`];
}
