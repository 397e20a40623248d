/** Every spelling of it folds to itself: most names do, and a listing folds a great many. */
const PLAIN = /^[a-z0-9_.-]*[a-z0-9_-]$/;

/**
 * One spelling for all the spellings that some file system takes for the same name: upper and lower
 * case, composed and decomposed, with characters that HFS+ ignores (U+200C), with the trailing dots
 * and spaces that NTFS drops, with an NTFS stream (`.git::$INDEX_ALLOCATION`). It folds more than
 * any one file system does: a name too many is refused, none slips through.
 * @example
 * ```ts
 * import { foldName } from '@devs/core';
 * console.log(foldName('.GIT. '), foldName('.git::$INDEX_ALLOCATION')); // .git .git
 * ```
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name;
  const [plain = ''] = name.normalize('NFKD').split(':', 1);
  // By way of the capitals, for U+017F becomes `s` and U+0131 `i` only there; and from small letters, for of U+1E9E alone, and
  // not of its small letter, capitals do not become `SS`.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD');
  return folded.replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '').replace(/(?<![. ])[. ]+$/, '');
}

/** `git` of `.git`, `devsco` of `devs.config.json`: what a Windows disk makes a short name of. */
export function shortStemOf(folded: string): string {
  const stem = folded.replace(/^\.+/, '').replace(/\.[^.]*$/, '');
  return stem.replaceAll(/[. ]/g, '').slice(0, 6);
}

/** `git` of `git~1`; undefined for what is no short name. Such a disk, mounted, answers to it as to the long one. */
export function stemOfShortName(folded: string): string | undefined {
  return /^([^~]*)~[0-9]+(?:\..*)?$/.exec(folded)?.[1];
}
