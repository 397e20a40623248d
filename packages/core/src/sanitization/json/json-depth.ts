import { types } from 'node:util';

/** Output that was to be JSON and is none (seed 002). */
export interface MalformedJson {
  readonly kind: 'MalformedJson';
  /** A sentence's end, in devs's own words: `it is nested deeper than 50 levels`. */
  readonly reason: string;
}

/** Objects and arrays inside one another. */
export const MAX_JSON_DEPTH = 50;
/** A bound for values that refer to one part many times. */
const MOST_VALUES = 1_000_000;

/** A value that is still to be looked at, and how many objects and arrays it stands in. */
interface Pending {
  readonly value: unknown;
  readonly depth: number;
}

/** Of JSON that was parsed: a string, so that what is in it is not counted, or a bracket. */
// slow pattern: each string of JSON that was parsed has an end
const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"|[[\]{}]/g;

class Malformed extends Error {}

/**
 * What makes the output no JSON that devs passes on; undefined when nothing does. Text is parsed, a value is looked at
 * by its own data members: no getter and no proxy of a tool runs. Never throws; recursion has no part in it.
 * @example
 * ```ts
 * import { validateJsonOutput } from '@devs/core';
 * console.log(validateJsonOutput('{"a": 1}'), validateJsonOutput('{"a": ')?.reason); // undefined it cannot be parsed
 * ```
 */
export function validateJsonOutput(value: unknown): MalformedJson | undefined {
  try {
    if (typeof value === 'string') refuseMalformedText(value);
    else refuseMalformed(value);
    return undefined;
  } catch (cause) {
    return { kind: 'MalformedJson', reason: cause instanceof Malformed ? cause.message : 'it cannot be read' };
  }
}

function refuseMalformedText(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    // The engine's own message quotes what it could not read.
    throw new Malformed('it cannot be parsed');
  }
  let depth = 0;
  for (const [bracket] of text.matchAll(STRING_OR_BRACKET)) {
    if (bracket === '[' || bracket === '{') depth += 1;
    else if (bracket === ']' || bracket === '}') depth -= 1;
    if (depth > MAX_JSON_DEPTH) throw tooDeep();
  }
}

function refuseMalformed(root: unknown): void {
  const pending: Pending[] = [{ value: root, depth: 0 }];
  let values = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    values += 1;
    if (values + pending.length > MOST_VALUES) throw tooMany();
    const { value, depth } = next;
    if (typeof value === 'object' && value !== null) pushMembers(value, depth + 1, pending);
    else if (!isScalar(value)) throw new Malformed('it holds a value that JSON has no form for');
  }
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function pushMembers(container: object, depth: number, pending: Pending[]): void {
  if (depth > MAX_JSON_DEPTH) throw tooDeep();
  if (types.isProxy(container) || !isPlain(container)) throw new Malformed('it holds an object that is not plain data');
  // Named one by one, what a sparse array says of its length could be a billion names.
  if (Array.isArray(container) && container.length > MOST_VALUES) throw tooMany();
  const names = Array.isArray(container) ? Array.from({ length: container.length }, (_, index) => String(index)) : Object.keys(container);
  for (const name of names) {
    const member = Object.getOwnPropertyDescriptor(container, name);
    if (member === undefined || !('value' in member)) throw new Malformed('it holds a member that is no data');
    // JSON leaves such a member of an object out.
    if (member.value !== undefined || Array.isArray(container)) pending.push({ value: member.value, depth });
  }
}

/** Of this realm or another: an array, or an object of which nothing but its own members says what it is. */
function isPlain(container: object): boolean {
  if (Array.isArray(container)) return true;
  const prototype: unknown = Object.getPrototypeOf(container);
  return prototype === null || (!types.isProxy(prototype) && Object.getPrototypeOf(prototype) === null);
}

function tooDeep(): Malformed {
  return new Malformed(`it is nested deeper than ${String(MAX_JSON_DEPTH)} levels`);
}

function tooMany(): Malformed {
  return new Malformed(`it holds more than ${String(MOST_VALUES)} values`);
}
