import { compileName } from './name-pattern.ts';
import { takesAll, type Effort, type Piece } from './wildcard.ts';

/** Judges a path, given as its segments below the folder of the pattern. */
export type PathPattern = (segments: readonly string[], effort: Effort) => boolean;

/**
 * Compiles a pattern as a line of `.gitignore` has it, without a `/` at its end: one that has no `/` is
 * held against the last name alone; any other against the whole path, where `**` takes any number of
 * folders. Undefined when it can fit nothing.
 */
export function compilePath(pattern: string): PathPattern | undefined {
  if (!pattern.includes('/')) {
    const name = compileName(pattern);
    return name && ((segments, effort) => name(segments.at(-1) ?? '', effort));
  }
  const names = splitPattern(pattern.replace(/^\//, ''));
  const pieces = names.map(toPiece);
  // `a/**` is what lies in `a`, not `a` itself.
  if (names.at(-1) === '**') pieces.push(() => true);
  const whole = pieces.filter((piece) => piece !== undefined);
  return whole.length < pieces.length ? undefined : (segments, effort) => takesAll(whole, segments, effort);
}

/** The segments of a pattern. A slash is a slash, whether a backslash stands before it or not. */
export function splitPattern(pattern: string): string[] {
  return pattern.replaceAll(/\\(.)/gsu, (escaped, character) => (character === '/' ? '/' : escaped)).split('/');
}

function toPiece(name: string): Piece<string> | undefined {
  return name === '**' ? 'run' : compileName(name);
}
