import { RegExpParser, RegExpSyntaxError, type AST } from '@eslint-community/regexpp';
import type { Reading } from './alphabet.ts';
import { PatternRefused } from './pattern-refused.ts';

/** Longer than any pattern that a person wrote; the URI of RFC 3986 takes 1,200. */
const MAX_LENGTH = 2_000;
/** The parser and the builder go as deep as groups are nested: far below what overflows a stack. */
const MAX_GROUPS = 200;

export interface ParsedPattern {
  readonly alternatives: readonly AST.Alternative[];
  readonly flags: Reading['flags'];
}

/** As ECMAScript reads it: with the `u` flag, and without where only that gives a pattern, as JSON Schemas are written. */
export function parsePattern(source: string, ignoreCase: boolean): ParsedPattern {
  if (source.length > MAX_LENGTH) throw new PatternRefused(`it is longer than ${MAX_LENGTH} characters`);
  if (source.split('(').length - 1 > MAX_GROUPS) throw new PatternRefused(`it has more than ${MAX_GROUPS} groups`);
  const withUnicode = tryToParse(source, true);
  if (!(withUnicode instanceof PatternRefused)) return { alternatives: withUnicode.alternatives, flags: ignoreCase ? 'iu' : 'u' };
  const without = tryToParse(source, false);
  if (without instanceof PatternRefused) throw withUnicode;
  return { alternatives: without.alternatives, flags: ignoreCase ? 'i' : '' };
}

function tryToParse(source: string, unicode: boolean): AST.Pattern | PatternRefused {
  try {
    return new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode });
  } catch (cause) {
    if (cause instanceof RegExpSyntaxError) return new PatternRefused('it is no regular expression', cause);
    throw new PatternRefused('it cannot be read', cause);
  }
}
