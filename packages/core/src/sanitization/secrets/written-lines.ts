import type { Part } from './look.ts';

/** True for a value, `kind: Secret\ndata:`, behind which a line end stands that is written out. */
export function isInWrittenLine(text: string, start: number, end: number): boolean {
  return (text.startsWith('\\n', end) || text.startsWith('\\"\\n', end)) && /: {0,16}(?:\\?["'])?$/.test(text.slice(Math.max(0, start - 20), start));
}

const WRITTEN = /\\n|\\"/g;
const END_OF_STRING = /(?<!\\)"|\n/g;

/** The string around a place, on one line of the text. What stood before `from` is not looked at again. */
export function stringAround(text: string, at: number, from: number): Part {
  let start = at;
  while (start > from && !endsString(text, start - 1)) start -= 1;
  END_OF_STRING.lastIndex = at;
  return { start, end: END_OF_STRING.test(text) ? END_OF_STRING.lastIndex - 1 : text.length };
}

function endsString(text: string, at: number): boolean {
  return text[at] === '\n' || (text[at] === '"' && text[at - 1] !== '\\');
}

/**
 * A string as a log or the source of a program quotes a document, or as it stands in JSON that is cut, with its lines opened. As long
 * as the string. Those of JSON are read by themselves.
 */
export function openWrittenLines(string: string): string {
  return string.replace(WRITTEN, (written) => (written === '\\n' ? '\r\n' : ' "'));
}
