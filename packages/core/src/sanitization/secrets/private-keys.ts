import { lastRunBeforeEnd, nextLongRun, RUN, runsBefore } from './key-runs.ts';
import type { Part } from './look.ts';
import { turnsIn } from './secret-rule.ts';

/** A space, also as forms write it. */
const SPACE = '(?: |%20|\\+)';

/** The line that a private key begins or ends with; `---- BEGIN SSH2 …` has four dashes. */
const line = (word: string) =>
  new RegExp(`(?<=-{4,5}${SPACE}?${word}${SPACE}(?:[A-Z0-9]{1,16}${SPACE}){0,3})PRIVATE${SPACE}KEY(?:${SPACE}BLOCK)?${SPACE}?-{4,5}`, 'y');
const HEADER = line('BEGIN');
const FOOTER = line('END');

/** The literal that leads to both. */
export const PRIVATE = 'PRIVATE';

/** Between two lines of a key: line ends, also as the text `\n`; quotes, commas and pluses of programs; marks of quotes and diffs. */
const BETWEEN =
  /(?:\\[nrt]|\\u000[adAD]|%0[adAD]|&#(?:1[03]|[xX]0?[adAD]);|<br ?\/?>|[\s"'`\\,;|>*#]|\$(?=\s)|-(?!-)|\+(?=[\s"'`])|\/\/(?=\s)|\d{1,6}[:|\t](?=[\sA-Za-z+/])){0,256}/y;

/** `Proc-Type: 4,ENCRYPTED`, `Version: …`; the text of a line may end in a literal `\n`. */
const HEADER_LINE = /[A-Za-z][A-Za-z-]{2,30}: [^\n\\]{0,200}/y;

/** Units. A shorter line is one of a key only as its last. */
const SHORTEST_LINE = 16;
const MOST_HEADER_LINES = 8;

/** Units. What is shorter and goes as the words of a name do is one: `'-----BEGIN …' + privateKeyLines`. */
const SURE_LINE = 40;

/**
 * The body of the private key whose `PRIVATE KEY` stands here: the base64-looking lines after its header, whether an END
 * comes or not (a key that was cut off is a key), and those before an END without a header. Undefined when there are none.
 * @param low where the last key ended: rows of headers and ends are gone over once
 */
export function privateKeyBody(text: string, at: number, low: number): Part | undefined {
  HEADER.lastIndex = at;
  if (HEADER.test(text)) return keyBody(text, HEADER.lastIndex);
  FOOTER.lastIndex = at;
  return FOOTER.test(text) ? runsBefore(text, text.lastIndexOf('END', at), low) : undefined;
}

/** The base64-looking lines from here on, and what stands between them. */
export function keyBody(text: string, from: number): Part | undefined {
  const at = skipHeaderLines(text, from);
  const first = lineAt(text, at, '') ?? nextLongRun(text, at);
  if (first === undefined) return undefined;
  let { end } = first;
  for (;;) {
    const next = matchEnd(BETWEEN, text, end) ?? end;
    const found = lineAt(text, next, text.slice(end, next)) ?? nextLongRun(text, end);
    if (found === undefined) break;
    end = found.end;
  }
  return { start: first.start, end: lastRunBeforeEnd(text, end) ?? end };
}

/** The line of a key that stands here, after `between`: with nothing there it is the first one. */
function lineAt(text: string, start: number, between: string): Part | undefined {
  const end = matchEnd(RUN, text, start);
  return end !== undefined && isKeyLine(text, { start, end }, between) ? { start, end } : undefined;
}

function skipHeaderLines(text: string, from: number): number {
  let at = matchEnd(BETWEEN, text, from) ?? from;
  for (let count = 0; count < MOST_HEADER_LINES; count += 1) {
    const end = matchEnd(HEADER_LINE, text, at);
    if (end === undefined) break;
    at = matchEnd(BETWEEN, text, end) ?? end;
  }
  return at;
}

/** Short lines end a key: padded, before its END, or on a line of their own where the text ends: a key that was cut off. */
function isKeyLine(text: string, line: Part, between: string): boolean {
  if (line.end - line.start >= SHORTEST_LINE && !isName(text, line)) return true;
  const isFirst = between === '';
  if (isFirst || text[line.end - 1] === '=' || text[line.start] === '=') return !isFirst || line.end === text.length;
  const next = matchEnd(BETWEEN, text, line.end) ?? line.end;
  return text.startsWith('----', next) || (next === text.length && /\n|\\n/.test(between));
}

function isName(text: string, { start, end }: Part): boolean {
  const name = end - start < SURE_LINE && end < text.length ? text.slice(start, end) : '';
  return /^[A-Za-z0-9]+$/.test(name) && turnsIn(name) <= name.length / 3;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
