/** Where the line begins in which this unit stands. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line ends, its line feed with it, in which this unit stands. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

export function countLineFeeds(text: string, start = 0, end = text.length): number {
  let count = 0;
  for (let found = text.indexOf('\n', start); found !== -1 && found < end; found = text.indexOf('\n', found + 1)) count += 1;
  return count;
}

/** The first lines, each with its line feed. */
export function splitLines(text: string, most = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length && lines.length < most; ) {
    const end = lineEnd(text, start);
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** The last lines before this unit, which begins one. */
export function linesBefore(text: string, end: number, most: number): string[] {
  let start = end;
  for (let count = 0; count < most && start > 0; count += 1) start = lineStart(text, start - 1);
  return splitLines(text.slice(start, end));
}
