/** What is replaced by what, and where, in UTF-16 units. The offsets rise, and none lies in the text of the one before. */
export interface Replacement {
  readonly text: string;
  readonly offsets: readonly number[];
  readonly wanted: string;
  readonly by: string;
}

/** How long the text is once all is replaced. */
export function lengthOf({ text, offsets, wanted, by }: Replacement): number {
  return text.length + offsets.length * (by.length - wanted.length);
}

export function applyTo({ text, offsets, wanted, by }: Replacement): string {
  const parts: string[] = [];
  let start = 0;
  for (const offset of offsets) {
    parts.push(text.slice(start, offset), by);
    start = offset + wanted.length;
  }
  parts.push(text.slice(start));
  return parts.join('');
}
