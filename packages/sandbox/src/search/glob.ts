import { DevsError } from '@devs/core';
import { compilePath, splitPattern, type PathPattern } from './path-pattern.ts';

/** In UTF-16 units. */
const MAX_GLOB_LENGTH = 256;
/** What `{a,b}{c,d}` may come to. */
const MAX_ALTERNATIVES = 64;
/** Segments that no name ever fits; with a backslash they say the same. */
const HERE = /^(?:\\?\.)?$/;
const UP = /^\\?\.\\?\.$/;

/**
 * Compiles a glob: a pattern as `.gitignore` has it, and `{a,b}`. A `/` at its end means all that lies in there;
 * `./a//b` is `/a/b`, as in a path.
 * @throws DevsError PATTERN_REFUSED
 */
export function compileGlob(glob: string): PathPattern {
  if (glob.length > MAX_GLOB_LENGTH) throw refused(`longer than ${String(MAX_GLOB_LENGTH)} characters`);
  if (glob.startsWith('!')) throw refused('negated, which is not supported');
  if (/(?:^|[^\\])[@?*+!]\(/.test(glob)) throw refused('an extended one: use {a,b} instead of (a|b)');
  const patterns = expandBraces(glob).map((pattern) => {
    const compiled = compilePath(tidy(pattern));
    if (compiled === undefined) throw refused('one that fits nothing: a [ without its ], or a \\ at an end');
    return compiled;
  });
  return (segments, effort) => patterns.some((pattern) => pattern(segments, effort));
}

/** Takes out what would fit nothing: an answer without a line would pass for a text that is nowhere. */
function tidy(pattern: string): string {
  const segments = splitPattern(pattern);
  if (segments.some((segment) => UP.test(segment))) {
    throw refused('one that goes up with "..": give the folder as "path", and a glob that goes down from it, such as src/*.ts');
  }
  const names = segments.filter((segment) => !HERE.test(segment));
  // An empty choice, as in `{,a}`, names nothing; it is not all that lies here.
  if (pattern !== '' && HERE.test(segments.at(-1) ?? '')) names.push('**');
  return `${segments.length > 1 ? '/' : ''}${names.join('/')}`;
}

function refused(problem: string): DevsError {
  return new DevsError('PATTERN_REFUSED', { sentence: `The glob cannot be used: it is ${problem}.` });
}

/** What the first pair of braces leaves to be written out, and what is before, in and after it. */
interface Braces {
  readonly before: string;
  readonly choices: readonly string[];
  readonly after: string;
}

/** Writes `{a,b}` out, from the left. */
function expandBraces(glob: string): string[] {
  const done: string[] = [];
  const rest = [glob];
  for (let pattern = rest.pop(); pattern !== undefined; pattern = rest.pop()) {
    const braces = findBraces(pattern);
    if (braces === undefined) done.push(pattern);
    else rest.push(...braces.choices.map((choice) => `${braces.before}${choice}${braces.after}`).toReversed());
    if (done.length + rest.length > MAX_ALTERNATIVES) {
      throw refused(`one of more than ${String(MAX_ALTERNATIVES)} alternatives`);
    }
  }
  return done;
}

/**
 * The first pair of braces with a comma of its own, an outer one before those in it: inner ones first would
 * write out what nests twice for each level. Braces without a comma are themselves, as in a shell.
 */
function findBraces(pattern: string): Braces | undefined {
  const open: { readonly start: number; readonly ends: number[] }[] = [];
  let first: { readonly start: number; readonly ends: number[] } | undefined;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === '\\') index += 1;
    else if (character === '{') open.push({ start: index, ends: [] });
    else if (character === ',') open.at(-1)?.ends.push(index);
    else if (character === '}') {
      const pair = open.pop();
      if (pair === undefined || pair.ends.length === 0) continue;
      pair.ends.push(index);
      if (first === undefined || pair.start < first.start) first = pair;
    }
  }
  return first && toBraces(pattern, first.start, first.ends);
}

function toBraces(pattern: string, start: number, ends: readonly number[]): Braces {
  const choices = ends.map((end, index) => pattern.slice((index === 0 ? start : (ends[index - 1] ?? start)) + 1, end));
  return { before: pattern.slice(0, start), choices, after: pattern.slice((ends.at(-1) ?? start) + 1) };
}
