import { NumberStack } from '../pipeline/number-stack.ts';
import { UnitWriter } from '../pipeline/unit-writer.ts';
import type { Seams } from '../pipeline/seams.ts';

/**
 * A text with a space at each of its seams. What was taken out told apart what stands together now: the end of
 * `AKIA…` from the word behind it, a name from its value. Both readings count, for what was taken out may also have stood within a token.
 */
export class OpenedText {
  readonly text: string;
  /** Where a space was put in, in units of the source. */
  readonly #places = new NumberStack('large');

  constructor(source: string, seams: Seams) {
    for (const place of placesBetweenWords(source, seams)) this.#places.push(place);
    this.text = open(source, this.#places);
  }

  /** False when it is the source: nothing was taken out between two units that may belong together. */
  get isOpened(): boolean {
    return this.#places.length > 0;
  }

  /** The unit of the source that stands at, or behind, one of this text. */
  sourceOf(place: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#places.at(middle) + middle < place) low = middle + 1;
      else high = middle;
    }
    return place - low;
  }
}

function* placesBetweenWords(source: string, seams: Seams): Generator<number> {
  for (let index = 0; index < seams.count; index += 1) {
    const place = seams.at(index);
    if (isVisible(source.charCodeAt(place - 1)) && isVisible(source.charCodeAt(place))) yield place;
  }
}

/** Of ASCII: a space, and any other unit, is an edge of all that the rules know as it is. */
function isVisible(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f;
}

function open(source: string, places: NumberStack): string {
  if (places.length === 0) return source;
  const writer = new UnitWriter(source);
  let from = 0;
  for (let index = 0; index < places.length; index += 1) {
    const place = places.at(index);
    writer.copy(from, place);
    writer.write(' ');
    from = place;
  }
  writer.copy(from, source.length);
  return writer.finish();
}
