import { Buffer } from 'node:buffer';

/** Units. No token of any rule is shorter than the longest word in it, and few words of prose or source are as long. */
export const SHORTEST_WORD = 13;

/** Units that are looked at together: small enough to stay in the cache of a core. */
const CHUNK = 16_384;

interface Chunk {
  readonly from: number;
  readonly length: number;
}

/** Told of a word; gives where the looking goes on: at the word's end, or further to the right. */
type Visit = (start: number, end: number) => number;

/**
 * Visits each run of 13 or more of `A-Z a-z 0-9 _ -`, from left to right, whole, or from where the last visit said.
 *
 * The quick look of all secret rules: every token holds such a run, and one look at each thirteenth unit tells most of a
 * text apart (Boyer and Moore's way: what does not fit at the end of a window skips the window). Measured against an
 * automaton, one big pattern and `indexOf` for each word: ADR 0025.
 */
export class LongWords {
  /** A copy of the chunk: `charCodeAt` in a loop costs twice as much. */
  readonly #bytes = Buffer.allocUnsafeSlow(2 * CHUNK);
  readonly #units = new Uint16Array(this.#bytes.buffer, 0, CHUNK);
  readonly #inWord = wordUnits();
  /** Where the copy begins in the text, and how much of it there is. */
  #from = 0;
  #length = 0;

  visit(text: string, visit: Visit): void {
    let from = 0;
    while (text.length - from >= SHORTEST_WORD) {
      const length = Math.min(CHUNK, text.length - from);
      this.#bytes.write(text.slice(from, from + length), 'utf16le');
      this.#from = from;
      this.#length = length;
      from = this.#visitChunk(text, { from, length }, visit);
    }
  }

  /** Gives where the next chunk begins: what may be the beginning of a word is looked at again. */
  #visitChunk(text: string, { from, length }: Chunk, visit: Visit): number {
    const units = this.#units;
    const inWord = this.#inWord;
    let low = 0;
    let last = SHORTEST_WORD - 1;
    while (last < length) {
      let at = last;
      while (at >= low && inWord[units[at] ?? 0] !== 0) at -= 1;
      if (at < low) {
        const end = this.endOfWord(text, from + last + 1);
        const next = visit(from + low, end);
        // The unit at the end of a word belongs to none; one in the midst of what was passed over may.
        at = next > end ? next - from - 1 : end - from;
      }
      low = at + 1;
      last = at + SHORTEST_WORD;
    }
    return from + low;
  }

  /** The end of the word that goes on here. */
  endOfWord(text: string, from: number): number {
    const inWord = this.#inWord;
    const units = this.#units;
    const last = this.#length;
    let at = from - this.#from;
    if (at >= 0) while (at < last && inWord[units[at] ?? 0] !== 0) at += 1;
    let end = at + this.#from;
    if (at < 0 || at >= last) while (end < text.length && inWord[text.charCodeAt(end)] !== 0) end += 1;
    return end;
  }

  /** The first place behind a `_` or a `-`, at `from` or behind it; `wordEnd` when none comes before that. Within a word that is visited. */
  nextEdge(text: string, from: number, wordEnd: number): number {
    const inWord = this.#inWord;
    const units = this.#units;
    const last = Math.min(this.#length, wordEnd - this.#from);
    let at = from - this.#from;
    // The unit before the place.
    while (at < last && inWord[units[at - 1] ?? 0] !== JOINER) at += 1;
    let edge = at + this.#from;
    if (at >= last) while (edge < wordEnd && this.#inWord[text.charCodeAt(edge - 1)] !== JOINER) edge += 1;
    return Math.max(from, Math.min(edge, wordEnd));
  }
}

const JOINER = 2;

function wordUnits(): Uint8Array {
  const units = new Uint8Array(65_536);
  for (const unit of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') units[unit.charCodeAt(0)] = 1;
  for (const unit of '_-') units[unit.charCodeAt(0)] = JOINER;
  return units;
}
