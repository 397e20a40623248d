import { RegExpParser, RegExpSyntaxError, type AST } from '@eslint-community/regexpp';
import { PatternRefused } from './pattern-refused.ts';
import { toUnicodeSyntax } from './unicode-syntax.ts';

/** Longer than any pattern that a person wrote; the URI of RFC 3986 takes 1,200. */
const MAX_LENGTH = 2_000;
/** The parser and the builder go as deep as groups are nested: far below what overflows a stack. */
const MAX_GROUPS = 200;

/**
 * As ECMAScript reads it with the `u` flag. Throws `PatternRefused` for what is no pattern, or is too long or too deep.
 */
export function parsePattern(source: string): readonly AST.Alternative[] {
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
