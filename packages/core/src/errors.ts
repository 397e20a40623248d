import { describeErrorCode, type ErrorCode } from './error-codes.ts';
import { isRecord, type JsonObject } from './json.ts';

export interface DevsErrorDetails {
  /**
   * What the agent reads instead of the code's own sentence. Written by devs, never copied from a
   * thrown error: an operating system's message names host paths, an upstream's may hold an attack.
   */
  readonly sentence?: string;
  readonly suggestion?: string;
  /** What helps a machine to make the call right, beside the sentence, and cleaned like it. */
  readonly repair?: JsonObject;
  /**
   * Which entry of the operator's configuration, or which rule of devs, said no; for the log alone, as it names what is
   * hidden. What is not devs's own words stands in it as a JSON string, and parentheses only in such: see `findDecider`.
   */
  readonly decidedBy?: string;
  /** What really happened, for the log alone. */
  readonly cause?: unknown;
}

/**
 * The only error that carries words for an agent. `message` is for the log: code, sentence and cause.
 * @example
 * ```ts
 * import { DevsError } from '@devs/core';
 * const error = new DevsError('CONFIG_INVALID', { sentence: 'The file has no "tools".' });
 * console.log(error.code, DevsError.is(error)); // CONFIG_INVALID true
 * ```
 */
export class DevsError extends Error {
  readonly #made = true;
  readonly code: ErrorCode;
  readonly sentence: string;
  readonly suggestion: string | undefined;
  readonly repair: JsonObject | undefined;
  readonly decidedBy: string | undefined;

  constructor(code: ErrorCode, details: DevsErrorDetails = {}) {
    const entry = describeErrorCode(code);
    const sentence = details.sentence ?? entry.sentence;
    super(`${code}: ${sentence}`, { cause: details.cause });
    this.name = 'DevsError';
    this.code = code;
    this.sentence = sentence;
    this.suggestion = details.suggestion ?? entry.suggestion;
    this.repair = details.repair;
    this.decidedBy = details.decidedBy;
    // A tool may throw one: it must not put a getter in the place of a word that was checked.
    Object.freeze(this);
  }

  /** By the private field, not `instanceof`: a thrown proxy may throw when its prototype is asked for. */
  static is(value: unknown): value is DevsError {
    return typeof value === 'object' && value !== null && #made in value && value.#made;
  }
}

/**
 * One line for the log. Never throws: a thrown value may have a hostile `toString` or getter.
 * @example
 * ```ts
 * import { describeCause } from '@devs/core';
 * console.log(describeCause(new RangeError('too far'))); // RangeError: too far
 * ```
 */
export function describeCause(cause: unknown): string {
  try {
    if (DevsError.is(cause)) {
      const inner = cause.cause === undefined ? '' : ` (${describeCause(cause.cause)})`;
      const by = cause.decidedBy === undefined ? '' : ` (${cause.decidedBy})`;
      return `${cause.code}${by}: ${cause.sentence}${inner}`;
    }
    if (cause instanceof Error) return `${cause.name}: ${cause.message}`;
    return String(cause);
  } catch {
    return 'an error that cannot be described';
  }
}

const DECIDER = /^[A-Z_]+ \(((?:[^"()]|"(?:[^"\\]|\\.)*")+)\): /;

/** `decidedBy` of the error that `describeCause` made this line of. It stands before all that a caller has written: a path cannot name one. */
export function findDecider(described: string): string | undefined {
  return DECIDER.exec(described)?.[1];
}

/**
 * The code of an error of the system, of SQLite or of Node.js: `ENOENT`, `SQLITE_BUSY`, `ERR_INVALID_URL`. Undefined for
 * a value without one. Not by `instanceof`: native parts and Node.js itself throw errors of other realms.
 * @example
 * ```ts
 * import { errnoOf } from '@devs/core';
 * console.log(errnoOf(Object.assign(new Error('no such file'), { code: 'ENOENT' })), errnoOf('ENOENT')); // ENOENT undefined
 * ```
 */
export function errnoOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}
