import { FileLines } from './file-lines.ts';
import { findOccurrences } from './occurrences.ts';
import type { ViewedFile } from './viewed-file.ts';

const CARRIAGE_RETURN = /\r/g;
const WHITE_SPACE = /[ \t\r\n]/g;
/** In UTF-16 units. A shorter line stands in many places, and says nothing about this one. */
const SHORTEST_LINE = 4;
/** In UTF-16 units, of the file: a hint is not worth more. */
const LOOKED_AT = 2_097_152;

/** Why a text may not have been found, and where to look. Nothing of the file is quoted. Linear. */
export function describeMiss(file: ViewedFile, wanted: string): string {
  const text = file.text.slice(0, LOOKED_AT);
  const lineAt = (offset: number) => String(new FileLines(file).at(offset).before);
  const endings = findWithout(text, wanted, CARRIAGE_RETURN);
  if (endings !== undefined) return `It is there with other line endings (CRLF or LF), at line ${lineAt(endings)}.`;
  const spaces = findWithout(text, wanted, WHITE_SPACE);
  if (spaces !== undefined) return `It is there with other white space, at line ${lineAt(spaces)}.`;
  const [beginning] = findOccurrences(text, { text: firstLine(wanted), most: 1 }).offsets;
  if (beginning === undefined) return 'Read the file again.';
  return `Only its first line is there, at line ${lineAt(beginning)}.`;
}

/** Where the text begins once some characters are left out of both. */
function findWithout(text: string, wanted: string, without: RegExp): number | undefined {
  const [found] = findOccurrences(text.replace(without, ''), { text: wanted.replace(without, ''), most: 1 }).offsets;
  if (found === undefined) return undefined;
  // The character that stands at `found` once the others are gone.
  let left = found;
  for (const { index, 0: gone } of text.matchAll(without)) {
    if (index > left) break;
    left += gone.length;
  }
  return left;
}

/** Without the white space around it; nothing when that leaves too little. */
function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.trimEnd().length < SHORTEST_LINE ? '' : line.trimEnd();
}
