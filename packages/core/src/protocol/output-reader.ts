import { Buffer, isAscii } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { DEFAULT_CONFIG } from '../config/schema.ts';
import { describeCause } from '../errors.ts';
import { encodingOf, readText, type Encoding } from './decode.ts';
import { isBuiltInSanitizer, type IOutputSanitizer } from './output-sanitizer.ts';
import type { CleanText } from './text.ts';

export interface OutputReaderOptions {
  /** Called for each text that `isSafeForJSON` of a bound sanitizer did not accept. */
  readonly onUnsafe?: () => void;
  /** `mcp.maxToolOutputBytes`. Absent: the limit of the sanitizer, else the default. */
  readonly maxBytes?: number | undefined;
}

/** A part of a file: the bytes from `start` to `end` are shown, those around them are context. */
export interface FilePiece {
  readonly bytes: Uint8Array;
  readonly shown: { readonly start: number; readonly end: number };
  readonly encoding: Encoding | undefined;
}

/** Of the three parts of a piece. */
const SHOWN = 1;
/** A UTF-8 character has at most three continuation bytes. */
const MOST_CONTINUATION_BYTES = 3;

/** The only place that calls the sanitizer of a gate: the built-in one, or the one bound as `IOutputSanitizer`. */
export class OutputReader {
  /** The limit of a whole result, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** False: a bound sanitizer decides what becomes of each text. */
  readonly isBuiltIn: boolean;
  readonly #sanitizer: IOutputSanitizer;
  readonly #onUnsafe: () => void;

  constructor(sanitizer: IOutputSanitizer, { onUnsafe = () => undefined, maxBytes }: OutputReaderOptions = {}) {
    this.#sanitizer = sanitizer;
    this.#onUnsafe = onUnsafe;
    this.isBuiltIn = isBuiltInSanitizer(sanitizer);
    this.maxBytes = hardCapOf(sanitizer, maxBytes);
  }

  /**
   * A whole text of a result, at most `maxBytes` long in UTF-8; more than that is not given to the sanitizer either. A
   * bound sanitizer may cut by itself what exceeds the limit of a result. Text that fits although its source did not counts
   * as truncated, so that the pipeline trusts nothing close to its end: half of a secret there is not recognized.
   */
  read(raw: Uint8Array | string, maxBytes: number): CleanText {
    const sanitizer = this.#sanitizer;
    if (this.isBuiltIn && isBuiltInSanitizer(sanitizer)) return sanitizer.decode(raw, maxBytes);
    const given = typeof raw === 'string' ? raw.slice(0, maxBytes) : raw.subarray(0, maxBytes);
    const { text, truncated } = readText(this.#sanitize(given), maxBytes);
    return { text, truncated: truncated || (isLonger(raw, this.maxBytes) && !isLonger(text, this.maxBytes)) };
  }

  /** A name, a member of structured content, a message. The pipeline alone does to it what the built-in sanitizer would do. */
  readWord(text: string): string {
    return this.isBuiltIn ? text : this.#sanitize(text).toWellFormed();
  }

  /** A sentence of devs, which may quote a caller or a file. */
  readSentence(text: string): string {
    const sanitizer = this.#sanitizer;
    return this.isBuiltIn && isBuiltInSanitizer(sanitizer) ? sanitizer.sanitizeText(text) : this.readWord(text);
  }

  /**
   * What is shown of a file and what stands around it, each sanitized by itself, as UTF-8. The pipeline needs to know where
   * the shown part begins, which a sanitizer that rewrites all three at once could not tell.
   */
  readPiece(piece: FilePiece): FilePiece {
    if (this.isBuiltIn) return piece;
    const [before, shown, after] = splitPiece(piece).map((part, index) => Buffer.from(part.length === 0 && index !== SHOWN ? '' : this.#sanitize(part), 'utf8'));
    if (before === undefined || shown === undefined || after === undefined) throw new Error('A piece has three parts.');
    return {
      bytes: Buffer.concat([before, shown, after]),
      shown: { start: before.length, end: before.length + shown.length },
      encoding: 'utf-8',
    };
  }

  #sanitize(raw: Uint8Array | string): string {
    const text: unknown = callSanitizer(this.#sanitizer, raw);
    // Types end here: the object may be JavaScript, and a promise or undefined must not become the word "undefined".
    if (typeof text !== 'string') throw new Error(`The bound IOutputSanitizer returned ${text instanceof Promise ? 'a promise' : typeof text} instead of a string.`);
    if (this.#sanitizer.isSafeForJSON(text) !== true) this.#onUnsafe();
    return text;
  }
}

function isLonger(raw: Uint8Array | string, maxBytes: number): boolean {
  if (typeof raw !== 'string') return raw.length > maxBytes;
  // A code unit is one to three bytes.
  return raw.length > maxBytes || (raw.length * 3 > maxBytes && Buffer.byteLength(raw, 'utf8') > maxBytes);
}

function callSanitizer(sanitizer: IOutputSanitizer, raw: Uint8Array | string): string {
  try {
    if (typeof raw !== 'string') return sanitizer.sanitize(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
    if (sanitizer.sanitizeText !== undefined) return sanitizer.sanitizeText(raw);
    // `sanitize` may read a string as bytes, one in each code unit, and would turn "café" into "caf\ufffd". ASCII is the
    // same either way; any other text is given as the bytes that it consists of.
    const bytes = Buffer.from(raw, 'utf8');
    return sanitizer.sanitize(isAscii(bytes) ? raw : bytes);
  } catch (cause) {
    throw new Error(`The bound IOutputSanitizer failed: ${describeCause(cause)}`, { cause });
  }
}

/** What stands before the shown part, that part, and what stands behind it. */
function splitPiece({ bytes, shown, encoding = encodingOf(bytes) }: FilePiece): readonly (Uint8Array | string)[] {
  // A character belongs to the part in which it begins.
  const start = encoding === 'utf-8' ? characterEnd(bytes, shown.start) : shown.start;
  const end = encoding === 'utf-8' ? characterEnd(bytes, shown.end) : shown.end;
  const parts = [bytes.subarray(0, start), bytes.subarray(start, Math.max(start, end)), bytes.subarray(Math.max(start, end))];
  // Only the first part has the mark that tells UTF-16.
  return encoding === 'utf-8' ? parts : parts.map((part) => new TextDecoder(encoding).decode(part));
}

function characterEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end < at + MOST_CONTINUATION_BYTES && isContinuation(bytes[end])) end += 1;
  return end === at + MOST_CONTINUATION_BYTES && isContinuation(bytes[end]) ? at : end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function hardCapOf({ maxBytes: own }: IOutputSanitizer, configured: number | undefined): number {
  const limits = [own, configured].filter((limit) => limit !== undefined && Number.isFinite(limit) && limit >= 0) as number[];
  return limits.length === 0 ? DEFAULT_CONFIG.mcp.maxToolOutputBytes : Math.min(...limits);
}
