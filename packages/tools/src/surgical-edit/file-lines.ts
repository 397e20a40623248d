import type { Splice } from './splices.ts';
import type { ViewedFile } from './viewed-file.ts';

const LINE_FEED = 0x0a;

/** Number of a line in the file as it was, and in the file as it is then. */
export interface LineNumbers {
  readonly before: number;
  readonly after: number;
}

/**
 * Numbers of lines as `read_file` counts them: line feeds of the file, also those behind a mark. Who is told a line
 * number of what is shown would read on at the wrong place behind the first masked key.
 */
export class FileLines {
  readonly #file: ViewedFile;
  readonly #splices: readonly Splice[];
  #counted = 0;
  #feeds = 0;
  #done = 0;
  /** Line feeds that the splices so far add. */
  #added = 0;

  /** @param splices from left to right */
  constructor(file: ViewedFile, splices: readonly Splice[] = []) {
    this.#file = file;
    this.#splices = splices;
  }

  /** Of the line in which a unit of the view begins. To be asked from left to right, so that all is counted once. */
  at(unit: number): LineNumbers {
    const place = this.#file.byteAt(unit);
    this.#feeds += countLineFeeds(this.#file.bytes, this.#counted, place);
    this.#counted = Math.max(this.#counted, place);
    for (let splice = this.#splices[this.#done]; splice !== undefined && splice.source.start < place; splice = this.#splices[this.#done]) {
      const { source, bytes } = splice;
      this.#added += countLineFeeds(bytes, 0, bytes.length) - countLineFeeds(this.#file.bytes, source.start, source.end);
      this.#done += 1;
    }
    return { before: 1 + this.#feeds, after: 1 + this.#feeds + this.#added };
  }
}

/** By hand: a call of `indexOf` for each of a million empty lines costs forty times this loop. */
function countLineFeeds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if (bytes[index] === LINE_FEED) count += 1;
  }
  return count;
}
