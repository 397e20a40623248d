export interface Occurrences {
  /** Of the first ones, as many as were asked for. In UTF-16 units. */
  readonly offsets: readonly number[];
  /** Of all. */
  readonly count: number;
  /** Places that were not taken. */
  readonly passedOver: number;
}

export interface Wanted {
  readonly text: string;
  /** Most offsets to give. */
  readonly most: number;
  /** False for a place that cannot be taken: it is passed over, and what lies over it still counts. */
  readonly isTaken?: (start: number) => boolean;
}

/**
 * Where a text stands in another, from the left, none over another. Knuth, Morris and Pratt: linear in both,
 * where `indexOf` takes their product when a hostile text repeats itself.
 */
export function findOccurrences(text: string, { text: wanted, most, isTaken = () => true }: Wanted): Occurrences {
  const offsets: number[] = [];
  let count = 0;
  let passedOver = 0;
  let matched = 0;
  const borders = bordersOf(wanted);
  for (let index = 0; index < text.length && wanted.length > 0; index += 1) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && unit !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (unit === wanted.charCodeAt(matched)) matched += 1;
    if (matched < wanted.length) continue;
    const start = index + 1 - wanted.length;
    if (isTaken(start)) {
      count += 1;
      if (offsets.length < most) offsets.push(start);
      matched = 0;
    } else {
      passedOver += 1;
      matched = borders[matched - 1] ?? 0;
    }
  }
  return { offsets, count, passedOver };
}

/** For each beginning of the text: how long the longest end of it is that is also its beginning. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let border = 0;
  for (let index = 1; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (border > 0 && unit !== text.charCodeAt(border)) border = borders[border - 1] ?? 0;
    if (unit === text.charCodeAt(border)) border += 1;
    borders[index] = border;
  }
  return borders;
}
