/** Longest UTF-8 sequence, in bytes. */
const LONGEST = 4;

/**
 * How many of the bytes to keep so that a page does not end inside a UTF-8 character. All of them, if
 * the end is not the beginning of a character, or if nothing would be left: a page must get on.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back < LONGEST && back < bytes.length; back += 1) {
    const start = bytes.length - back;
    const byte = bytes[start] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? start : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte <= 0xbf;
}

/** What a leading byte promises; 1 for a byte that cannot lead. */
function sequenceLength(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 1;
}
