export const LINE_FEED = 0x0a;

/** Where the line begins in which this byte stands. */
export function lineStart(bytes: Uint8Array, offset: number): number {
  return offset === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
}

/** Where the line ends, its line feed with it, in which this byte stands. */
export function lineEnd(bytes: Uint8Array, offset: number): number {
  const end = bytes.indexOf(LINE_FEED, offset);
  return end === -1 ? bytes.length : end + 1;
}

export function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) {
    if (byte === LINE_FEED) count += 1;
  }
  return count;
}

/** The first lines, each with its line feed. */
export function splitLines(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length && lines.length < most; ) {
    const end = lineEnd(bytes, start);
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

/** The last lines before this byte, which begins one. */
export function linesBefore(bytes: Uint8Array, end: number, most: number): Uint8Array[] {
  let start = end;
  for (let count = 0; count < most && start > 0; count += 1) start = lineStart(bytes, start - 1);
  return splitLines(bytes.subarray(start, end));
}
