import type { Json } from '../json.ts';
import { copyPlain, isRefused } from '../validation/plain-copy.ts';

/** Characters of JSON that the log keeps of the arguments of a call that was refused. */
const MAX_CHARACTERS = 65_536;

/**
 * What a refused call asked for, as the log can keep it: a plain copy, or an excerpt of its JSON where
 * it is too long or holds what no arguments may hold. Never throws.
 */
export function toLoggedInput(args: unknown): Json {
  if (args === undefined) return null;
  const copied = copyPlain(args);
  const text = toText(isRefused(copied) ? args : copied.value);
  const excerpt = text.slice(0, MAX_CHARACTERS).toWellFormed();
  if (isRefused(copied)) return { unreadable: copied.refusal.problem, excerpt };
  return text.length > MAX_CHARACTERS ? { excerpt } : copied.value;
}

function toText(args: unknown): string {
  try {
    return JSON.stringify(args) ?? '';
  } catch {
    // A circle, a bigint, a getter that throws: the problem is named beside it.
    return '';
  }
}
