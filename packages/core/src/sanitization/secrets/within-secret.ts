import type { Encoding } from '../../protocol/decode.ts';
import { Glance } from '../glance.ts';
import { invisibles } from '../invisibles.ts';
import { Tally } from '../tally.ts';
import { terminalControls } from '../terminal-controls.ts';
import { cleanGlanced } from '../text-pipeline.ts';
import { isKeyToItsEnd } from './private-keys.ts';

/** What of a piece may be header lines, between the first line of a key and its body. */
const HEAD_PART = 16;

/** Units. Nothing goes on behind more without a letter, such as a hole in a file. */
const FARTHEST_LETTER = 4_096;

/** What no long token holds, as a space between two words. Tokens are broken into lines, and these are indented. */
const BREAK = /[^A-Za-z0-9+/=_.~%\-\r\n \t\\]|\\(?![\\nr/]|$)|(?<![ \t\r\n]|^)[ \t]+(?![ \t\r\n]|$)/;

/** Rules look at the text without what is taken out of it before: colours in a log are no part of a gap. */
const HIDING = Object.freeze([terminalControls({ stripControlChars: true, stripNullBytes: true }), invisibles]);

/**
 * True when a key or a token that began before these bytes may go on behind them: whoever shows what follows has to look
 * at more than these, or it is not recognised. The same rule that finds keys says so: what it finds, no reader of pieces
 * may overlook. Linear; ends early in what is no key.
 * @param encoding of the file that the bytes are from
 */
export function mayBeWithinSecret(before: Uint8Array, encoding: Encoding = 'utf-8'): boolean {
  const text = new TextDecoder(encoding).decode(before);
  if (!/[A-Za-z0-9]/.test(text.slice(-FARTHEST_LETTER))) return false;
  if (goesOn(text)) return true;
  const shown = cleanGlanced(new Glance(text), HIDING, new Tally()).text;
  return shown !== text && goesOn(shown);
}

function goesOn(text: string): boolean {
  const body = text.slice(Math.floor(text.length / HEAD_PART));
  return !BREAK.test(body) || isKeyToItsEnd(text) || isKeyToItsEnd(body);
}
