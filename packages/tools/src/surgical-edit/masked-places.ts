import type { Alteration, ByteRange, TextView } from '@devs/core';
import type { Splice } from './splices.ts';
import type { ViewedFile } from './viewed-file.ts';

/** As far around a secret as rules look for what it is known by, in bytes: that of a password in a URL goes furthest. */
export const REACH = 4_608;

/** Bytes that a mark stands for, before an edit and after it. */
export interface MaskedPlace {
  /** Where the mark is in the view of the file as it was. */
  readonly unit: number;
  readonly mark: string;
  readonly before: ByteRange;
  /** Nothing: they are gone. */
  readonly after: ByteRange | undefined;
  /** Put back at another place than they were. */
  readonly isMoved: boolean;
  /** Something within reach of them changes. */
  readonly isNear: boolean;
}

/** In the order of the file as it was. One at a time: a hostile file has a million. */
export function* maskedPlaces(file: ViewedFile, splices: readonly Splice[]): Generator<MaskedPlace> {
  const moved = placesOfMoved(splices);
  let next = 0;
  let shift = 0;
  for (const { start: unit, end, source, kind } of file.alterationsIn(-1, Infinity)) {
    if (kind !== 'masked') continue;
    for (let splice = splices[next]; splice !== undefined && splice.source.end <= source.start; splice = splices[next]) {
      shift += growthOf(splice);
      next += 1;
    }
    const { start: nextChange } = splices[next]?.source ?? { start: Infinity };
    const isMoved = nextChange < source.end;
    const start = isMoved ? moved.get(source.start) : source.start + shift;
    const after = start === undefined ? undefined : { start, end: start + source.end - source.start };
    const lastChange = splices[next - 1]?.source.end ?? -Infinity;
    const isNear = nextChange <= source.end + REACH || lastChange >= source.start - REACH;
    yield { unit, mark: file.text.slice(unit, end), before: source, after, isMoved, isNear };
  }
}

/** Where the bytes of each moved mark begin in the new file, by where they began. */
function placesOfMoved(splices: readonly Splice[]): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  let shift = 0;
  for (const splice of splices) {
    for (const { from, at } of splice.moved) places.set(from.start, splice.source.start + shift + at);
    shift += growthOf(splice);
  }
  return places;
}

function growthOf({ source, bytes }: Splice): number {
  return bytes.length - (source.end - source.start);
}

/** What is masked in a view, to be asked from left to right. */
export class MaskedRanges {
  readonly #view: TextView;
  readonly #alterations: Iterator<Alteration>;
  #current: Alteration | undefined;

  constructor(view: TextView) {
    this.#view = view;
    this.#alterations = view.alterationsIn(-1, Infinity)[Symbol.iterator]();
    this.#advance();
  }

  again(): MaskedRanges {
    return new MaskedRanges(this.#view);
  }

  /** True when a mark of this text stands for these bytes, and for no other. */
  has({ start, end }: ByteRange, mark: string): boolean {
    while (this.#current !== undefined && this.#current.source.start < start) this.#advance();
    const found = this.#current;
    return found?.source.start === start && found.source.end === end && this.#view.text.slice(found.start, found.end) === mark;
  }

  #advance(): void {
    let next = this.#alterations.next();
    while (next.done !== true && next.value.kind !== 'masked') next = this.#alterations.next();
    this.#current = next.done === true ? undefined : next.value;
  }
}
