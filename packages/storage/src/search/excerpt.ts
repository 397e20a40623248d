import type { Excerpt } from '../agent-logs.ts';
import { isWord, type Phrase } from './parse-words.ts';
import { toRuns } from './words.ts';

/** UTF-16 units on each side of what was found. */
const AROUND = 48;

/** What stands around the first word that is asked for. Where it stands in another form, the start of the first text. */
export function toExcerpt(texts: readonly string[], phrases: readonly Phrase[]): Excerpt {
  for (const text of texts) {
    for (const { start, end, words } of toRuns(text)) {
      if (words.some((word) => phrases.some((phrase) => isAsked(word, phrase)))) return cutAround(text, start, end);
    }
  }
  return cutAround(texts[0] ?? '', 0, 0);
}

function isAsked(word: string, { words: [first = '', ...more], isPrefix }: Phrase): boolean {
  return isWord(word, first, isPrefix && more.length === 0);
}

function cutAround(text: string, start: number, end: number): Excerpt {
  const before = text.slice(Math.max(0, start - AROUND), start);
  const found = text.slice(start, Math.min(end, start + AROUND));
  const after = text.slice(end, end + AROUND);
  // A cut may go through a character.
  return { before: before.toWellFormed(), found: found.toWellFormed(), after: after.toWellFormed() };
}
