import { entriesOf } from './flow-manifest.ts';
import type { Part } from './look.ts';
import { isFilledIn, type FoundValues, type KindPlace, type ManifestLook } from './manifest.ts';
import { ManifestLines, type ManifestLine } from './manifest-lines.ts';
import { readYamlEntry, type YamlEntry } from './yaml-entry.ts';

/** Units before the indent of a line: its number, the name of its file. */
const LONGEST_GUTTER = 128;
const DATA = /^(["']?)(?:data|stringData)\1[ \t]{0,16}:(?=\s|$)[ \t]{0,16}/;
/** Units of a line in which the key of the data stands, and the brace of its value. */
const LONGEST_DATA = 200;
const KEY_ALONE = /^[^\s:#][^:\n]{0,256}:[ \t]*$/;
const PROPERTIES = /^(?:[!&][^\s]{0,64}(?:[ \t]{1,16}|$)){1,3}["']?/;
/** Without quotes, these are no text in YAML: nothing, a mapping, a list, another value. In quotes a password may begin like that. */
const NO_TEXT = /^(?:null$|~$|[{[*])/;

/** The values of a secret in lines. */
export function valuesInBlock(text: string, kind: KindPlace, { from, work }: ManifestLook): FoundValues | undefined {
  const first = Math.max(0, kind.key - LONGEST_GUTTER);
  const before = text.slice(first, kind.key);
  const begin = before.lastIndexOf('\n') + 1;
  // A search to the beginning of a line of any length, for each kind in it, would be the square of it.
  if (begin === 0 && first > 0) return undefined;
  return new BlockManifest(text, kind, new ManifestLines(text, { gutter: gutterOf(before.slice(begin)), work })).valuesFrom(first + begin, from);
}

/** What stands before the indent, the hyphens of a list and the sign of a diff. The hyphen behind the number of a line belongs to it. */
function gutterOf(before: string): string {
  let end = before.length;
  while (' \t+-'.includes(before.charAt(end - 1)) && end > 0) end -= 1;
  return before[end] === '-' && /\d/.test(before.charAt(end - 1)) ? before.slice(0, end + 1) : before.slice(0, end);
}

class BlockManifest {
  readonly #text: string;
  readonly #kind: KindPlace;
  #lines: ManifestLines;
  readonly #found: Part[] = [];

  constructor(text: string, kind: KindPlace, lines: ManifestLines) {
    this.#text = text;
    this.#kind = kind;
    this.#lines = lines;
  }

  valuesFrom(start: number, from: number): FoundValues | undefined {
    const line = this.#lines.at(start);
    const isDiff = this.#isAmongSigns(line);
    if (isDiff) this.#lines = this.#lines.asDiff;
    const kindLine = isDiff ? this.#lines.at(start) : line;
    if (kindLine.content !== this.#kind.key) return undefined;
    const begin = this.#beginBefore(kindLine, from);
    // In a list whose hyphens stand in the first column, one there begins the next item.
    if (!isDiff && !(begin.isItem && this.#lines.signOf(begin) === '-')) this.#lines = this.#lines.asDiff;
    const end = this.#readFrom(begin, kindLine);
    return { found: this.#found, end, units: end - begin.start };
  }

  /** True where a line beside that of the kind shows that they are those of a diff. */
  #isAmongSigns(line: ManifestLine): boolean {
    const lines = this.#lines;
    const sign = lines.signOf(line);
    const beside = [...(line.start > 0 ? [lines.at(this.#startBefore(line.start))] : []), lines.at(line.end + 1)];
    return beside.some((other) => lines.signOf(other) === '+' || (sign === '-' && lines.signOf(other) === '-' && other.depth >= line.depth));
  }

  #startBefore(start: number): number {
    // A place before the text counts as its first unit: where that is a line feed, the search would find the line at hand for ever.
    return start === 1 ? 0 : this.#text.lastIndexOf('\n', start - 2) + 1;
  }

  /** The first line of the mapping that the `kind` is in. */
  #beginBefore(kindLine: ManifestLine, from: number): ManifestLine {
    let begin = kindLine;
    while (begin.start > from && !(begin.isItem && begin.depth === kindLine.depth)) {
      const before = this.#lines.at(this.#startBefore(begin.start));
      if (before.start < from || (before.depth < kindLine.depth && !before.isAside)) break;
      begin = before;
    }
    return begin;
  }

  /** Reads to the end of the mapping, and gives where that is. */
  #readFrom(begin: ManifestLine, { start, depth }: ManifestLine): number {
    let dataDepth = Infinity;
    let line = begin;
    while (line.start < this.#text.length) {
      const isSkipped = line.isAside || line.depth === Infinity;
      if (!isSkipped && line.start > start && (line.depth < depth || (line.depth === depth && line.isItem))) break;
      if (!isSkipped && line.depth > dataDepth) {
        line = this.#readEntry(line);
        continue;
      }
      if (!isSkipped) dataDepth = (this.#kind.isList ? line.depth > depth : line.depth === depth) && this.#isData(line) ? line.depth : Infinity;
      line = this.#lines.at(line.end + 1);
    }
    return line.start;
  }

  /** Whether entries follow; those in braces are noted at once. */
  #isData({ content, end }: ManifestLine): boolean {
    const name = DATA.exec(this.#text.slice(content, Math.min(end, content + LONGEST_DATA)))?.[0];
    return name !== undefined && !this.#readBraces(content + name.length);
  }

  /** What a template fills in begins with two. */
  #readBraces(at: number): boolean {
    if (this.#text[at] !== '{' || this.#text[at + 1] === '{') return false;
    entriesOf(this.#text, { at: at + 1, end: this.#text.length, quote: '"' }, this.#found);
    return true;
  }

  /** Notes the value of one entry, and gives the line behind it. */
  #readEntry(line: ManifestLine): ManifestLine {
    const below: ManifestLine[] = [];
    let next = this.#lines.at(line.end + 1);
    // What is deeper belongs to the value: lines of a block, of a text that is folded, of one that begins behind its key.
    for (; next.start < this.#text.length && (next.depth > line.depth || next.isAside); next = this.#lines.at(next.end + 1)) {
      if (next.depth > line.depth && next.depth < Infinity) below[below.length === 0 ? 0 : 1] = next;
    }
    const entry = this.#readBraces(line.content) ? undefined : entryOf(this.#text.slice(line.content, line.end));
    if (entry !== undefined) this.#note(line, entry, below);
    return next;
  }

  /** @param below the first line of the value behind that of its key, and the last */
  #note(line: ManifestLine, { start, value }: YamlEntry, [first, last = first]: readonly ManifestLine[]): void {
    const isBlock = /^[|>][+-]?\d?[+-]?$/.test(value);
    const begin = isBlock || value === '' ? first?.first : line.content + start;
    if (begin === undefined) return;
    const end = last === undefined ? begin + value.length : this.#endOf(last);
    const part = isBlock ? { start: begin, end } : this.#withoutQuotes({ start: begin, end });
    const isQuoted = isBlock || /["']/.test(this.#text[part.start - 1] ?? '');
    if (part.end > part.start && isFilledIn(this.#text, part) && (isQuoted || !NO_TEXT.test(this.#text.slice(part.start, Math.min(part.end, part.start + 5))))) this.#found.push(part);
  }

  #endOf({ end }: ManifestLine): number {
    return this.#text[end - 1] === '\r' ? end - 1 : end;
  }

  /** Of a text whose quote may stand before it, or be its first unit. */
  #withoutQuotes({ start, end }: Part): Part {
    const first = /["']/.test(this.#text.charAt(start)) && !/["']/.test(this.#text.charAt(start - 1)) ? start + 1 : start;
    const quote = this.#text.charAt(first - 1);
    return { start: first, end: /["']/.test(quote) && end > first && this.#text[end - 1] === quote ? end - 1 : end };
  }
}

/** The entry of a line, also one whose value begins on the next, and one with a tag before its value: `!!binary |`. */
function entryOf(line: string): YamlEntry | undefined {
  const entry = readYamlEntry(line) ?? (KEY_ALONE.test(line.trimEnd()) ? { start: line.length, value: '' } : undefined);
  if (entry === undefined || /["']/.test(line.charAt(entry.start - 1))) return entry;
  if (entry.value.startsWith('#')) return { start: line.length, value: '' };
  const units = PROPERTIES.exec(entry.value)?.[0].length ?? 0;
  return { start: entry.start + units, value: entry.value.slice(units) };
}
