import { Buffer, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import type { Encoding } from '../../protocol/decode.ts';
import { C0, C1, kindsOf } from '../../protocol/unit-kinds.ts';

/** No share counts below so many bytes: a log with a few stray bytes is a log. */
const FEWEST = 10;
/** Of NULs: more than one in a hundred bytes. */
const MOST_NULLS = 0.01;
/** Of C0 controls in bytes that are UTF-8: fields of FIX, Hive and MARC end in them, up to one in seven bytes. */
const MOST_CONTROLS = 0.3;
/**
 * Of bytes that are no UTF-8, and of C0 controls beside them. Text in an old encoding is full of the former and has
 * none of the latter; compressed or random bytes have one in ten. Two are no ^Z at the end of a file of DOS.
 */
const MOST_INVALID = 0.05;
const MOST_CONTROLS_BESIDE = 0.01;
const FEWEST_CONTROLS_BESIDE = 2;
/** Of UTF-16: halves of pairs, characters that there are none of, and those of private use. Of random units one in six. */
const MOST_UNLIKELY_UNITS = 0.05;
const FEWEST_UNLIKELY_UNITS = 3;

/** C0 and DEL. What terminals, printers and ISO 2022 put into text is no such control: BEL, BS, tab, LF, FF, CR, SO, SI, ESC. */
const CONTROL = /[\u0000-\u0006\u000b\u0010-\u001a\u001c-\u001f\u007f]/g;
const NO_CHARACTER = /[\ufffd\p{Cn}\p{Co}\u0001-\u0006\u000b\u0010-\u001a\u001c-\u001f\u007f]/gu;
const REPLACED = Buffer.from('\ufffd', 'utf8');

export interface TextJudgement {
  readonly isText: boolean;
  /** Of UTF-16: characters. */
  readonly nullBytes: number;
}

/**
 * Whether bytes read as text in any encoding that text has. ADR 0058 has the figures behind the thresholds.
 * @param isDecoded U+FFFD stands where somebody has found bytes that are no text
 */
export function readsAsText(bytes: Buffer, encoding: Encoding, isDecoded: boolean): TextJudgement {
  return encoding === 'utf-8' ? judgeBytes(bytes, isDecoded) : judgeUnits(bytes, encoding);
}

function judgeBytes(bytes: Buffer, isDecoded: boolean): TextJudgement {
  const { length } = bytes;
  // A string of the same bytes: an expression over it is quicker than a loop, and a look at its kinds four times quicker.
  const units = bytes.toString('latin1');
  const controls = (kindsOf(units) & (C0 | C1)) === 0 ? [] : (units.match(CONTROL) ?? []);
  const nullBytes = bytes.includes(0) ? controls.filter((control) => control === '\u0000').length : 0;
  const invalid = isUtf8(bytes) ? countReplaced(bytes, isDecoded) : countInvalid(bytes, isDecoded);
  const exceeds = (count: number, share: number) => count > share * length;
  const isBinary =
    (nullBytes > FEWEST && exceeds(nullBytes, MOST_NULLS)) ||
    (controls.length > FEWEST && exceeds(controls.length, MOST_CONTROLS)) ||
    (invalid + controls.length > FEWEST &&
      exceeds(invalid, MOST_INVALID) &&
      controls.length >= FEWEST_CONTROLS_BESIDE &&
      exceeds(controls.length, MOST_CONTROLS_BESIDE));
  return { isText: !isBinary, nullBytes };
}

function judgeUnits(bytes: Buffer, encoding: Encoding): TextJudgement {
  // Half a unit at the end is one of what was not looked at.
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const nullBytes = text.split('\u0000').length - 1;
  const unlikely = (text.match(NO_CHARACTER) ?? []).length;
  const isFull = nullBytes > FEWEST && nullBytes > MOST_NULLS * bytes.length;
  return { isText: !isFull && !(unlikely >= FEWEST_UNLIKELY_UNITS && unlikely > MOST_UNLIKELY_UNITS * text.length), nullBytes };
}

/** In bytes that are UTF-8. A look at each character costs a hundred times as much. */
function countReplaced(bytes: Buffer, isDecoded: boolean): number {
  let count = 0;
  if (isDecoded) for (let at = bytes.indexOf(REPLACED); at >= 0; at = bytes.indexOf(REPLACED, at + REPLACED.length)) count += 1;
  return count;
}

/** Bytes that stand in no character. A character that the end cuts is one. */
function countInvalid(bytes: Buffer, isDecoded: boolean): number {
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOfCharacter(bytes, at);
    if (length === 0 || (isDecoded && length === REPLACED.length && bytes.compare(REPLACED, 0, length, at, at + length) === 0)) count += 1;
    at += Math.max(length, 1);
  }
  return count;
}

/** 0 for a byte that begins none. */
function lengthOfCharacter(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const character = bytes.subarray(at, at + length);
  if (character.length === length) return isUtf8(character) ? length : 0;
  return first >= 0xc2 && first <= 0xf4 && character.subarray(1).every((byte) => (byte & 0xc0) === 0x80) ? character.length : 0;
}
