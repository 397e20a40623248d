import { NOWHERE, NumberStack } from '../pipeline/number-stack.ts';
import type { Change, Rewriter } from '../pipeline/text-step.ts';
import { looksEncoded } from '../secrets/key-runs.ts';
import { scanJson } from './json-scanner.ts';

const MARK = /^\[REDACTED:[a-z0-9:-]{1,100}\]$/;
/** In a value in the midst of what runs over several: of a line of a key, not of a name or a path that stands between two. */
const LONG_RUN = /[A-Za-z0-9+/=]{40,100}/;
const LONGEST_ESCAPE = 6;

/**
 * For a text that is JSON: what is found in the whole of it, over the ends of its values, is marked in each of these
 * values by itself. A list of lines may be a key, and each line of it goes; but a mark that took the braces and the
 * names between two of them would make of an answer what nobody can read, or what has one member less.
 */
export class ConfinedRewriter implements Rewriter {
  readonly #text: string;
  readonly #rewriter: Rewriter;
  readonly #crossing: 'kept' | 'dropped';
  #values: JsonValues | undefined;
  #decided = 0;

  /** @param crossing what becomes of changes over several values that are no marks: a rest that is written anew */
  constructor(text: string, rewriter: Rewriter, crossing: 'kept' | 'dropped') {
    this.#text = text;
    this.#rewriter = rewriter;
    this.#crossing = crossing;
  }

  replace(start: number, end: number, change: Change): void {
    this.#values ??= new JsonValues(this.#text);
    const values = this.#values;
    if (!values.isJson) return this.#rewriter.replace(start, end, change);
    values.moveTo(start);
    const isInOne = values.start <= start && end <= values.end;
    if (isInOne && values.isText) this.#replaceInText(start, end, change);
    // A number has no room for words.
    else if (isInOne && MARK.test(change.by)) this.#write(values.start, values.end, { ...change, by: `"${change.by}"` });
    else if (MARK.test(change.by)) this.#markEach(values, { start, end }, change);
    else if (this.#crossing === 'kept') this.#write(start, end, change);
  }

  #markEach(values: JsonValues, { start, end }: Span, { by, rule, fingerprint }: Change): void {
    let isFirst = true;
    for (; values.start < end; values.advance()) {
      const part = { start: Math.max(start, values.start), end: Math.min(end, values.end) };
      const isWanted = isFirst || end <= values.end || holdsKeyLine(this.#text.slice(part.start, part.end));
      if (!values.isText || !isWanted || part.start >= part.end) continue;
      const change = isFirst && fingerprint !== undefined ? { by, rule, fingerprint } : { by, rule };
      isFirst = false;
      this.#replaceInText(part.start, part.end, change);
      if (end <= values.end) return;
    }
  }

  /** Of an escape either all goes or nothing: half of one is no JSON. */
  #replaceInText(start: number, end: number, change: Change): void {
    this.#write(escapeAround(this.#text, start)?.start ?? start, escapeAround(this.#text, end)?.end ?? end, change);
  }

  #write(start: number, end: number, change: Change): void {
    const from = Math.max(start, this.#decided);
    if (from > end || (from === end && start < end)) return;
    this.#rewriter.replace(from, end, change);
    this.#decided = end;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function holdsKeyLine(value: string): boolean {
  const run = LONG_RUN.exec(value)?.[0];
  return run !== undefined && looksEncoded(run);
}

/** The escape that begins before a place inside a text and ends behind it. */
function escapeAround(text: string, place: number): Span | undefined {
  for (let start = place - 1; start > place - LONGEST_ESCAPE; start -= 1) {
    if (text.charAt(start) !== '\\' || !beginsEscape(text, start)) continue;
    const end = start + (text.charAt(start + 1) === 'u' ? LONGEST_ESCAPE : 2);
    return end > place ? { start, end } : undefined;
  }
  return undefined;
}

function beginsEscape(text: string, backslash: number): boolean {
  let first = backslash;
  while (text.charAt(first - 1) === '\\') first -= 1;
  return (backslash - first) % 2 === 0;
}

const [TEXT, BARE] = [0, 1];

/** The values of a text that is JSON, from left to right: of a text what stands between its quotes, and numbers and literals. */
class JsonValues {
  readonly isJson: boolean;
  /** Starts and ends. */
  readonly #places = new NumberStack('large');
  readonly #kinds = new NumberStack('small');
  #next = 0;

  constructor(text: string) {
    this.isJson = scanJson(text, {
      text: (start, end) => this.#add(start + 1, end - 1, TEXT),
      bare: (start, end) => this.#add(start, end, BARE),
    });
  }

  /** To the first that ends behind a place. Places come from left to right. */
  moveTo(place: number): void {
    while (this.end <= place) this.advance();
  }

  advance(): void {
    this.#next += 1;
  }

  /** `NOWHERE` behind the last. */
  get start(): number {
    return this.#next < this.#kinds.length ? this.#places.at(2 * this.#next) : NOWHERE;
  }

  get end(): number {
    return this.#next < this.#kinds.length ? this.#places.at(2 * this.#next + 1) : NOWHERE;
  }

  get isText(): boolean {
    return this.#kinds.at(this.#next) === TEXT;
  }

  #add(start: number, end: number, kind: number): void {
    this.#places.push(start);
    this.#places.push(end);
    this.#kinds.push(kind);
  }
}
