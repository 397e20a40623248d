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
