import type { OutputConfig } from '../config/output-config.ts';
import { DevsError } from '../errors.ts';
import type { Encoding } from '../protocol/decode.ts';
import type { OutputReader } from '../protocol/output-reader.ts';
import type { KnownText } from '../protocol/output-sanitizer.ts';
import { C0, C1 } from '../protocol/unit-kinds.ts';
import { findBinary, type BinaryContent, type KnownOfBytes } from './results/binary.ts';
import { CleanedWords } from './pipeline/cleaned-words.ts';
import { cleanNested, cleanStructured, cleanWord } from './json/clean-nested.ts';
import { commonStart, cutCleaned } from './pipeline/cut-text.ts';
import { cleanShown } from './pipeline/file-view.ts';
import { Glance } from './pipeline/glance.ts';
import { pageToText } from './html/html-text.ts';
import { validateJsonOutput } from './sanitize-output.ts';
import { WorkBudget } from './pipeline/work-budget.ts';
import { Tally } from './pipeline/tally.ts';
import { cleanGlanced } from './pipeline/text-pipeline.ts';
import type { TextStep } from './pipeline/text-step.ts';
import type { ByteRange } from './pipeline/text-view.ts';

/** Bytes that are looked at beyond the hard cap, so that a secret across it is still seen whole. */
const OVERLAP_BYTES = 65_536;
/** Units at the end of what was looked at that decide over what stands before them alone. */
const BLIND_UNITS = 16_384;

export interface LeafSettings {
  readonly reader: OutputReader;
  readonly config: Pick<OutputConfig, 'onBinary' | 'validateJson'>;
  readonly steps: readonly TextStep[];
  readonly tally: Tally;
}

/**
 * Cleans the texts of one result: everything but the cut and the boundary. What all of them hold together is
 * bounded by the hard cap, before any of it is looked at.
 */
export class TextCleaner {
  readonly #settings: LeafSettings;
  /** One for all texts of the result: a thousand small ones must not have a thousand budgets. */
  readonly work = new WorkBudget();
  /** Units for which steps were granted string by string. The JSON of the same object brings steps for the rest alone. */
  #wordUnits = 0;
  readonly #words = new CleanedWords();
  #rawBytesLeft: number;
  /** True once the hard cap left something out. */
  isCapped = false;

  constructor(settings: LeafSettings) {
    this.#settings = settings;
    this.#rawBytesLeft = settings.reader.maxBytes + OVERLAP_BYTES;
  }

  /**
   * A text or bytes, and what is known of what comes out. Throws `BINARY_CONTENT`, `MALFORMED_JSON`.
   * @param markup `html`: a page, of which its text is made first
   */
  clean(raw: Uint8Array | string, markup?: 'html'): KnownText {
    const { reader } = this.#settings;
    const { text, truncated } = reader.read(raw, this.#rawBytesLeft);
    const glance = new Glance(text, { work: this.work });
    // A bound sanitizer may have taken out what tells that it is binary, and a cut too.
    const isWhatCame = !truncated && (typeof raw === 'string' ? raw === text : reader.isBuiltIn);
    this.#refuseBinary(raw, { hasTextUnits: isWhatCame && hasTextUnits(glance) });
    this.#rawBytesLeft -= text.length;
    this.#refuseMalformed(text, truncated);
    const cleaned = this.#cleanWhole(glance, markup, this.#settings.tally);
    if (!truncated) return cleaned;
    this.isCapped = true;
    // What the end of it would have been is not known, and a secret that is cut there is not recognised: given out is
    // what comes out with these units and without them.
    const seen = text.slice(0, Math.max(0, text.length - BLIND_UNITS)).toWellFormed();
    const blind = this.#cleanWhole(new Glance(seen, { work: this.work }), markup, new Tally());
    // Between the halves of one may stand more that nobody sees than was left out here: both would end with the first half.
    return new Glance(cutCleaned(commonStart(cleaned.text, blind.text), startOfLastWord(cleaned.text)));
  }

  /** A piece of a file with what stands around it: nothing is shown in halves. Without an encoding its first bytes tell it. */
  cleanPiece(bytes: Uint8Array, shown: ByteRange, encoding: Encoding | undefined): string {
    this.#refuseBinary(bytes, { encoding });
    const { reader, steps, tally } = this.#settings;
    const piece = reader.readPiece({ bytes, shown, encoding });
    return cleanShown(piece.bytes, steps, { tally, shown: piece.shown, ...(piece.encoding !== undefined && { encoding: piece.encoding }) });
  }

  /** A string of an object. @param name that of the member whose value it is */
  word(text: string, name?: string): string {
    const { reader, steps, tally } = this.#settings;
    const read = reader.readWord(text);
    this.#wordUnits += read.length + PUNCTUATION;
    this.work.grant(read.length + PUNCTUATION);
    this.work.spend(WORD);
    return cleanWord(read, steps, { tally, name, work: this.work, words: this.#words });
  }

  /** Structured content as JSON, whose strings are clean. */
  structured(json: string): string {
    const { steps, tally } = this.#settings;
    const granted = Math.min(json.length, this.#wordUnits);
    this.#wordUnits -= granted;
    this.work.grant(json.length - granted);
    return cleanStructured(new Glance(json, { work: this.work }), steps, tally).text;
  }

  #cleanWhole(glance: Glance, markup: 'html' | undefined, tally: Tally): Glance {
    const { steps } = this.#settings;
    this.work.grant(glance.text.length);
    if (markup === undefined) return cleanNested(glance, steps, tally);
    this.work.spend(PARSED * glance.text.length);
    // Before all other steps, and once: those are done again on what comes of them.
    return cleanNested(cleanGlanced(glance, [pageToText], tally), steps.filter(({ name }) => name !== 'html'), tally);
  }

  #refuseBinary(raw: Uint8Array | string, known: KnownOfBytes): void {
    if (this.#settings.config.onBinary === 'replace') return;
    const found = findBinary(raw, known);
    if (found !== undefined) throw new DevsError('BINARY_CONTENT', { sentence: describeBinary(found) });
  }

  #refuseMalformed(text: string, truncated: boolean): void {
    if (!this.#settings.config.validateJson) return;
    const malformed = truncated ? { reason: 'it is longer than may be looked at' } : validateJsonOutput(text);
    if (malformed === undefined) return;
    throw new DevsError('MALFORMED_JSON', { cause: new Error(malformed.reason) });
  }
}

/** No controls, and no replacements of what could not be decoded. The kinds of its units are found once for all steps. */
function hasTextUnits({ text, kinds }: Glance): boolean {
  return (kinds & (C0 | C1)) === 0 && !text.includes('\ufffd');
}

/** Steps of reading one unit of a page, and of writing it as text. */
const PARSED = 10;

/** Units around a string in JSON: its quotes, a colon or a comma, and what a bracket or an indentation adds. */
const PUNCTUATION = 5;
/** Steps of putting one where it stands, whatever it holds. */
const WORD = 100;

/** Of what came out; of a very long one, where its last units begin. */
function startOfLastWord(text: string): number {
  let start = text.length;
  while (start > Math.max(0, text.length - BLIND_UNITS) && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function describeBinary({ nullBytes, checkedBytes }: BinaryContent): string {
  const found = nullBytes === 0 ? '' : `: ${String(nullBytes)} NULs in the first ${String(checkedBytes)} bytes`;
  return `[OUTPUT WITHHELD: it is binary, not text${found}]`;
}
