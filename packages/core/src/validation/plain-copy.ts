import { isRecord, type Json } from '../json.ts';
import { cutWords } from '../protocol/text.ts';

/** Deeper than any honest argument, far below what overflows a recursive walk. */
export const MAX_DEPTH = 64;
/** A bound for values that refer to themselves or to one part many times. */
export const MAX_NODES = 1_000_000;

export interface Refusal {
  /** JSON Pointer to the value that was refused. */
  readonly pointer: string;
  readonly problem: string;
}

export type CopyOutcome = { readonly value: Json } | { readonly refusal: Refusal };

/** By own keys alone: `in` would take a key of a polluted `Object.prototype` for an answer. */
export function isRefused<Outcome extends object>(
  outcome: Outcome,
): outcome is Extract<Outcome, { readonly refusal: unknown }> {
  return Object.hasOwn(outcome, 'refusal');
}

class Refused extends Error {
  readonly #refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.problem);
    this.#refusal = refusal;
  }

  /** By the private field, not `instanceof`: what a proxy threw may itself throw when its prototype is asked for. */
  static refusalOf(cause: unknown): Refusal | undefined {
    return typeof cause === 'object' && cause !== null && #refusal in cause ? cause.#refusal : undefined;
  }
}

interface Walk {
  nodes: number;
  /** Keys from the root to the value at hand. */
  readonly path: string[];
}

/**
 * A frozen copy made of plain data alone. The caller keeps the original; what was checked is then what
 * the tool gets, whatever getters, proxies or later changes the original has. Refuses what JSON
 * cannot carry, and the keys that reach a prototype.
 * @example
 * ```ts
 * import { copyPlain, isRefused } from '@devs/core';
 * console.log(copyPlain({ a: [1] }).value, isRefused(copyPlain({ a: () => 1 }))); // { a: [ 1 ] } true
 * ```
 */
export function copyPlain(input: unknown): CopyOutcome {
  try {
    return { value: copy(input, { nodes: 0, path: [] }) };
  } catch (cause) {
    // Else a getter or a proxy of an in-process caller threw.
    return { refusal: Refused.refusalOf(cause) ?? { pointer: '', problem: 'cannot be read' } };
  }
}

function copy(value: unknown, walk: Walk): Json {
  walk.nodes += 1;
  if (walk.nodes > MAX_NODES) throw refused(walk, `holds more than ${MAX_NODES} values`);
  if (walk.path.length > MAX_DEPTH) throw refused(walk, `is nested deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw refused(walk, 'is not a finite number');
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? copyArray(value, walk) : copyObject(value, walk);
    default:
      throw refused(walk, `is of type ${typeof value}, which JSON cannot carry`);
  }
}

function copyArray(values: readonly unknown[], walk: Walk): Json {
  const copied: Json[] = [];
  for (let index = 0; index < values.length; index += 1) {
    walk.path.push(String(index));
    copied.push(copy(values[index], walk));
    walk.path.pop();
  }
  return Object.freeze(copied);
}

function copyObject(value: object, walk: Walk): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Only a plain object says by its own keys all that it is. Another realm's is plain too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw refused(walk, 'is not a plain object');
  const copied: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    walk.path.push(key);
    const inner: unknown = Reflect.get(value, key);
    // JSON leaves such a key out, and so does an in-process caller who writes `{ limit: undefined }`.
    if (inner === undefined) {
      walk.path.pop();
      continue;
    }
    // The copy is judged, not the original: a proxy may show another face the second time.
    const innerCopy = copy(inner, walk);
    refusePrototypeKey(key, innerCopy, walk);
    copied[key] = innerCopy;
    walk.path.pop();
  }
  return Object.freeze(copied);
}

/** `__proto__`, and `constructor` with a `prototype` in it: the two ways a merge reaches a prototype. */
function refusePrototypeKey(key: string, inner: Json, walk: Walk): void {
  const reachesPrototype =
    key === '__proto__' || (key === 'constructor' && isRecord(inner) && Object.hasOwn(inner, 'prototype'));
  if (reachesPrototype) throw refused(walk, 'is a key that reaches an object’s prototype');
}

function refused(walk: Walk, problem: string): Refused {
  return new Refused({ pointer: toPointer(walk.path), problem });
}

/** JSON Pointer, RFC 6901; capped, since the keys are the caller's. */
function toPointer(path: readonly string[]): string {
  const pointer = path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return pointer.length > 200 ? `${cutWords(pointer, 200)}…` : pointer;
}
