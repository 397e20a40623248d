import { type LinearPattern, quoteName, type SearchedLine } from '@devs/core';

/** Of a line, in UTF-16 units. */
const SHOWN = 500;
const STEP = SHOWN / 2;
const CUT_MARK = '[...]';
/** What some reader takes for the end of a line: the text after it could pass for a hit of its own. */
const LINE_ENDS = /[\r\v\f\u0085\u2028\u2029]/g;
const SHOWN_LINE_END = '\u2424';

/** A line as it is shown: on one line, and a long one cut around what fits, if that is short. */
function excerptOf(text: string, pattern: LinearPattern): string {
  const start = text.length <= SHOWN ? 0 : findPart(text, pattern);
  const part = text.slice(start, start + SHOWN).toWellFormed().replaceAll(LINE_ENDS, SHOWN_LINE_END);
  return `${start > 0 ? CUT_MARK : ''}${part}${start + SHOWN < text.length ? CUT_MARK : ''}`;
}

/** The first part that fits on its own; the beginning when none does. Parts overlap, so each character is read twice. */
function findPart(text: string, pattern: LinearPattern): number {
  for (let start = 0; start < text.length; start += STEP) {
    if (pattern.test(text.slice(start, start + SHOWN))) return start;
  }
  return 0;
}

const MAX_HITS = 1_000;
/** Of all lines that are shown: what a tool of this kind may put before a model. */
const MAX_BYTES = 51_200;

/** Steps that the pattern may take. */
export interface StepLimits {
  /** On one line: then other calls have waited long enough. Default 4,000,000. */
  readonly line: number;
  /** On all lines. Default 300,000,000. */
  readonly all: number;
}

const DEFAULT_LIMITS: StepLimits = { line: 4_000_000, all: 300_000_000 };

/** Thrown from within a test of the pattern, and caught where the test was made. */
class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** Why no more lines were looked at. */
export type HitsEnd = 'full' | 'work';

/** The lines that fit, as they are shown, and what it takes to find them. */
export class Hits {
  readonly #limits: StepLimits;
  readonly #lines: string[] = [];
  #bytes = 0;
  #stepsOfLine = 0;
  #steps = 0;
  #end: HitsEnd | undefined;

  constructor(limits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  get end(): HitsEnd | undefined {
    return this.#end;
  }

  /** To be told what each test costs. */
  spend(steps: number): void {
    this.#stepsOfLine += steps;
    this.#steps += steps;
    if (this.#stepsOfLine > this.#limits.line || this.#steps > this.#limits.all) throw new TooMuchWork();
  }

  /** False when no further line should be looked at. */
  look(line: SearchedLine, pattern: LinearPattern): boolean | 'miss' {
    this.#stepsOfLine = 0;
    try {
      if (!pattern.test(line.text)) return 'miss';
      this.#add(`${showName(line.path)}:${String(line.number)}:${excerptOf(line.text, pattern)}`);
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      this.#end = 'work';
    }
    return this.#end === undefined;
  }

  #add(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#lines.length === MAX_HITS || this.#bytes + bytes > MAX_BYTES) {
      this.#end = 'full';
      return;
    }
    this.#lines.push(line);
    this.#bytes += bytes;
  }
}

/** A name with a colon in it could pass for another name, and a line of it. */
function showName(path: string): string {
  return quoteName(path, /:/);
}
