import path from 'node:path';
import { foldName, shortStemOf } from '@devs/core';
import type { Disks } from './disks.ts';

/** A name that leads to what is listed under another one. */
export interface OtherName {
  /** Absolute. */
  readonly other: string;
  /** What of the name differs. */
  readonly kind: 'case' | 'form' | 'short';
}

/** Windows makes `GIT~1` of `.git`, and counts on where that is taken; after the fourth it goes another way. */
const SHORT_NAMES = 4;

/**
 * Names under which a disk also gives what it lists under this one: in the other case, composed or decomposed, and the short
 * name of a Windows disk. Told by asking, and not by the number of a file, which such a disk may make up each time.
 * @param place absolute, real
 */
export function findOtherNames(place: string, disks: Disks): readonly OtherName[] {
  const folder = path.dirname(place);
  const answering = spellingsOf(path.basename(place), disks.kindOf(folder) !== 'plain')
    .map(({ name, kind }) => ({ other: path.join(folder, name), kind }))
    .filter(({ other }) => disks.has(other));
  if (answering.length === 0) return [];
  // What is listed is a file of its own: this disk tells the two names apart.
  const listed = new Set(disks.list(folder));
  return answering.filter(({ other }) => !listed.has(path.basename(other)));
}

/** Of the names in a folder: more than that tell nothing more. */
const ASKED_NAMES = 64;

/**
 * Whether a folder, or a disk that is mounted in it, may give files under more names than it lists. By a look at its first
 * names: of a folder without one nothing can be said.
 */
export function isSuspect(folder: string, disks: Disks): boolean {
  if (disks.kindOf(folder) === 'renaming' || disks.holdsMounts(folder)) return true;
  const names = disks.list(folder) ?? [];
  return names.slice(0, ASKED_NAMES).some((name) => findOtherNames(path.join(folder, name), disks).length > 0);
}

interface Spelling {
  readonly name: string;
  readonly kind: OtherName['kind'];
}

function spellingsOf(name: string, withShort: boolean): readonly Spelling[] {
  const cases = [swapCase(name, /\p{L}/gu), swapCase(name, /[a-z]/gi)];
  const forms = ['NFC', 'NFD'].map((form) => name.normalize(form));
  const stem = shortStemOf(foldName(name)).toUpperCase();
  const shorts = withShort && stem !== '' ? Array.from({ length: SHORT_NAMES }, (_, index) => `${stem}~${String(index + 1)}${shortEndOf(name)}`) : [];
  const all: readonly Spelling[] = [
    ...cases.map((each) => ({ name: each, kind: 'case' as const })),
    ...forms.map((each) => ({ name: each, kind: 'form' as const })),
    ...shorts.map((each) => ({ name: each, kind: 'short' as const })),
  ];
  return all.filter((each, index) => each.name !== name && all.findIndex((other) => other.name === each.name) === index);
}

/** Only where one letter stays one letter: no disk takes `SS` for `ß`. */
function swapCase(name: string, letters: RegExp): string {
  return name.replace(letters, (letter) => {
    const swapped = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
    return swapped.length === letter.length ? swapped : letter;
  });
}

function shortEndOf(name: string): string {
  const end = path.extname(name).replaceAll(/[^a-z0-9]/gi, '').slice(0, 3).toUpperCase();
  return end === '' ? '' : `.${end}`;
}
