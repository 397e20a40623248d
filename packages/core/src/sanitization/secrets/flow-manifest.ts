import { isFilledIn, type FoundValues, type KindPlace } from './manifest.ts';
import type { Part } from './look.ts';

const [OPEN, CLOSE, QUOTATION_MARK, APOSTROPHE] = [0x7b, 0x7d, 0x22, 0x27];

/** At each depth of quotes: what was applied last stands in an annotation, as JSON in a string. */
const DATA = /(\\{0,4}"|'|(?<=[{,\s]))(?:data|stringData)\1\s{0,8}:\s{0,8}\{/g;
/** What stands between two texts: also the number of a line, the sign of a diff, a line end that is escaped. */
const GAP = /[\s,]|\\{1,4}[nrt]|(?<=\n[ \t]{0,12})(?:[+-]|\d{1,7}[\t:|→│ -])/y;
const COLON = /\s{0,32}:/y;
/** A text without quotes ends before what would end it in YAML. */
const PLAIN = /(?:[^,{}[\]\n:]|:(?=[^\s,{}[\]]))+/y;
/** No texts in YAML or JSON. */
const NO_TEXT = /^(?:null|true|false|~|[*&!|>].*|-?[\d.]+(?:[eE][+-]?\d+)?)$/;

/**
 * In the object of this `kind`, whatever it holds: another `kind` in it is a member of a part, or stands in a name or a value.
 */
export function valuesInFlow(text: string, kind: KindPlace): FoundValues {
  const mark = kind.quote.includes('\\') ? kind.quote : '"';
  const from = startOfObject(text, kind.key - 1, mark);
  const end = endOfObject(text, kind.end, mark);
  const found: Part[] = [];
  for (const { 0: name, 1: quote = '', index } of text.slice(from, end).matchAll(DATA)) {
    entriesOf(text, { at: from + index + name.length, end, quote }, found);
  }
  // Any other manifest in the object has been read with it. One around it is read when its own `kind` stands behind.
  return { found: found.sort((a, b) => a.start - b.start), end: Math.max(kind.at + 1, end), units: end - from };
}

/** Where the braces of the object open that stands around a place; 0 where they do not. Braces in strings are none. */
function startOfObject(text: string, at: number, quote: string): number {
  let depth = 1;
  for (let place = at; place >= 0; place -= 1) {
    const unit = text.charCodeAt(place);
    if (unit === QUOTATION_MARK) place = startOfString(text, place + 1 - quote.length, quote);
    else if (unit === APOSTROPHE && /[\s:,}\]]/.test(text.charAt(place + 1))) place = startOfApostrophes(text, place);
    else if (unit === CLOSE) depth += 1;
    else if (unit === OPEN && (depth -= 1) === 0) return place;
  }
  return 0;
}

/** Where they close; the end of the text where they do not. */
function endOfObject(text: string, at: number, quote: string): number {
  let depth = 1;
  for (let place = at; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    if (unit === OPEN) depth += 1;
    else if (unit === CLOSE && (depth -= 1) === 0) return place;
    else if (text.startsWith(quote, place)) {
      const stop = endOfString(text, place + quote.length, quote);
      if (stop === -1) return text.length;
      place = stop + quote.length - 1;
    } else if (unit === APOSTROPHE && /[\s:,{[]/.test(text.charAt(place - 1))) place = Math.max(place, text.indexOf("'", place + 1));
  }
  return text.length;
}

/** Where the string begins whose last mark stands at `end`. */
function startOfString(text: string, end: number, quote: string): number {
  let start = end > 0 ? text.lastIndexOf(quote, end - 1) : -1;
  while (start > 0 && text[start - 1] === '\\') start = text.lastIndexOf(quote, start - 1);
  return start;
}

/** The same of an apostrophe, which may also stand alone. */
function startOfApostrophes(text: string, end: number): number {
  const start = end > 0 ? text.lastIndexOf("'", end - 1) : -1;
  return start === -1 ? end : start;
}

interface Entries {
  /** Behind the brace. */
  readonly at: number;
  readonly end: number;
  /** Of the key before the brace. */
  readonly quote: string;
}

/** Notes each value of the flat object whose brace stands before a place, and gives where it was read to. */
export function entriesOf(text: string, { at, end, quote }: Entries, found: Part[]): number {
  const marks = quote.includes('\\') ? [quote] : ['"', "'"];
  let place = at;
  while (place < end) {
    place = behindGap(text, place);
    const entry = textAt(text, place, marks);
    if (entry === undefined || entry.end > end) return place;
    COLON.lastIndex = entry.behind;
    const isKey = COLON.test(text);
    if (!isKey && entry.isText && isFilledIn(text, entry)) found.push({ start: entry.start, end: entry.end });
    place = isKey ? COLON.lastIndex : entry.behind;
  }
  return place;
}

function behindGap(text: string, at: number): number {
  GAP.lastIndex = at;
  let place = at;
  while (GAP.test(text)) place = GAP.lastIndex;
  return place;
}

interface FlowText extends Part {
  /** Behind its quote. */
  readonly behind: number;
  /** Not a number, and nothing else that has no quotes. */
  readonly isText: boolean;
}

function textAt(text: string, place: number, marks: readonly string[]): FlowText | undefined {
  const mark = marks.find((each) => text.startsWith(each, place));
  if (mark !== undefined) {
    const start = place + mark.length;
    const end = mark === "'" ? text.indexOf("'", start) : endOfString(text, start, mark);
    return end === -1 ? cutTextAt(text, start) : { start, end, behind: end + mark.length, isText: true };
  }
  if (marks.length === 1) return undefined;
  PLAIN.lastIndex = place;
  if (!PLAIN.test(text)) return undefined;
  const plain = text.slice(place, PLAIN.lastIndex).trimEnd();
  return { start: place, end: place + plain.length, behind: PLAIN.lastIndex, isText: !NO_TEXT.test(plain) };
}

/** What is there of a value in which the text was cut: a part of a password is one. */
function cutTextAt(text: string, start: number): FlowText {
  const lineEnd = text.indexOf('\n', start);
  const end = lineEnd === -1 ? text.length : lineEnd;
  return { start, end, behind: end, isText: true };
}

/** Where the string ends: the next quotation mark that is no deeper one. */
function endOfString(text: string, start: number, quote: string): number {
  let stop = text.indexOf(quote, start);
  while (stop !== -1 && text[stop - 1] === '\\') stop = text.indexOf(quote, stop + 1);
  return stop;
}
