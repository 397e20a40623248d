import type { CountedStep } from './tally.ts';

/** Why a place of a text is not as its source: the name of the step and of its rule. */
export interface Cause {
  readonly step: CountedStep;
  readonly rule: string;
}

/** One change, in units of the source and of the text that was made of it. Both ends the same: nothing is there. */
export interface MappedChange {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly viewStart: number;
  readonly viewEnd: number;
  readonly cause: Cause;
}

/** Whole numbers from 0, in pieces, so that growing copies nothing and takes at most one piece too much. */
class Numbers {
  readonly #pieces: (Uint32Array | Uint16Array)[] = [];
  readonly #create: (length: number) => Uint32Array | Uint16Array;
  length = 0;

  constructor(create: (length: number) => Uint32Array | Uint16Array) {
    this.#create = create;
  }

  push(value: number): void {
    if ((this.length & 0x3fff) === 0) this.#pieces.push(this.#create(0x4000));
    this.length += 1;
    this.set(this.length - 1, value);
  }

  set(index: number, value: number): void {
    const piece = this.#pieces[index >>> 14];
    if (piece !== undefined) piece[index & 0x3fff] = value;
  }

  at(index: number): number {
    return this.#pieces[index >>> 14]?.[index & 0x3fff] ?? 0;
  }
}

/**
 * Which piece of a source stands for which of the text that was made of it, where the two differ; in between they are
 * the same, unit by unit. Fourteen bytes a change, and a row of deletions is one: a hostile file holds millions.
 */
export class ChangeMap {
  readonly #sourceStarts = new Numbers((length) => new Uint32Array(length));
  readonly #sourceEnds = new Numbers((length) => new Uint32Array(length));
  readonly #viewStarts = new Numbers((length) => new Uint32Array(length));
  readonly #causeNumbers = new Numbers((length) => new Uint16Array(length));
  readonly #causes: Cause[] = [];
  #lastNumber = 0;
  #viewEnd = 0;
  /** A place behind the last change lies so much further on in the source. */
  #shift = 0;

  get length(): number {
    return this.#sourceStarts.length;
  }

  /** Units of the source that `viewLength` units of the text stand for; to the right of all that was added before. */
  add({ start, end, viewLength, cause }: { start: number; end: number; viewLength: number; cause: Cause }): void {
    const last = this.length - 1;
    const viewStart = start - this.#shift;
    const continuesDeletion =
      last >= 0 && viewLength === 0 && this.#viewStarts.at(last) === viewStart && this.#sourceEnds.at(last) === start;
    if (continuesDeletion) this.#sourceEnds.set(last, end);
    else {
      this.#sourceStarts.push(start);
      this.#sourceEnds.push(end);
      this.#viewStarts.push(viewStart);
      this.#causeNumbers.push(this.#numberOf(cause));
    }
    this.#viewEnd = viewStart + viewLength;
    this.#shift = end - this.#viewEnd;
  }

  at(index: number): MappedChange {
    return {
      sourceStart: this.#sourceStarts.at(index),
      sourceEnd: this.#sourceEnds.at(index),
      viewStart: this.#viewStarts.at(index),
      viewEnd: this.viewEndOf(index),
      cause: this.#causes[this.#causeNumbers.at(index)] ?? { step: 'decode', rule: 'unknown' },
    };
  }

  viewEndOf(index: number): number {
    if (index === this.length - 1) return this.#viewEnd;
    // Between two changes source and text go on by the same number of units.
    return this.#viewStarts.at(index + 1) - (this.#sourceStarts.at(index + 1) - this.#sourceEnds.at(index));
  }

  /** Behind the first `count` changes a place of the text lies so much further on in the source. */
  shiftAfter(count: number): number {
    return count === 0 ? 0 : this.#sourceEnds.at(count - 1) - this.viewEndOf(count - 1);
  }

  /** How many changes there are before the first of which `isBeyond` is true; of all behind it, it is true too. */
  countBefore(isBeyond: (change: MappedChange) => boolean): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBeyond(this.at(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** There are few causes, and the next change has most often the one of the last. */
  #numberOf(cause: Cause): number {
    const last = this.#causes[this.#lastNumber];
    if (last?.step === cause.step && last.rule === cause.rule) return this.#lastNumber;
    const known = this.#causes.findIndex(({ step, rule }) => step === cause.step && rule === cause.rule);
    this.#lastNumber = known >= 0 ? known : this.#causes.push(cause) - 1;
    return this.#lastNumber;
  }
}

/**
 * The map over two steps: `first` from a source to a text, `second` from that to another. Changes that lie over one
 * another become one, which stands for all that either stands for, and is a mark if one of them is.
 */
export function composeMaps(first: ChangeMap, second: ChangeMap, isMark: (cause: Cause) => boolean): ChangeMap {
  if (second.length === 0) return first;
  if (first.length === 0) return second;
  const composed = new ChangeMap();
  const earlier = new Cursor(first, ({ viewStart, viewEnd }) => [viewStart, viewEnd]);
  const later = new Cursor(second, ({ sourceStart, sourceEnd }) => [sourceStart, sourceEnd]);
  while (earlier.start < Infinity || later.start < Infinity) {
    const [sourceShift, viewShift] = [earlier.shift, later.shift];
    const { start, ...group } = nextOf(earlier, later).take();
    for (let next = nextOf(earlier, later); next.start < group.end; next = nextOf(earlier, later)) {
      const { end, cause } = next.take();
      group.end = Math.max(group.end, end);
      if (isMark(cause)) group.cause = cause;
    }
    const viewLength = group.end - later.shift - (start - viewShift);
    composed.add({ start: start + sourceShift, end: group.end + earlier.shift, viewLength, cause: group.cause });
  }
  return composed;
}

/** Goes through the changes of a map by where they lie in the text between the two steps. */
class Cursor {
  readonly #map: ChangeMap;
  readonly #placeOf: (change: MappedChange) => readonly [start: number, end: number];
  #next: MappedChange | undefined;
  #taken = 0;
  start = Infinity;
  end = Infinity;
  /** Behind what was taken, the source of the map lies so much further on than its text. */
  shift = 0;

  constructor(map: ChangeMap, placeOf: (change: MappedChange) => readonly [start: number, end: number]) {
    this.#map = map;
    this.#placeOf = placeOf;
    this.#look();
  }

  take(): { start: number; end: number; cause: Cause } {
    if (this.#next === undefined) throw new RangeError('All changes are taken.');
    const { cause, sourceEnd, viewEnd } = this.#next;
    const taken = { start: this.start, end: this.end, cause };
    this.shift = sourceEnd - viewEnd;
    this.#taken += 1;
    this.#look();
    return taken;
  }

  #look(): void {
    this.#next = this.#taken < this.#map.length ? this.#map.at(this.#taken) : undefined;
    [this.start, this.end] = this.#next === undefined ? [Infinity, Infinity] : this.#placeOf(this.#next);
  }
}

/** The one that comes first; of two at one place the empty one: what was taken out at an edge stays outside. */
function nextOf(one: Cursor, other: Cursor): Cursor {
  const isFirst = one.start < other.start || (one.start === other.start && one.end <= other.end);
  return isFirst ? one : other;
}
