import type { Part } from './look.ts';
import { readYamlEntry } from './yaml-entry.ts';

/** What leads to a manifest of a secret: the value of its `kind`. Of six units. */
export const SECRET_KIND = 'Secret';

/** Units of a line before its key. */
const DEEPEST = 80;

const YAML_KIND = /(?:^|\n)([ \t]{0,64}(?:- {1,4})?)kind: {1,4}["']?$/;
const JSON_KIND = /(\\{0,4}")kind\1\s{0,4}:\s{0,4}\1$/;

const [OPEN, CLOSE, QUOTATION_MARK] = [0x7b, 0x7d, 0x22];

/** What a template fills in, and what is masked already. */
const FILLED = /^(?:\{\{|<[^<>]{0,128}>$|\$[{(]|\[REDACTED:|\.\.\.|$)/;
/** Without quotes, these are no text in YAML: nothing, a mapping, a list, another value, a tag. In quotes a password may begin like that. */
const NO_TEXT = /^(?:null$|~$|[{[*&!])/;
/** Units of a value that are asked. */
const LONGEST_FILLED = 160;

export interface FoundValues {
  readonly found: readonly Part[];
  /** Where it was read to. */
  readonly end: number;
  /** Units that were gone over. */
  readonly units: number;
}

/** The values of the manifest whose `Secret` stands here, YAML or JSON. @param from where the last one was read to: nothing is read twice */
export function valuesOfManifest(text: string, at: number, from: number): FoundValues | undefined {
  if (/[A-Za-z0-9_-]/.test(text.charAt(at + SECRET_KIND.length))) return undefined;
  const before = text.slice(Math.max(0, at - DEEPEST), at);
  const indent = YAML_KIND.exec(before)?.[1];
  if (indent !== undefined) return new YamlManifest(text, indent.length).valuesAround(at, from);
  const quote = JSON_KIND.exec(before)?.[1];
  return quote === undefined ? undefined : valuesInJson(text, at, quote);
}

class YamlManifest {
  readonly #text: string;
  readonly #indent: number;

  constructor(text: string, indent: number) {
    this.#text = text;
    this.#indent = indent;
  }

  valuesAround(at: number, from: number): FoundValues {
    const begin = this.#beginBefore(at, from);
    const found: Part[] = [];
    let line = begin;
    let isData = false;
    while (line < this.#text.length) {
      const end = this.#endOfLine(line);
      const depth = depthOf(this.#text.slice(line, end));
      if (line > at && (depth < this.#indent || (depth === this.#indent && /^\s*- /.test(this.#text.slice(line, line + this.#indent))))) break;
      if (depth === this.#indent) isData = /^\s*(?:- +)?(?:data|stringData):\s*(?:#.*)?$/.test(this.#text.slice(line, Math.min(end, line + 200)));
      line = isData && depth > this.#indent && depth < Infinity ? this.#value(line, end, found) : end + 1;
    }
    return { found, end: line, units: line - begin };
  }

  /** The beginning of the first line of the mapping that the `kind` is in. */
  #beginBefore(at: number, from: number): number {
    const text = this.#text;
    let begin = text.lastIndexOf('\n', at) + 1;
    while (begin > from && begin > 0 && !/^\s*- /.test(text.slice(begin, begin + this.#indent + 2))) {
      // A place before the text counts as its first unit: where that is a line feed, the search would find the line at hand for ever.
      const before = begin === 1 ? 0 : text.lastIndexOf('\n', begin - 2) + 1;
      if (before < from || depthOf(text.slice(before, begin - 1)) < this.#indent) break;
      begin = before;
    }
    return begin;
  }

  /** Notes the value of one entry, and gives the beginning of the line behind it. */
  #value(line: number, end: number, found: Part[]): number {
    const entry = readYamlEntry(this.#text.slice(line, end));
    const { start: before = 0, value = '' } = entry ?? {};
    const isBlock = /^[|>][+-]?\d?[+-]?$/.test(value);
    const depth = depthOf(this.#text.slice(line, end));
    let last = end;
    // What is deeper belongs to the value: lines of a block, and of a text that is folded.
    for (let next = end + 1; next < this.#text.length; ) {
      const nextEnd = this.#endOfLine(next);
      if (depthOf(this.#text.slice(next, nextEnd)) <= depth) break;
      if (!isBlank(this.#text.slice(next, nextEnd))) last = nextEnd;
      next = nextEnd + 1;
    }
    const start = isBlock ? end + 1 + Math.max(0, this.#text.slice(end + 1, last).search(/\S/)) : line + before;
    const stop = last === end ? start + value.length : last;
    const said = this.#text.slice(start, Math.min(stop, start + LONGEST_FILLED));
    const isQuoted = /["']/.test(this.#text[line + before - 1] ?? '');
    if (entry !== undefined && stop > start && !FILLED.test(said) && (isQuoted || !NO_TEXT.test(said))) found.push({ start, end: stop });
    return last + 1;
  }

  #endOfLine(line: number): number {
    const end = this.#text.indexOf('\n', line);
    return end === -1 ? this.#text.length : end;
  }
}

/** Units before the key of a line; those of an item of a list count. A blank line belongs to what stands around it. */
function depthOf(line: string): number {
  if (line.startsWith('---') || line.startsWith('...')) return -1;
  if (isBlank(line)) return Infinity;
  return /^[ \t]*(?:- +)?/.exec(line)?.[0].length ?? 0;
}

function isBlank(line: string): boolean {
  return /^\s*$/.test(line);
}

/**
 * In the object of this `kind`, whatever it holds: another `kind` in it is a member of a part, or stands in a name or a value.
 * @param quote as deep as it is quoted: `"`, `\"`, `\\\"`
 */
function valuesInJson(text: string, at: number, quote: string): FoundValues {
  const from = startOfObject(text, at, quote);
  const end = endOfObject(text, at, quote);
  const found: Part[] = [];
  // At each depth of quotes: what was applied last stands in an annotation, as JSON in a string.
  for (const { 0: name, 1: inner = quote, index } of text.slice(from, end).matchAll(/(\\{0,4}")(?:data|stringData)\1/g)) {
    entriesOf(text, { at: from + index + name.length, end, quote: inner }, found);
  }
  // Any other manifest in the object has been read with it. One around it is read when its own `kind` stands behind.
  return { found: found.sort((a, b) => a.start - b.start), end: Math.max(at + 1, end), units: end - from };
}

/** Where the braces of the object open that the string at hand is a value in; 0 where they do not. Braces in strings are none. */
function startOfObject(text: string, at: number, quote: string): number {
  let depth = 1;
  for (let place = text.lastIndexOf(quote, at - 1) - 1; place >= 0; place -= 1) {
    const unit = text.charCodeAt(place);
    if (unit === QUOTATION_MARK) place = startOfString(text, place + 1 - quote.length, quote);
    else if (unit === CLOSE) depth += 1;
    else if (unit === OPEN && (depth -= 1) === 0) return place;
  }
  return 0;
}

/** Where they close; the end of the text where they do not. */
function endOfObject(text: string, at: number, quote: string): number {
  let depth = 1;
  const first = endOfString(text, at, quote);
  for (let place = first === -1 ? text.length : first + quote.length; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    if (unit === OPEN) depth += 1;
    else if (unit === CLOSE && (depth -= 1) === 0) return place;
    else if (text.startsWith(quote, place)) {
      const stop = endOfString(text, place + quote.length, quote);
      if (stop === -1) return text.length;
      place = stop + quote.length - 1;
    }
  }
  return text.length;
}

/** Where the string begins whose last mark stands at `end`. */
function startOfString(text: string, end: number, quote: string): number {
  let start = end > 0 ? text.lastIndexOf(quote, end - 1) : -1;
  while (start > 0 && text[start - 1] === '\\') start = text.lastIndexOf(quote, start - 1);
  return start;
}

/** Each value of the flat object that begins here. */
function entriesOf(text: string, { at, end, quote }: { readonly at: number; readonly end: number; readonly quote: string }, found: Part[]): void {
  const open = /\s{0,8}:\s{0,8}\{/y;
  open.lastIndex = at;
  if (!open.test(text)) return;
  const gap = /[\s,:]*/y;
  let isKey = true;
  let place = open.lastIndex;
  while (place < end) {
    gap.lastIndex = place;
    gap.test(text);
    place = gap.lastIndex;
    if (!text.startsWith(quote, place)) return;
    const start = place + quote.length;
    const stop = endOfString(text, start, quote);
    if (stop === -1 || stop > end) return;
    if (!isKey && !FILLED.test(text.slice(start, Math.min(stop, start + LONGEST_FILLED)))) found.push({ start, end: stop });
    isKey = !isKey;
    place = stop + quote.length;
  }
}

/** Where the string ends: the next quotation mark that is no deeper one. */
function endOfString(text: string, start: number, quote: string): number {
  let stop = text.indexOf(quote, start);
  while (stop !== -1 && text[stop - 1] === '\\') stop = text.indexOf(quote, stop + 1);
  return stop;
}
