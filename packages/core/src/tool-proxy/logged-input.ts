import type { Json } from '../json.ts';
import { copyPlain, isRefused } from '../validation/plain-copy.ts';

/** Characters of JSON that the log keeps of the arguments of a call that was refused. */
const MAX_CHARACTERS = 65_536;

/** Characters that are looked at beyond the excerpt: half a secret is not recognised. */
const BEYOND = 16_384;

/**
 * What a refused call asked for, as the log can keep it: a plain copy, or an excerpt of its JSON where
 * it is too long or holds what no arguments may hold. Never throws. @param mask of an excerpt: before it is cut
 */
export function toLoggedInput(args: unknown, mask: (text: string) => string): Json {
  if (args === undefined) return null;
  const copied = copyPlain(args);
  const text = toText(isRefused(copied) ? args : copied.value);
  if (isRefused(copied)) return { unreadable: copied.refusal.problem, excerpt: excerptOf(text, mask) };
  return text.length > MAX_CHARACTERS ? { excerpt: excerptOf(text, mask) } : copied.value;
}

function excerptOf(text: string, mask: (text: string) => string): string {
  const masked = mask(text.slice(0, MAX_CHARACTERS + BEYOND).toWellFormed());
  const seen = text.length > MAX_CHARACTERS + BEYOND ? masked.length - BEYOND : masked.length;
  return masked.slice(0, Math.max(0, Math.min(seen, MAX_CHARACTERS))).toWellFormed();
}

function toText(args: unknown): string {
  try {
    return JSON.stringify(args) ?? '';
  } catch {
    // A circle, a bigint, a getter that throws: the problem is named beside it.
    return '';
  }
}
