import { countLineFeeds, lineEnd } from './lines.ts';
import { findOccurrences } from './occurrences.ts';

const CARRIAGE_RETURN = byteTable('\r');
const WHITE_SPACE = byteTable(' \t\r\n');
/** In bytes. A shorter line stands in many places, and says nothing about this one. */
const SHORTEST_LINE = 4;
/** In bytes, of the file: a hint is not worth more. */
const LOOKED_AT = 2_097_152;

/** Why a text may not have been found, and where to look. Nothing of the file is quoted. Linear. */
export function describeMiss(file: Uint8Array, wanted: Uint8Array): string {
  const bytes = file.subarray(0, LOOKED_AT);
  const endings = findWithout(bytes, wanted, CARRIAGE_RETURN);
  if (endings !== undefined) return `It is there with other line endings (CRLF or LF), at line ${String(endings)}.`;
  const spaces = findWithout(bytes, wanted, WHITE_SPACE);
  if (spaces !== undefined) return `It is there with other white space, at line ${String(spaces)}.`;
  const [beginning] = findOccurrences(bytes, firstLine(wanted), 1).offsets;
  if (beginning === undefined) return 'Read the file again.';
  return `Only its first line is there, at line ${String(lineOf(bytes, beginning))}.`;
}

/** Counted from 1. */
export function lineOf(bytes: Uint8Array, offset: number): number {
  return 1 + countLineFeeds(bytes.subarray(0, offset));
}

/** 1 for each byte of the text. */
function byteTable(text: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(text)) table[byte] = 1;
  return table;
}

/** The line at which the text begins once some bytes are left out of both. */
function findWithout(bytes: Uint8Array, wanted: Uint8Array, without: Uint8Array): number | undefined {
  const [found] = findOccurrences(leaveOut(bytes, without), leaveOut(wanted, without), 1).offsets;
  if (found === undefined) return undefined;
  let offset = 0;
  for (let kept = 0; kept <= found; offset += 1) {
    if (without[bytes[offset] ?? 0] === 0) kept += 1;
  }
  return lineOf(bytes, offset - 1);
}

function leaveOut(bytes: Uint8Array, without: Uint8Array): Uint8Array {
  const left = new Uint8Array(bytes.length);
  let length = 0;
  for (const byte of bytes) {
    if (without[byte] !== 0) continue;
    left[length] = byte;
    length += 1;
  }
  return left.subarray(0, length);
}

/** Without the white space around it; nothing when that leaves too little. */
function firstLine(text: Uint8Array): Uint8Array {
  const isText = (byte: number) => WHITE_SPACE[byte] === 0;
  const start = Math.max(0, text.findIndex(isText));
  const line = text.subarray(start, lineEnd(text, start));
  const trimmed = line.subarray(0, line.findLastIndex(isText) + 1);
  return trimmed.length < SHORTEST_LINE ? new Uint8Array(0) : trimmed;
}
