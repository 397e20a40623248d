import { cleanJsonText } from './json-text.ts';
import { Tally } from './tally.ts';
import { cleanText } from './text-pipeline.ts';
import type { TextStep } from './text-step.ts';

/** Documents in strings of documents. Each level doubles the work on the innermost at most; honest answers have one. */
const MOST_LEVELS = 3;

/**
 * Cleans a text that may be JSON, or JSON in a string of JSON: string by string, then as a whole. `\u001b` in it is
 * an escape character to whoever parses it, and what stands in two of its strings may be one secret. Without a
 * backslash, what nothing was found in needs no second look. Where something was, both once more: what was no JSON
 * for a raw ESC in it may be JSON now.
 */
export function cleanNested(text: string, steps: readonly TextStep[], tally: Tally): string {
  return cleanAt({ text, steps, tally, level: 0 });
}

/** The same for a string of a document that has been read already. @param name that of the member whose value it is */
export function cleanWord(text: string, steps: readonly TextStep[], { tally, name }: { readonly tally: Tally; readonly name?: string | undefined }): string {
  return cleanMember(text, name, { steps, tally, level: 1 });
}

function cleanMember(text: string, name: string | undefined, { steps, tally, level }: Omit<Nested, 'text'>): string {
  const own = name === undefined ? steps : steps.map((step) => step.forMember?.(name) ?? step);
  return cleanAt({ text: text.isWellFormed() ? text : text.toWellFormed(), steps: own, tally, level });
}

interface Nested {
  readonly text: string;
  readonly steps: readonly TextStep[];
  readonly tally: Tally;
  readonly level: number;
}

function cleanAt({ text, steps, tally, level }: Nested): string {
  const hasEscapes = text.includes('\\');
  if (level === MOST_LEVELS || (level > 0 && !hasEscapes)) return cleanText(text, steps, tally);
  if (!hasEscapes && cleanText(text, steps, new Tally()) === text) return text;
  const once = (inner: string) => cleanText(cleanDocument({ text: inner, steps, tally, level }) ?? inner, steps, tally);
  const cleaned = once(text);
  return cleaned === text ? text : once(cleaned);
}

/** Counted only once it is seen that the text is JSON: names are cleaned before that. */
function cleanDocument({ text, steps, tally, level }: Nested): string | undefined {
  const counted = new Tally();
  const inside = { steps, tally: counted, level: level + 1 };
  const cleaned = cleanJsonText(text, (word, name) => cleanMember(word, name, inside), counted);
  if (cleaned !== undefined) tally.merge(counted);
  return cleaned;
}
