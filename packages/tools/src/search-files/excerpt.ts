import type { LinearPattern } from '@devs/core';

/** Of a line, in UTF-16 units. */
const SHOWN = 500;
const STEP = SHOWN / 2;
const CUT_MARK = '[...]';
/** What some reader takes for the end of a line: the text after it could pass for a hit of its own. */
const LINE_ENDS = /[\r\v\f\u0085\u2028\u2029]/g;
const SHOWN_LINE_END = '\u2424';

/** A line as it is shown: on one line, and a long one cut around what fits, if that is short. */
export function excerptOf(text: string, pattern: LinearPattern): string {
  const start = text.length <= SHOWN ? 0 : findPart(text, pattern);
  const part = text.slice(start, start + SHOWN).toWellFormed().replaceAll(LINE_ENDS, SHOWN_LINE_END);
  return `${start > 0 ? CUT_MARK : ''}${part}${start + SHOWN < text.length ? CUT_MARK : ''}`;
}

/** The first part that fits on its own; the beginning when none does. Parts overlap, so each character is read twice. */
function findPart(text: string, pattern: LinearPattern): number {
  for (let start = 0; start < text.length; start += STEP) {
    if (pattern.test(text.slice(start, start + SHOWN))) return start;
  }
  return 0;
}
