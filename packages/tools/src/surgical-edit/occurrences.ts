export interface Occurrences {
  /** Of the first ones, as many as were asked for. */
  readonly offsets: readonly number[];
  /** Of all. */
  readonly count: number;
}

/**
 * Where `wanted` stands in `bytes`, from the left, none over another. Knuth, Morris and Pratt: linear in both,
 * where `indexOf` takes their product when a hostile text repeats itself.
 */
export function findOccurrences(bytes: Uint8Array, wanted: Uint8Array, most: number): Occurrences {
  const offsets: number[] = [];
  let count = 0;
  let matched = 0;
  const borders = bordersOf(wanted);
  for (let index = 0; index < bytes.length && wanted.length > 0; index += 1) {
    while (matched > 0 && bytes[index] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (bytes[index] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    count += 1;
    if (offsets.length < most) offsets.push(index + 1 - wanted.length);
    matched = 0;
  }
  return { offsets, count };
}

/** For each beginning of the text: how long the longest end of it is that is also its beginning. */
function bordersOf(text: Uint8Array): Int32Array {
  const borders = new Int32Array(text.length);
  let border = 0;
  for (let index = 1; index < text.length; index += 1) {
    while (border > 0 && text[index] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[index] === text[border]) border += 1;
    borders[index] = border;
  }
  return borders;
}
