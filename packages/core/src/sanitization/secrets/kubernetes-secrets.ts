import type { Part } from './look.ts';
import { readYamlEntry } from './yaml-entry.ts';

/** What leads to a manifest of a secret: the value of its `kind`. Of six units. */
export const SECRET_KIND = 'Secret';

/** Units of a line before its key. */
const DEEPEST = 80;

const YAML_KIND = /(?:^|\n)([ \t]{0,64}(?:- {1,4})?)kind: {1,4}["']?$/;
const JSON_KIND = /(\\{0,4}")kind\1\s{0,4}:\s{0,4}\1$/;

const [OPEN, CLOSE] = [0x7b, 0x7d];

/** What a template fills in, and what is masked already. */
const FILLED = /^(?:\{\{|<|\$[{(]|\[REDACTED:|\.\.\.|null$|~$|[{[*&!]|$)/;

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
    if (entry !== undefined && stop > start && !FILLED.test(this.#text.slice(start, stop))) found.push({ start, end: stop });
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
 * In the object of this `kind`: from the `kind` before it, which is of another manifest, to the one behind it, or to the end of its object.
 * @param quote as deep as it is quoted: `"`, `\"`, `\\\"`
 */
function valuesInJson(text: string, at: number, quote: string): FoundValues {
  const from = Math.max(0, text.lastIndexOf('kind', text.lastIndexOf('kind', at) - 1));
  const end = endOfObject(text, at);
  const found: Part[] = [];
  for (const member of ['data', 'stringData']) {
    const name = `${quote}${member}${quote}`;
    const piece = text.slice(from, end);
    for (let place = piece.indexOf(name); place !== -1; place = piece.indexOf(name, place + name.length)) {
      entriesOf(text, { at: from + place + name.length, end, quote }, found);
    }
  }
  // What is behind it is read again by the next one, whose object this may be in.
  return { found: found.sort((a, b) => a.start - b.start), end: at + 1, units: end - from };
}

/** Where the braces of the object close that this is in; the next `kind` at the latest. */
function endOfObject(text: string, at: number): number {
  const next = text.indexOf('kind', at);
  const end = next === -1 ? text.length : next;
  let depth = 1;
  for (let place = at; place < end; place += 1) {
    const unit = text.charCodeAt(place);
    if (unit === OPEN) depth += 1;
    else if (unit === CLOSE && (depth -= 1) === 0) return place;
  }
  return end;
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
    if (!isKey && !FILLED.test(text.slice(start, Math.min(stop, start + 16)))) found.push({ start, end: stop });
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
