import { quoteName } from '../protocol/quote-name.ts';
import { cutWords } from '../protocol/text.ts';
import type { MendedLink, MovedAside } from './confined-tools.ts';

/** Of each kind, as many are named. */
const MOST_NAMED = 10;
/** Of a path: one of the longest would bury what else the answer says. */
const MOST_CHARACTERS = 200;

/** What devs itself has changed in the project after a command or a commit. */
export interface ProjectEffects {
  readonly movedAside: readonly MovedAside[];
  readonly links?: readonly MendedLink[];
}

/** A sentence for each kind of effect, in lower case: it may stand behind `devs: `. None where nothing was changed. */
export function describeEffects({ movedAside, links = [] }: ProjectEffects): readonly string[] {
  const named = (isBack: boolean) => links.filter((link) => link.isBack === isBack).map(({ path, leadsTo }) => `${quote(path)} to ${quote(leadsTo)}`);
  return [
    ...sentenceOf('no tool may make these, so they were moved aside', movedAside.map(({ path, to }) => `${quote(path)} is now ${quote(to)}`)),
    ...sentenceOf('no tool may remove or replace these links, so they were put back', named(true)),
    ...sentenceOf('these protected links are gone with the folder that they were in', named(false)),
  ];
}

function sentenceOf(what: string, named: readonly string[]): readonly string[] {
  const rest = named.length - MOST_NAMED;
  const list = named.slice(0, MOST_NAMED).join('; ') + (rest > 0 ? `; and ${String(rest)} more` : '');
  return named.length === 0 ? [] : [`${what}: ${list}.`];
}

/** As a string where it could be taken for more than a name: the command has chosen it, and the words around it are devs's own. */
function quote(name: string): string {
  const shown = name.length > MOST_CHARACTERS ? `${cutWords(name, MOST_CHARACTERS)}...` : name;
  return quoteName(shown, /[^\w./+-]/);
}
