import type { Buffer } from 'node:buffer';
import { types } from 'node:util';
import type { OutputSanitizerConfig } from '../config/schema.ts';
import { DevsError } from '../errors.ts';
import { neverThrowing, silentLogger, type StructuredLogger } from '../logging/structured-logger.ts';
import { bytesOfByteString, decodeBytes, decodeText, readText } from './decode.ts';
import { fitText, type CleanText } from './text.ts';
import { C0, kindsOf } from './unit-kinds.ts';

const NOT_TEXT = '[OUTPUT WITHHELD: neither text nor bytes]';

/** A text, and the kinds of its units, as somebody has seen them who looked at it before. */
export interface KnownText {
  readonly text: string;
  readonly kinds: number;
}

/**
 * Turns what a tool returned into text (RISK-801). The object in its place is asked for every text of every result;
 * the output pipeline then runs on what it returns. The first two methods are required: the gate refuses an object that
 * lacks one. The methods are synchronous.
 */
export interface IOutputSanitizer {
  /** Bytes to text. A string holds either ASCII text or, for callers other than the gate, one byte in each code unit. */
  sanitize(raw: Buffer | string): string;
  /** Asked about each text that `sanitize` returned. False: the gate logs a warning and replaces lone surrogates. */
  isSafeForJSON(text: string): boolean;
  /** For output that is text already. Absent: `sanitize` gets it, as UTF-8 bytes where it is not ASCII. */
  sanitizeText?(text: string): string;
  /** Lowers the limit of a whole result, in bytes of UTF-8. Absent: `mcp.maxToolOutputBytes` alone applies. */
  readonly maxBytes?: number;
}

export interface OutputSanitizerOptions {
  readonly logger?: StructuredLogger;
}

/** "Can it be sent?" Seed 000. A pure decoder: whether a model may read it is another question. */
export class OutputSanitizer implements IOutputSanitizer {
  readonly maxBytes: number;
  readonly #logger: StructuredLogger;

  /** Throws `CONFIG_INVALID` when the limit is not a whole number of bytes. */
  constructor(config: OutputSanitizerConfig, options: OutputSanitizerOptions = {}) {
    const { maxToolOutputBytes } = config.mcp;
    if (!Number.isSafeInteger(maxToolOutputBytes) || maxToolOutputBytes < 0) {
      throw new DevsError('CONFIG_INVALID', {
        sentence: `mcp.maxToolOutputBytes must be a whole number of bytes, 0 or more; it is ${String(maxToolOutputBytes)}.`,
      });
    }
    this.maxBytes = maxToolOutputBytes;
    this.#logger = neverThrowing(options.logger ?? silentLogger);
  }

  /** Bytes, or a string that may hold bytes, to text that can be sent. Never throws. */
  sanitize(raw: Uint8Array | string): string {
    if (typeof raw !== 'string') return this.clean(raw).text;
    const bytes = bytesOfByteString(raw);
    return this.clean(bytes ?? raw).text;
  }

  /** Text that is text for sure: made well formed and bounded, never decoded again. */
  sanitizeText(text: string): string {
    return this.clean(text).text;
  }

  /** The same, telling whether something was cut. `maxBytes` can only lower the configured limit. */
  clean(raw: Uint8Array | string, maxBytes: number = this.maxBytes): CleanText {
    // `|| 0`: NaN is smaller than nothing, and would lift the limit.
    const limit = Math.max(0, Math.trunc(Math.min(maxBytes, this.maxBytes))) || 0;
    const cleaned = decode(raw, limit);
    if (cleaned.truncated) this.#logger.warn('OUTPUT_TRUNCATED', { limitBytes: limit });
    return cleaned;
  }

  /** To well-formed text, NULs and all, cut without a sentinel; `maxBytes` may be over the limit: for who cleans and cuts it then. Never throws. */
  decode(raw: Uint8Array | string, maxBytes: number): CleanText {
    try {
      // Types end at the border: a caller in JavaScript may hand over anything, and this must not throw.
      if (typeof raw === 'string' || types.isUint8Array(raw)) return readText(raw, maxBytes);
    } catch {
      // Bytes with a `length` or `subarray` of their own that throws.
    }
    return { text: NOT_TEXT, truncated: false };
  }

  /** False for lone surrogates and for C0 controls but tab, line feed and carriage return. */
  isSafeForJSON(text: string, known?: KnownText): boolean {
    return isSafeText(text, known);
  }
}

/** The rule of `isSafeForJSON`. What is known of this text saves a look at it; of another it says nothing. */
export function isSafeText(text: string, known?: KnownText): boolean {
  const kinds = known?.text === text ? known.kinds : kindsOf(text);
  return (kinds & C0) === 0 && text.isWellFormed();
}

/** The methods that decide what becomes of an output. */
const METHODS = ['sanitize', 'sanitizeText', 'clean', 'decode', 'isSafeForJSON'] as const;

/**
 * True when nothing of the built-in sanitizer is replaced, be it by a subclass or on the object. Only then may the gate
 * call `decode`, which reads past the limit so that a secret across it is found: the `sanitize` of a subclass would
 * otherwise be bypassed.
 */
export function isBuiltInSanitizer(sanitizer: IOutputSanitizer): sanitizer is OutputSanitizer {
  return sanitizer instanceof OutputSanitizer && METHODS.every((method) => Object.is(sanitizer[method], OutputSanitizer.prototype[method]));
}

/** @throws DevsError CONFIG_INVALID for an object that is no sanitizer: found when the gate is built, not at the first call */
export function checkSanitizer(sanitizer: IOutputSanitizer): void {
  const missing = (['sanitize', 'isSafeForJSON'] as const).find((method) => typeof sanitizer[method] !== 'function');
  const wrong = missing ?? (sanitizer.sanitizeText === undefined || typeof sanitizer.sanitizeText === 'function' ? undefined : 'sanitizeText');
  if (wrong === undefined) return;
  throw new DevsError('CONFIG_INVALID', {
    sentence: `The output sanitizer has no method ${wrong}: IOutputSanitizer needs sanitize(raw) and isSafeForJSON(text). See docs/guide/replace-a-part.md.`,
  });
}

/**
 * Makes the sanitizer of one configuration; it holds no state and can be shared.
 * @example
 * ```ts
 * import { createOutputSanitizer, DEFAULT_CONFIG } from '@devs/core';
 * const sanitizer = createOutputSanitizer(DEFAULT_CONFIG);
 * console.log(sanitizer.sanitize(new TextEncoder().encode('café'))); // café
 * ```
 */
export function createOutputSanitizer(
  config: OutputSanitizerConfig,
  options: OutputSanitizerOptions = {},
): OutputSanitizer {
  return new OutputSanitizer(config, options);
}

function decode(raw: unknown, limit: number): CleanText {
  if (typeof raw === 'string') return decodeText(raw, limit);
  // Types end at the border: a caller in JavaScript may hand over anything, and this must not throw.
  if (!types.isUint8Array(raw)) return fitText(NOT_TEXT, limit);
  try {
    return decodeBytes(raw, limit);
  } catch {
    // Bytes with a `length` or `subarray` of their own that throws.
    return fitText(NOT_TEXT, limit);
  }
}
