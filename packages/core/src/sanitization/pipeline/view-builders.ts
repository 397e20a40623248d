import { NumberStack } from './number-stack.ts';
import { UnitWriter } from './unit-writer.ts';

/** Units of a text, UTF-16, from the first to before the last. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A text as it is read, and where each unit of that stands in the text itself. */
export interface FoldedView {
  readonly text: string;
  /** What is behind a piece of the view, whole characters and encoded forms; not what was dropped at its edges. Not for an empty piece. */
  sourceOf(start: number, end: number): TextRange;
}

/** Units. A name or a value. */
export const SHORT_TEXT = 256;

/** Told what of a text is read in another way, from left to right. */
export interface FoldBuilder {
  /** The source as it stands, up to here. */
  keepUpTo(end: number): void;
  /** `folded` stands for the next units of the source. */
  put(folded: string, units: number): void;
}

/** Of a run. */
const NUMBERS = 3;
/** Runs that there is room for at first, in a name or a value and in a longer text. */
const [FEW_RUNS, MANY_RUNS] = [4, 64];

/**
 * The text of a view and its runs. In a straight run each unit stands for one unit of the source; in any other, all
 * units stand for the same piece of it. Numbers in lists: an object for each of five million runs would be 400 MB.
 */
export class ViewBuilder implements FoldBuilder {
  readonly #writer: UnitWriter;
  /** Of each run where it begins in the view and in the source, and where the piece ends that all its units stand for. */
  readonly #runs: NumberStack;
  #decided = 0;
  /** Of the last run: how far its units are ahead in the source; NaN where they stand for one piece. */
  #ahead = Number.NaN;

  constructor(source: string) {
    this.#runs = new NumberStack('large', NUMBERS * (source.length < SHORT_TEXT ? FEW_RUNS : MANY_RUNS));
    this.#writer = new UnitWriter(source);
  }

  keepUpTo(end: number): void {
    if (end === this.#decided) return;
    this.#openRun(STRAIGHT);
    this.#writer.copy(this.#decided, end);
    this.#decided = end;
  }

  put(folded: string, units: number): void {
    const end = this.#decided + units;
    if (folded !== '') {
      this.#openRun(folded.length === 1 && units === 1 ? STRAIGHT : end);
      this.#writer.write(folded);
    }
    this.#decided = end;
  }

  finish(): FoldedView {
    const placeOf = createPlaces(this.#runs);
    return {
      text: this.#writer.finish(),
      sourceOf: (start, end) => ({ start: placeOf(start).start, end: placeOf(end - 1).end }),
    };
  }

  #openRun(sourceEnd: number): void {
    const ahead = sourceEnd === STRAIGHT ? this.#decided - this.#writer.length : Number.NaN;
    if (ahead === this.#ahead) return;
    this.#ahead = ahead;
    this.#runs.push(this.#writer.length);
    this.#runs.push(this.#decided);
    this.#runs.push(sourceEnd);
  }
}

/** The text of a view alone. */
export class TextBuilder implements FoldBuilder {
  text = '';
  readonly #source: string;
  #decided = 0;

  constructor(source: string) {
    this.#source = source;
  }

  keepUpTo(end: number): void {
    this.text += this.#source.slice(this.#decided, end);
    this.#decided = end;
  }

  put(folded: string, units: number): void {
    this.text += folded;
    this.#decided += units;
  }
}

const STRAIGHT = -1;

/** Says what one unit of the view stands for. Who asks for one near the last pays for the runs between them. */
function createPlaces(runs: NumberStack): (unit: number) => TextRange {
  let run = 0;
  return (unit) => {
    while (run > 0 && runs.at(run) > unit) run -= NUMBERS;
    while (run + NUMBERS < runs.length && runs.at(run + NUMBERS) <= unit) run += NUMBERS;
    const start = runs.at(run + 1);
    const end = runs.at(run + 2);
    if (end !== STRAIGHT) return { start, end };
    const straight = start + unit - runs.at(run);
    return { start: straight, end: straight + 1 };
  };
}
