import { cutWords, type MendedLink, type MovedAside, type RawContent } from '@devs/core';
import { quoteName } from './quote-name.ts';

/** Of what was moved, as many are named. */
const MOST_NAMED = 10;
/** Of a path: one of the longest would bury what else the answer says. */
const MOST_CHARACTERS = 200;

/** Names what was made that git, editors or package managers of the user would have obeyed. */
export function movedNotices(moved: readonly MovedAside[]): readonly RawContent[] {
  const named = moved.map(({ path, to }) => `${quote(path)} is now ${quote(to)}`);
  return noticeOf('no tool may make these, so they were moved aside', named);
}

/** Names the links of the user's that git, editors or package managers obey, and that were taken away. */
export function linkNotices(links: readonly MendedLink[]): readonly RawContent[] {
  const named = (isBack: boolean) => links.filter((link) => link.isBack === isBack).map(({ path, leadsTo }) => `${quote(path)} to ${quote(leadsTo)}`);
  return [
    ...noticeOf('no tool may remove or replace these links, so they were put back', named(true)),
    ...noticeOf('these protected links are gone with the folder that they were in', named(false)),
  ];
}

/** Said also where the output is withheld. */
export function effectNotice(text: string): RawContent {
  return { type: 'notice', text, tellsEffect: true };
}

function noticeOf(what: string, named: readonly string[]): readonly RawContent[] {
  const rest = named.length - MOST_NAMED;
  const list = named.slice(0, MOST_NAMED).join('; ') + (rest > 0 ? `; and ${String(rest)} more` : '');
  return named.length === 0 ? [] : [effectNotice(`[devs: ${what}: ${list}.]`)];
}

/** As a string where it could be taken for more than a name: the command has chosen it, and the words around it are devs's own. */
function quote(name: string): string {
  const shown = name.length > MOST_CHARACTERS ? `${cutWords(name, MOST_CHARACTERS)}...` : name;
  return quoteName(shown, /[^\w./+-]/);
}
