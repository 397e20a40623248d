import type { Encoding } from '../../protocol/decode.ts';
import { Glance } from '../pipeline/glance.ts';
import { Tally } from '../pipeline/tally.ts';
import { cleanGlanced } from '../pipeline/text-pipeline.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { terminalControls } from '../terminal/terminal-controls.ts';
import { isKeyToItsEnd } from './private-keys.ts';
import { READ_WRITTEN } from './unwritten-text.ts';

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
  let glance = new Glance(text);
  for (const steps of [HIDING, READ_WRITTEN]) {
    const cleaned = cleanGlanced(glance, steps, new Tally());
    // Of a text that is mostly hidden, what is left may be header lines, to its end.
    if (2 * cleaned.text.length < text.length || (cleaned !== glance && goesOn(cleaned.text))) return true;
    glance = cleaned;
  }
  return false;
}

/**
 * By its second half: there the lines of a key stand one behind the other. In the first one its header lines may be,
 * as many as the rule passes over, and what stands in its lines.
 */
function goesOn(text: string): boolean {
  const body = text.slice(Math.floor(text.length / 2));
  return !BREAK.test(body) || isKeyToItsEnd(body);
}
