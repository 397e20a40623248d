import { fileURLToPath } from 'node:url';

/**
 * What may stand around a name in a text: of a shell, of a flag, of a list, of a URL. A name may hold any of them itself
 * (`--import=./a b.mjs`), so a text is parted by every choice of those that occur in it.
 */
const SEPARATORS = ['\\s', '=', ':', ',;', '?#', '"\'`()<>&|{}\\[\\]!$*\\\\'];
/** What the system takes for a path. */
const MAX_LENGTH = 4_096;
/** As a shell reads it: `./"a b".mjs` and `./a\ b.mjs` are one word each. */
// slow pattern: a quote without an end is behind a backslash, which it matches with, or is the last one of its kind
const SHELL_WORD = /(?:[^\s"'\\;&|()<>]|\\.|"(?:\\.|[^"\\])*"|'[^']*')+/gs;

/**
 * Everything in the texts that may name a file, each once. It ends when there is more than `most`: who asks must not take
 * that for all, or a command could say thousands of words and then what it runs.
 */
export function listWords(texts: readonly string[], most: number): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) {
    for (const part of partsOf(text)) {
      for (const word of words.has(part) ? [] : readingsOf(part)) words.add(word);
      if (words.size > most) return words;
    }
  }
  return words;
}

function* partsOf(text: string): Generator<string> {
  const shellWords = (text.match(SHELL_WORD) ?? []).map(unquote);
  for (const whole of new Set([text, ...shellWords])) {
    for (const separators of choicesOf(SEPARATORS.filter((each) => new RegExp(`[${each}]`).test(whole)))) {
      yield* separators === '' ? [whole] : whole.split(new RegExp(`[${separators}]+`));
    }
  }
}

function choicesOf(separators: readonly string[]): readonly string[] {
  return separators.reduce<readonly string[]>((choices, each) => [...choices, ...choices.map((choice) => choice + each)], ['']);
}

function unquote(word: string): string {
  // slow pattern: as above
  return word.replaceAll(/\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs, (quoted) => {
    if (quoted.startsWith('\\')) return quoted.slice(1);
    const inner = quoted.slice(1, -1);
    return quoted.startsWith('"') ? inner.replaceAll(/\\(["\\$`])/g, '$1') : inner;
  });
}

/** `-I./lib` holds a name behind a flag, `@words` one of a file of words, `file:///a%20b` one of a URL. */
function readingsOf(word: string): readonly string[] {
  const readings = [word, word.replace(/^@|^-[A-Za-z](?=.)/, ''), ...(word.includes('%') ? [decode(word)] : []), ...pathOf(word)];
  return readings.filter((each) => each !== '' && each.length <= MAX_LENGTH && !each.includes('\0'));
}

function pathOf(word: string): readonly string[] {
  if (!word.startsWith('file:')) return [];
  try {
    return [fileURLToPath(word)];
  } catch {
    return [];
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
