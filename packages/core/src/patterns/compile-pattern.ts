import { type AST, RegExpParser, RegExpSyntaxError } from '@eslint-community/regexpp';
import { Automaton } from './automaton.ts';
import { PatternRefused } from './pattern-refused.ts';
import { buildProgram, measureProgram, type Wanted } from './program.ts';
import { toUnicodeSyntax } from './unicode-syntax.ts';

/** Longer than any pattern that a person wrote; the URI of RFC 3986 takes 1,200. */
const MAX_LENGTH = 2_000;
/** The parser and the builder go as deep as groups are nested: far below what overflows a stack. */
const MAX_GROUPS = 200;

/**
 * As ECMAScript reads it with the `u` flag. Throws `PatternRefused` for what is no pattern, or is too long or too deep.
 */
function parsePattern(source: string): readonly AST.Alternative[] {
  if (source.length > MAX_LENGTH) throw new PatternRefused(`it is longer than ${MAX_LENGTH} characters`);
  if (source.split('(').length - 1 > MAX_GROUPS) throw new PatternRefused(`it has more than ${MAX_GROUPS} groups`);
  const pattern = tryToParse(source) ?? tryToParse(toUnicodeSyntax(source));
  if (pattern === undefined) throw new PatternRefused('it is no regular expression of ECMAScript with the u flag');
  return pattern.alternatives;
}

function tryToParse(source: string): AST.Pattern | undefined {
  try {
    return new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode: true });
  } catch (cause) {
    if (cause instanceof RegExpSyntaxError) return undefined;
    throw new PatternRefused('it cannot be read', cause);
  }
}

/** Steps with all repetitions written out. More would be slow to build, and slow at each character of a hostile text. */
const MAX_STEPS = 10_000;

/** A regular expression that takes time linear in the text, whatever the pattern and whatever the text. */
export interface LinearPattern {
  readonly source: string;
  /** The most steps that one character of a text can cost: at most 10,000. */
  readonly size: number;
  /** As `RegExp.prototype.test` answers with the `u` flag. */
  test(text: string): boolean;
}

export interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** Hears on the way how many steps tests take; what it throws ends the test. */
  readonly spend?: (steps: number) => void;
}

/** One thing that must hold, or must not, for the pattern to fit. */
interface Condition {
  readonly automaton: Automaton;
  readonly fits: boolean;
}

/**
 * Compiles a pattern of ECMAScript, read with the `u` flag, so that no text makes it slow. Older patterns that are none
 * with the flag are taken where they can only mean one thing (`\-`, `[\w-.]`, a `{` that counts nothing). Throws
 * `PatternRefused` for what is no pattern, is too large, or cannot be run in linear time: references back, looking behind,
 * and looking ahead elsewhere than in `^(?=…)(?!…)…`, where each is a test of its own from the start of the text.
 * @example
 * ```ts
 * import { compilePattern } from '@devs/core';
 * const pattern = compilePattern('^(a+)+$');
 * console.log(pattern.test('a'.repeat(100_000)), pattern.test(`${'a'.repeat(100_000)}!`)); // true false
 * ```
 */
export function compilePattern(source: string, { ignoreCase = false, spend = () => undefined }: PatternOptions = {}): LinearPattern {
  let size = 0;
  const conditions = splitHead(parsePattern(source)).map(({ fits, ...wanted }): Condition => {
    const program = buildProgram(wanted, { ignoreCase, spend }, MAX_STEPS - size);
    size += program.size;
    return { automaton: new Automaton(program, spend), fits };
  });
  return { source, size, test: (text) => conditions.every(({ automaton, fits }) => automaton.test(text) === fits) };
}

/** The size of the pattern, at a fraction of the time and with nothing kept. Throws as `compilePattern` does. */
export function measurePattern(source: string): number {
  return splitHead(parsePattern(source)).reduce((size, wanted) => size + measureProgram(wanted, MAX_STEPS - size), 0);
}

/** `^(?=a)(?!b)c` as three: `^a` must fit, `^b` must not, `^c` must. */
function splitHead(alternatives: readonly AST.Alternative[]): readonly (Wanted & { readonly fits: boolean })[] {
  const [first, ...others] = alternatives;
  const [anchor, ...rest] = first?.elements ?? [];
  const isAnchored = others.length === 0 && anchor?.type === 'Assertion' && anchor.kind === 'start';
  if (!isAnchored) return [{ sequences: alternatives.map(({ elements }) => elements), anchored: false, fits: true }];
  const count = rest.findIndex((element) => !isLookahead(element));
  const head = rest.slice(0, count < 0 ? rest.length : count).filter(isLookahead);
  return [
    ...head.map((ahead) => ({ sequences: ahead.alternatives.map(({ elements }) => elements), anchored: true, fits: !ahead.negate })),
    { sequences: [rest.slice(head.length)], anchored: true, fits: true },
  ];
}

function isLookahead(element: AST.Element): element is AST.LookaheadAssertion {
  return element.type === 'Assertion' && element.kind === 'lookahead';
}
