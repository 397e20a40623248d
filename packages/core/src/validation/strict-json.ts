import { sayTheSame } from './decimal.ts';

export type JsonReading = { readonly value: unknown } | { readonly problem: string };

/**
 * Reads JSON as every other reader of it must: a key that stands twice, which one reader takes first and the next
 * last, and a number that JavaScript would change on its way are problems, as is anything behind the value.
 * Problems are in words of ours and quote nothing. Linear, and without recursion.
 * @example
 * ```ts
 * import { readJsonStrictly } from '@devs/core';
 * console.log(readJsonStrictly('{"a": 1}').value, 'problem' in readJsonStrictly('{"a": 1, "a": 2}')); // { a: 1 } true
 * ```
 */
export function readJsonStrictly(text: string): JsonReading {
  if (isTooDeep(text)) return { problem: `is nested deeper than ${MAX_LEVELS} levels` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return { problem: describeSyntaxError(text, cause) };
  }
  const problem = findAmbiguity(text);
  return problem === undefined ? { value } : { problem };
}

/** Far more than arguments may have. A value of millions of levels takes minutes to walk, and to throw away. */
const MAX_LEVELS = 256;

/** Of any text: what is no JSON is found out after. */
function isTooDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at) - 1;
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) level += 1;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) level -= 1;
    if (level > MAX_LEVELS) return true;
  }
  return false;
}

function describeSyntaxError(text: string, cause: unknown): string {
  if (text.trim() === '') return 'is empty';
  // Only the place is taken from the engine's sentence, which quotes the text.
  const said = cause instanceof Error ? cause.message : '';
  const place = /at position (\d+)/.exec(said)?.[1];
  if (said.includes('after JSON')) return `has something behind the JSON value${place === undefined ? '' : `, from character ${place}`}`;
  if (said.includes('Unexpected end') || said.includes('Unterminated')) return 'is JSON that breaks off';
  return `is not JSON${place === undefined ? '' : `, from character ${place}`}`;
}

/** Walks the tokens of a text that is known to be JSON, and looks at keys and numbers. */
function findAmbiguity(text: string): string | undefined {
  const open: Set<string>[] = [];
  let at = 0;
  while (at < text.length) {
    const end = endOfToken(text, at);
    const problem = judge(text, [at, end], open);
    if (problem !== undefined) return `${problem}, at character ${at}`;
    at = end;
  }
  return undefined;
}

function judge(text: string, [start, end]: readonly [number, number], open: Set<string>[]): string | undefined {
  const first = text.charAt(start);
  if (first === '{') open.push(new Set());
  else if (first === '}') open.pop();
  else if (first === '"') return isKey(text, end) && isTwice(text.slice(start, end), open.at(-1)) ? 'has a key twice' : undefined;
  else if (NUMBER_START.test(first)) return isChanged(text.slice(start, end)) ? 'has a number that would be changed on its way' : undefined;
  return undefined;
}

const NUMBER_START = /[-\d]/;
const NUMBER = new Set('-+.eE0123456789');
const SPACE = new Set(' \t\r\n');

/** A string or a number is one token, anything else a token a character. */
function endOfToken(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return endOfString(text, start);
  return NUMBER_START.test(first) ? endOfRun(NUMBER, text, start) : start + 1;
}

function endOfRun(characters: ReadonlySet<string>, text: string, start: number): number {
  let at = start;
  while (characters.has(text.charAt(at))) at += 1;
  return at;
}

/** By hand: a regular expression with an alternative in a loop runs out of stack on a text of some megabytes. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function isKey(text: string, end: number): boolean {
  return text.charAt(endOfRun(SPACE, text, end)) === ':';
}

/** Compared as read: `"a"` and `"\\u0061"` are one key. */
function isTwice(token: string, keys: Set<string> | undefined): boolean {
  const key = String(JSON.parse(token));
  if (keys?.has(key) === true) return true;
  keys?.add(key);
  return false;
}

/**
 * Past the range, or read as a whole number that the text does not say: the account 9007199254740993, however it is
 * written, would be that of another one, and 1e-400 nothing at all. Fractions have more digits than a number holds
 * whenever a program of another language writes them, and lose nothing that it meant.
 */
function isChanged(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return true;
  const written = String(value);
  return written !== source && Number.isInteger(value) && !sayTheSame(source, written);
}
