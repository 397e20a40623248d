import { refuse } from '../query.ts';
import { toWords } from './words.ts';

/** Words that stand one after the other; of the last one perhaps only the start. */
export interface Phrase {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/** Far more than anybody types; of a script that is written without blanks each letter is one. */
const MOST_WORDS = 128;
const QUOTED_OR_PLAIN = /"([^"]*)"?|[^\s"]+/g;

/**
 * What is asked for: every phrase. A word alone is a phrase of one; `src/index.ts` is one of three words.
 * @throws DevsError `LOG_QUERY_REFUSED` when there is no word in it, or too many
 */
export function parseWords(asked: string): readonly Phrase[] {
  const phrases = [...asked.matchAll(QUOTED_OR_PLAIN)]
    .map(([plain, quoted]) => ({ words: toWords(quoted ?? plain), isPrefix: (quoted ?? plain).endsWith('*') }))
    .filter(({ words }) => words.length > 0);
  const count = phrases.reduce((total, { words }) => total + words.length, 0);
  if (count === 0) throw refuse('Give at least one word: letters or numbers.');
  if (count > MOST_WORDS) throw refuse(`Give ${MOST_WORDS} words at most.`);
  return phrases;
}

/** For FTS5: all words, wherever they stand. They are letters, marks and numbers, so nothing in quotes steers the query. */
export function toMatch(phrases: readonly Phrase[]): string {
  const terms = phrases.flatMap(({ words, isPrefix }) => words.map((word, index) => `"${word}"${isPrefix && index === words.length - 1 ? '*' : ''}`));
  return [...new Set(terms)].join(' AND ');
}

/** Whether the texts hold every phrase: each within one text. */
export function holdsAll(texts: readonly string[], phrases: readonly Phrase[]): boolean {
  const cut = texts.map((text) => toWords(text));
  return phrases.every((phrase) => cut.some((words) => holds(words, phrase)));
}

function holds(words: readonly string[], phrase: Phrase): boolean {
  return words.some((_, index) => phrase.words.every((word, offset) => isWord(words[index + offset], word, isLast(phrase, offset) && phrase.isPrefix)));
}

function isLast({ words }: Phrase, offset: number): boolean {
  return offset === words.length - 1;
}

/** Whether a word is the one that is asked for, or begins with it. */
export function isWord(word: string | undefined, asked: string, isPrefix: boolean): boolean {
  return word === asked || (isPrefix && word !== undefined && word.startsWith(asked));
}
