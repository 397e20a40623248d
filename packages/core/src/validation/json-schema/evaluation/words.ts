import type { Json } from '../../../json.ts';
import { cutWords } from '../../../protocol/text.ts';

const MOST_NAME = 60;
const MOST_LIST = 200;
/** Characters that nobody sees, that reorder a line or end it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;

/** A name of the caller's or of the schema's, short and on one line, so that it cannot write lines of its own. */
export function quoteName(name: string): string {
  const shown = toVisible(JSON.stringify(cutWords(name, MOST_NAME)));
  return name.length > MOST_NAME ? `${shown.slice(0, -1)}…"` : shown;
}

/** Text of a schema, short and on one line. */
export function showText(text: string, most = MOST_LIST): string {
  return toVisible(cut(text, most));
}

/** Text of a schema in quotes that it cannot end: what follows them is devs's own voice. */
export function quoteText(text: string): string {
  return toVisible(JSON.stringify(cut(text, MOST_LIST)));
}

/** `["a","b"]`, as many as there is room for. `areAll`: there are no others, so that they can be counted. */
export function showValues(values: readonly Json[], areAll = true): string {
  const shown: string[] = [];
  let room = MOST_LIST;
  for (const value of values) {
    const text = toVisible(cut(JSON.stringify(value), 80));
    room -= text.length + 1;
    if (room < 0) return `[${shown.join(',')},…] (${areAll ? `${values.length}` : 'many'} values)`;
    shown.push(text);
  }
  return `[${shown.join(',')}]`;
}

/** `"a", "b" and 3 more` */
export function showNames(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).map(quoteName).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

export function joinWords(words: readonly string[]): string {
  return words.length < 3 ? words.join(' or ') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${cutWords(text, most)}…` : text.toWellFormed();
}

function toVisible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
