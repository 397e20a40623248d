import { ESCAPE, LEFT_EDGE, looksRandom, OWN_EDGE, type JoinedRule, type NamedRule, type TokenRule } from './secret-rule.ts';

export interface CompiledToken {
  readonly id: string;
  readonly prefix: string;
  /** Its fourth unit, when it has one. Told apart by a number: many prefixes begin alike, and rows of them are looked at at each. */
  readonly fourth: number | undefined;
  readonly body: RegExp;
  readonly rest: RegExp | undefined;
  readonly accepts: (body: string, prefix: string) => boolean;
}

/** Tokens by the first units of their prefix: nearly every word is told apart by the first two, and what is left by the third. */
export class TokenIndex {
  readonly #byTriple = new Map<number, CompiledToken[]>();
  /** By a prefix of two units, whatever follows it. */
  readonly #byPair = new Map<number, CompiledToken[]>();
  readonly #pairs = new Uint8Array(128 * 128);

  constructor(rules: readonly TokenRule[]) {
    const tokens = rules.flatMap((rule) => rule.prefixes.map((prefix) => compileToken(rule, prefix)));
    // The shorter ones first: those of a longer one are added to the lists that these begin.
    for (const token of tokens.filter(({ prefix }) => prefix.length === 2)) addTo(this.#byPair, pairAt(token.prefix, 0), token);
    for (const token of tokens.filter(({ prefix }) => prefix.length > 2)) this.#add(token);
    for (const pair of [...this.#byPair.keys(), ...[...this.#byTriple.keys()].map((triple) => triple >> 7)]) this.#pairs[pair] = 1;
  }

  #add(token: CompiledToken): void {
    const pair = pairAt(token.prefix, 0);
    const triple = 128 * pair + token.prefix.charCodeAt(2);
    if (!this.#byTriple.has(triple)) this.#byTriple.set(triple, [...(this.#byPair.get(pair) ?? [])]);
    addTo(this.#byTriple, triple, token);
  }

  /** Those whose prefix may stand here; the first two units belong to a word. */
  at(text: string, start: number): readonly CompiledToken[] | undefined {
    const pair = pairAt(text, start);
    if (this.#pairs[pair] !== 1) return undefined;
    const third = text.charCodeAt(start + 2);
    return (third < 128 ? this.#byTriple.get(128 * pair + third) : undefined) ?? this.#byPair.get(pair);
  }
}

function compileToken(rule: TokenRule, prefix: string): CompiledToken {
  return {
    id: rule.id,
    prefix,
    fourth: prefix.length > 3 ? prefix.charCodeAt(3) : undefined,
    body: new RegExp(rule.body, 'y'),
    rest: rule.rest === undefined ? undefined : new RegExp(rule.rest, 'y'),
    accepts: rule.accepts ?? looksRandom,
  };
}

function pairAt(text: string, start: number): number {
  return 128 * text.charCodeAt(start) + text.charCodeAt(start + 1);
}

function addTo(index: Map<number, CompiledToken[]>, key: number, token: CompiledToken): void {
  const tokens = index.get(key);
  if (tokens === undefined) index.set(key, [token]);
  else tokens.push(token);
}

export interface CompiledJoined {
  /** One group for each rule, around what stands before the word. */
  readonly pattern: RegExp;
  /** The same without its edges: what it does not fit, it fits at no seam. And with one of them: what is told by the one needs no look at each of the other. */
  readonly open: RegExp;
  readonly left: RegExp;
  readonly right: RegExp;
  readonly rules: readonly JoinedRule[];
}

// slow pattern: it reads patterns of devs alone
const RIGHT_EDGE = /\(\?!(?:\[[^\]]+\]|\\\.)(?:\|[^)]*)?\)/g;

/** Rules of what stands before a word, by the number of the unit right before it: one pattern for all of them. */
export function compileJoined(rules: readonly JoinedRule[]): readonly (CompiledJoined | undefined)[] {
  const compiled = Array<CompiledJoined | undefined>(128).fill(undefined);
  for (const [after, group] of Map.groupBy(rules, (rule) => rule.after)) {
    const source = group.map(({ before, body }) => `(?<=(${before}))${body}`).join('|');
    const left = source.replaceAll(RIGHT_EDGE, '');
    const right = withoutLeftEdge(source);
    const open = withoutLeftEdge(left);
    compiled[after.charCodeAt(0)] = { pattern: new RegExp(source, 'y'), open: new RegExp(open, 'y'), left: new RegExp(left, 'y'), right: new RegExp(right, 'y'), rules: group };
  }
  return compiled;
}

function withoutLeftEdge(source: string): string {
  return source.replaceAll(LEFT_EDGE, '').replaceAll(OWN_EDGE, '');
}

export interface CompiledNamed {
  readonly id: string;
  readonly name: RegExp;
  readonly value: RegExp;
  readonly rest: RegExp | undefined;
  readonly accepts: (secret: string, match: string) => boolean;
}

export function compileNamed(rules: readonly NamedRule[]): readonly CompiledNamed[] {
  return rules.map((rule) => ({
    id: rule.id,
    name: new RegExp(`${rule.name}$`, 'i'),
    value: new RegExp(rule.value, 'iy'),
    rest: rule.rest === undefined ? undefined : new RegExp(rule.rest, 'iy'),
    accepts: rule.accepts ?? (() => true),
  }));
}

const [PERCENT, APOSTROPHE, COLON, SEMICOLON, EQUALS, QUESTION_MARK, BRACKET, BACKSLASH] = [0x25, 0x27, 0x3a, 0x3b, 0x3d, 0x3f, 0x5b, 0x5c];
const ESCAPED = new RegExp(ESCAPE, 'y');

/** What is left of a control sequence whose ESC is shown, escaped or gone: of `[0;31mghp_…`, `31m`. */
const SEQUENCE_END = /[0-9]{0,4}[A-Za-z]/y;
/** Of `[38:5:196mghp_…`, where colons stand between the numbers of a colour. */
const COLOUR_END = /(?<=[0-9]:)[0-9]{1,4}m/y;

/** How many units at the beginning of the word belong to an escape or a control sequence before it: of `\nghp_…`, the `n`. */
export function escapeInto(text: string, start: number): number {
  const before = text.charCodeAt(start - 1);
  switch (before) {
    case BRACKET:
    case SEMICOLON:
    case QUESTION_MARK:
      return unitsOf(SEQUENCE_END, { text, from: start, start });
    case COLON:
      return unitsOf(COLOUR_END, { text, from: start, start });
    case BACKSLASH:
    case PERCENT:
    case EQUALS:
      return unitsOf(ESCAPED, { text, from: start - 1, start });
    case APOSTROPHE:
      return unitsOf(ESCAPED, { text, from: start - 2, start });
    default:
      return 0;
  }
}

function unitsOf(pattern: RegExp, { text, from, start }: { readonly text: string; readonly from: number; readonly start: number }): number {
  if (from < 0) return 0;
  pattern.lastIndex = from;
  return pattern.test(text) ? Math.max(0, pattern.lastIndex - start) : 0;
}
