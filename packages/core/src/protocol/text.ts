import { Buffer } from 'node:buffer';
import { C0, C1, HIDDEN, kindOfUnit } from './unit-kinds.ts';

/** Marks where output was cut. ASCII, so that it can stand in any JSON without a further escape. */
export const TRUNCATION_SENTINEL = '\n[OUTPUT TRUNCATED - exceeded maxToolOutputBytes limit]';

export interface CleanText {
  readonly text: string;
  /** True when something was cut off. A field, never inferred from the text: a file may quote the sentinel. */
  readonly truncated: boolean;
}

/**
 * The longest start of `text` that fits `maxBytes` of UTF-8 and ends between two characters.
 * `text` must be well formed. Linear in `maxBytes`, not in `text`.
 */
export function utf8Prefix(text: string, maxBytes: number): string {
  // A code unit is at least one byte, so nothing beyond maxBytes units can be part of the answer.
  // Half a pair at its end is encoded as three bytes, which lie beyond the limit or across it: it goes with the cut.
  const prefix = text.slice(0, Math.max(0, maxBytes));
  const bytes = Buffer.from(prefix, 'utf8');
  if (bytes.length <= maxBytes) return prefix;
  let end = maxBytes;
  while (end > 0 && isContinuationByte(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** The text as it is if it fits, else cut so that it fits with the sentinel. */
export function fitText(text: string, maxBytes: number): CleanText {
  // Every code unit is 1 to 3 bytes: most texts need no count at all.
  if (text.length * 3 <= maxBytes) return { text, truncated: false };
  if (text.length <= maxBytes && Buffer.byteLength(text, 'utf8') <= maxBytes) return { text, truncated: false };
  return { text: cutText(text, maxBytes), truncated: true };
}

/** `text` shortened and marked, even if it would fit: more was there than `text` shows. */
export function cutText(text: string, maxBytes: number): string {
  const room = maxBytes - TRUNCATION_SENTINEL.length;
  if (room < 0) return TRUNCATION_SENTINEL.slice(0, maxBytes);
  return utf8Prefix(text, room) + TRUNCATION_SENTINEL;
}

/** Units that a long word may consist of, with those of what is written out in quotes: `\u{200b}`, `\u001b[31m`. */
const WORD_UNIT = /[\w+=.\\{}[;-]/;
/** A control sequence may hold any other unit: `]8;;http://…`. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
/** Of a shorter word nothing is given away. */
const SHORTEST_PARTED = 12;
/** Stands for a word that would be parted: a name that is one long word must not seem to be empty. */
const LEFT_OUT = '[...]';

/**
 * The text, at most `maxUnits` of UTF-16 long and well formed, for words of a caller or a server that are quoted before
 * anybody looks for secrets in them: of a long word that the cut would part nothing stays but `[...]`. Half a token that is shown is half
 * of it given away, and no detector knows it. What is hidden parts no word: a token with a zero-width space in it is one.
 * @example
 * ```ts
 * import { cutWords } from '@devs/core';
 * console.log(cutWords('one two three', 7)); // one two
 * ```
 */
export function cutWords(text: string, maxUnits: number): string {
  const kept = text.slice(0, maxUnits).toWellFormed();
  const isInWord = CONTROL.test(kept) ? isNoSpace : isOfWord;
  if (text.length <= maxUnits || !isInWord(text.charCodeAt(maxUnits))) return kept;
  let start = maxUnits;
  while (start > 0 && isInWord(text.charCodeAt(start - 1))) start -= 1;
  return maxUnits - start < SHORTEST_PARTED ? kept : `${kept.slice(0, start).toWellFormed()}${LEFT_OUT}`;
}

function isNoSpace(unit: number): boolean {
  return (unit > 0x20 && unit < 0x7f) || isUnseen(unit);
}

function isOfWord(unit: number): boolean {
  return WORD_UNIT.test(String.fromCharCode(unit)) || isUnseen(unit);
}

/** Of a control, of a hidden character, or the second half of what may be one. */
function isUnseen(unit: number): boolean {
  return (kindOfUnit(unit) & (C0 | C1 | HIDDEN)) !== 0 || (unit >= 0xdc00 && unit <= 0xdfff);
}

function isContinuationByte(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
