/**
 * How texts become words. What is in the index follows from this alone, so that it can be held against the hashed bytes
 * of the log. Change `WORDS_VERSION` with anything here: an index of another version is made anew.
 */
export const WORDS_VERSION = `2 unicode ${process.versions['unicode'] ?? ''}`;

/** UTF-16 units. Of a longer one, a blob's for example, only its start is in the index. */
const LONGEST_WORD = 64;

const NOT_ASCII = /[^\x00-\x7f]/;
const ASCII_WORD = /[a-z0-9]+/g;
/**
 * Scripts that are written without spaces: each letter, with its marks, is a word, so that a word within a sentence is
 * found as letters that stand in this order.
 */
const SPACELESS = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const WORD = new RegExp(String.raw`(?=${SPACELESS})[\p{L}\p{N}]\p{M}*|(?:(?!${SPACELESS})[\p{L}\p{M}\p{N}])+`, 'gu');

/** Runs of letters, marks and numbers, in their order; compatible and small letters. */
export function toWords(text: string): readonly string[] {
  if (!NOT_ASCII.test(text)) return (text.toLowerCase().match(ASCII_WORD) ?? []).map(cut);
  return (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map(cut);
}

function cut(word: string): string {
  if (word.length <= LONGEST_WORD) return word;
  const start = word.slice(0, LONGEST_WORD);
  // Half a character is no character, and would be stored as another.
  return start.isWellFormed() ? start : start.slice(0, -1);
}

/** Where runs of the text as it is written are: what `toWords` gives for one is what stands there. */
export function* toRuns(text: string): Generator<{ readonly start: number; readonly end: number; readonly words: readonly string[] }> {
  for (const match of text.matchAll(WORD)) yield { start: match.index, end: match.index + match[0].length, words: toWords(match[0]) };
}

/** Every string and number, and every member's name, of a parsed JSON value. Not recursive: it may be nested deeply. */
export function collectTexts(value: unknown, texts: string[]): void {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'number') texts.push(String(next));
    else if (Array.isArray(next)) for (const item of next.toReversed()) waiting.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next).toReversed()) waiting.push(member, name);
    }
  }
}
