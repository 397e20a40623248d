import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { cutText, fitText, utf8Prefix, type CleanText } from './text.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

const ENCODINGS: ReadonlySet<unknown> = new Set<Encoding>(['utf-8', 'utf-16le', 'utf-16be']);

export function isEncoding(value: unknown): value is Encoding {
  return ENCODINGS.has(value);
}

/** Decoding goes on in pieces, so that no input can outgrow the longest string. What fits the limit is one piece: quicker. */
const SMALLEST_PIECE_BYTES = 4 * 1024 * 1024;
const LARGEST_PIECE_BYTES = 256 * 1024 * 1024;

/**
 * Bytes to text that JSON and UTF-8 can carry, at most `maxBytes` long in UTF-8. Bad sequences become
 * U+FFFD, NULs go. Stops reading once the limit is passed. Never throws.
 */
export function decodeBytes(bytes: Uint8Array, maxBytes: number): CleanText {
  let text = '';
  for (const piece of decodePieces(bytes, maxBytes)) {
    text += dropNulls(piece);
    if (text.length > maxBytes) return { text: cutText(text, maxBytes), truncated: true };
  }
  return fitText(text, maxBytes);
}

/** The text, well formed and without NULs, at most `maxBytes` long in UTF-8. Never decoded again. */
export function decodeText(text: string, maxBytes: number): CleanText {
  return fitText(dropNulls(text).toWellFormed(), maxBytes);
}

/** The same, NULs and all, cut without a mark: for who cleans it further, and cuts it then. */
export function readText(raw: Uint8Array | string, maxBytes: number): CleanText {
  let text = '';
  // Half a pair at the cut goes with the cut.
  if (typeof raw === 'string') text = (raw.length > maxBytes ? raw.slice(0, maxBytes + 1) : raw).toWellFormed();
  else {
    for (const piece of decodePieces(raw, maxBytes)) {
      text += piece;
      if (text.length > maxBytes) break;
    }
  }
  // Every code unit is 1 to 3 bytes: most texts need no count at all.
  if (text.length * 3 <= maxBytes) return { text, truncated: false };
  const kept = utf8Prefix(text, maxBytes);
  return { text: kept.length === text.length ? text : kept, truncated: kept.length < text.length };
}

function* decodePieces(bytes: Uint8Array, maxBytes: number): Generator<string> {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: false });
  const pieceBytes = Math.min(Math.max(SMALLEST_PIECE_BYTES, maxBytes), LARGEST_PIECE_BYTES);
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const end = Math.min(start + pieceBytes, bytes.length);
    yield decoder.decode(bytes.subarray(start, end), { stream: end < bytes.length });
  }
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

/**
 * A UTF-16 mark is honoured. A UTF-32 mark is not: its bytes are binary, and come out as U+FFFD.
 * @example
 * ```ts
 * import { encodingOf } from '@devs/core';
 * console.log(encodingOf(new Uint8Array([0xff, 0xfe, 0x61, 0x00]))); // utf-16le
 * ```
 */
export function encodingOf(bytes: Uint8Array): Encoding {
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
