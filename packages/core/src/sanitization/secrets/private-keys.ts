/** The line that a private key begins with; `---- BEGIN SSH2 …` has four dashes. */
const HEADER = /(?<=-{4,5} ?BEGIN (?:[A-Z0-9]{1,16} ){0,3})PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;

/** The literal that leads to it. */
export const PRIVATE_KEY = 'PRIVATE KEY';

/** Between two lines of a key: line ends, also as the text `\n`; quotes, commas and pluses of programs; marks of quotes and diffs. */
const BETWEEN = /(?:\\[nrt]|[\s"'`\\,;|>*#]|-(?!-)|\+(?=[\s"'`])|\/\/(?=\s)|\d{1,6}[:|\t](?=[\sA-Za-z+/])){0,256}/y;

/** `Proc-Type: 4,ENCRYPTED`, `Version: …`; the text of a line may end in a literal `\n`. */
const HEADER_LINE = /[A-Za-z][A-Za-z-]{2,30}: [^\n\\]{0,200}/y;

/** The checksum of OpenPGP, `=aB3d`, counts as a line. */
const LINE = /[A-Za-z0-9+/=]{1,100000}/y;

/** Units. A shorter line is one of a key only as its last. */
const SHORTEST_LINE = 16;
const MOST_HEADER_LINES = 8;

export interface Body {
  readonly start: number;
  readonly end: number;
}

/**
 * The body of the private key whose `PRIVATE KEY` stands here: the base64-looking lines after its header, whether an END
 * comes or not (a key that was cut off is a key). Undefined when there are none.
 */
export function privateKeyBody(text: string, at: number): Body | undefined {
  HEADER.lastIndex = at;
  return HEADER.test(text) ? keyBody(text, HEADER.lastIndex) : undefined;
}

/** The base64-looking lines from here on. */
export function keyBody(text: string, from: number): Body | undefined {
  let at = skipHeaderLines(text, from);
  const start = at;
  let end = at;
  for (;;) {
    const lineEnd = matchEnd(LINE, text, at);
    if (lineEnd === undefined || !isKeyLine(text, { start: at, end: lineEnd }, text.slice(end, at))) break;
    end = lineEnd;
    at = matchEnd(BETWEEN, text, lineEnd) ?? lineEnd;
  }
  return end > start ? { start, end } : undefined;
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
function isKeyLine(text: string, line: Body, between: string): boolean {
  if (line.end - line.start >= SHORTEST_LINE) return true;
  const isFirst = between === '';
  if (isFirst || text[line.end - 1] === '=' || text[line.start] === '=') return !isFirst || line.end === text.length;
  const next = matchEnd(BETWEEN, text, line.end) ?? line.end;
  return text.startsWith('----', next) || (next === text.length && /\n|\\n/.test(between));
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
