import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { cutText, fitText, type CleanText } from './text.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Decoding goes on in pieces, so that no input can outgrow the longest string. What fits the limit is one piece: quicker. */
const SMALLEST_PIECE_BYTES = 4 * 1024 * 1024;
const LARGEST_PIECE_BYTES = 256 * 1024 * 1024;

/**
 * Bytes to text that JSON and UTF-8 can carry, at most `maxBytes` long in UTF-8. Bad sequences become
 * U+FFFD, NULs go. Stops reading once the limit is passed. Never throws.
 */
export function decodeBytes(bytes: Uint8Array, maxBytes: number): CleanText {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: false });
  const pieceBytes = Math.min(Math.max(SMALLEST_PIECE_BYTES, maxBytes), LARGEST_PIECE_BYTES);
  let text = '';
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const end = Math.min(start + pieceBytes, bytes.length);
    const piece = decoder.decode(bytes.subarray(start, end), { stream: end < bytes.length });
    text += dropNulls(piece);
    if (text.length > maxBytes) return { text: cutText(text, maxBytes), truncated: true };
  }
  return fitText(text, maxBytes);
}

/** The text, well formed and without NULs, at most `maxBytes` long in UTF-8. Never decoded again. */
export function decodeText(text: string, maxBytes: number): CleanText {
  return fitText(dropNulls(text).toWellFormed(), maxBytes);
}

/**
 * A string that holds bytes, one a code unit, as old interfaces give it, turned back into bytes.
 * Undefined when it is text. `café` is text: é is one code unit, but alone no valid UTF-8. Only
 * valid UTF-8 with a multi-byte character, or C1 units that no text has, are taken for bytes.
 */
export function bytesOfByteString(value: string): Uint8Array | undefined {
  if (/[^\u0000-\u00ff]/.test(value) || !/[\u0080-\u00ff]/.test(value)) return undefined;
  const bytes = Buffer.from(value, 'latin1');
  const isMultiByteUtf8 = !isAscii(bytes) && isUtf8(bytes);
  return isMultiByteUtf8 || /[\u0080-\u009f]/.test(value) ? bytes : undefined;
}

/** A UTF-16 mark is honoured. A UTF-32 mark is not: its bytes are binary, and come out as U+FFFD. */
function encodingOf(bytes: Uint8Array): Encoding {
  // By index: the iterator of a detached array throws.
  const [first, second, third, fourth] = [bytes[0], bytes[1], bytes[2], bytes[3]];
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const isUtf32 = bytes.length >= 4 && third === 0 && fourth === 0;
  if (first === 0xff && second === 0xfe && !isUtf32) return 'utf-16le';
  return 'utf-8';
}

function dropNulls(text: string): string {
  return text.includes('\u0000') ? text.replaceAll('\u0000', '') : text;
}
