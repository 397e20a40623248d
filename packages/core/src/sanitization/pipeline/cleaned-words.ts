import { Tally } from './tally.ts';

/** Strings of one level that are remembered, and units of the longest: beyond these, the engine finds a string by its length alone. */
const MOST_WORDS = 4_096;
const LONGEST_WORD = 16_383;

interface CleanedWord {
  readonly text: string;
  readonly counted: Tally;
}

/**
 * What became of the strings of one result, by the string: names of members and short values stand in a document again and again, and
 * the steps make the same of equal ones each time. For one list of steps.
 */
export class CleanedWords {
  readonly #levels = new Map<number, Map<string, CleanedWord>>();

  /** Counts what was done to the string each time that it stands there. */
  clean(text: string, { level, tally }: { readonly level: number; readonly tally: Tally }, make: (counted: Tally) => string): string {
    const known = this.#wordsOf(level);
    const word = known.get(text);
    if (word !== undefined) {
      tally.merge(word.counted);
      return word.text;
    }
    if (known.size >= MOST_WORDS || text.length > LONGEST_WORD) return make(tally);
    const counted = new Tally();
    const cleaned = make(counted);
    known.set(text, { text: cleaned, counted });
    tally.merge(counted);
    return cleaned;
  }

  /** How a string is read depends on how deep it stands: JSON in one that is deep is paid for at each level. */
  #wordsOf(level: number): Map<string, CleanedWord> {
    const known = this.#levels.get(level) ?? new Map<string, CleanedWord>();
    this.#levels.set(level, known);
    return known;
  }
}
