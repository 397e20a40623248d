import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { errnoOf } from '@devs/core';

/** What a command speaks with. Data goes to `output`, everything else to `status`. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  readonly status: Writable;
}

/**
 * Resolves once the stream took the text, so that a reader that went away ends the command, not the process. Of standard
 * error a reader that has gone is nobody to tell: a verdict must not become another because nobody hears the remarks on it.
 */
export async function writeTo(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error instanceof Error && !(stream === process.stderr && isGone(error)) ? reject(error) : resolve()));
  });
}

/** Whoever has read from the other end does not any more. */
export function isGone(cause: unknown): boolean {
  return errnoOf(cause) === 'EPIPE';
}

/**
 * Text for a person's terminal. Names and arguments in a log are an attacker's words: escapes would
 * move the cursor, rename the window or hide lines.
 */
export function printable(text: string): string {
  return text.toWellFormed().replace(UNPLAIN, (character) => (isUnseen(character) ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : character));
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** JSON on one line, with what steers a terminal, splits a line or cannot be seen spelled out. The same value to a parser. */
export function toJsonText(value: unknown): string {
  const units = (text: string) =>
    Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`);
  return JSON.stringify(value).replace(UNPLAIN, (character) => (isUnseen(character) ? units(character).join('') : character));
}

/** All but a line break, a tab and what ASCII prints; each is then looked at alone. */
const UNPLAIN = /[^\n\t\x20-\x7e]/gu;

/**
 * What steers a terminal, is drawn as nothing, or looks like a space: `rm` and `rm` with a Hangul filler
 * are two programs. Of one code point, anchored: without an anchor, Node 26 was seen to miss astral
 * characters in a class of several properties.
 */
const UNSEEN = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]$/u;

function isUnseen(character: string): boolean {
  return UNSEEN.test(character);
}
