import type { TextView } from '@devs/core';

/** How every mark begins. */
export const MARK_START = '[REDACTED:';

/** What devs puts in the place of what it masks. */
const MARK = /\[REDACTED:(?:secret:[\w.-]{1,100}|tag|trigger|link)\]/g;

export interface FoundText {
  /** In UTF-16 units. */
  readonly start: number;
  readonly text: string;
}

/** The marks in a text, from left to right. Whether they are marks or only look like them, the text alone does not tell. */
export function marksIn(text: string): FoundText[] {
  return Array.from(text.matchAll(MARK), (match) => ({ start: match.index, text: match[0] }));
}

/** What reads like a mark in a view and is text of the file, each once. One walk: both may be there a million times. */
export function heldMarks(view: TextView): ReadonlySet<string> {
  const held = new Set<string>();
  const alterations = view.alterationsIn(-1, Infinity)[Symbol.iterator]();
  let next = alterations.next();
  for (const { start, text } of marksIn(view.text)) {
    while (next.done !== true && next.value.end <= start) next = alterations.next();
    if (next.done === true || next.value.start >= start + text.length) held.add(text);
  }
  return held;
}
