import { Buffer } from 'node:buffer';
import type { Json } from '../json.ts';
import { findHiddenCharacter } from '../protocol/hidden-characters.ts';
import { copyPlain, isRefused, type CopyOutcome } from './plain-copy.ts';

/** Larger than any honest tool definition; what a server behind devs may make it compile and keep. */
export const MAX_FOREIGN_BYTES = 262_144;
export const MAX_FOREIGN_VALUES = 4_000;

/** A frozen copy of what a server behind devs sent, if it is plain data and of honest size. */
export function copyForeign(input: unknown): CopyOutcome {
  const copied = copyPlain(input);
  if (isRefused(copied)) return copied;
  if (countValues(copied.value) > MAX_FOREIGN_VALUES) return tooLarge(`holds more than ${MAX_FOREIGN_VALUES} values`);
  const bytes = Buffer.byteLength(JSON.stringify(copied.value), 'utf8');
  return bytes > MAX_FOREIGN_BYTES ? tooLarge(`is longer than ${MAX_FOREIGN_BYTES} bytes of JSON`) : copied;
}

/** Itself and all that it holds. */
export function countValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inner: readonly Json[] = Object.values(value);
  return inner.reduce<number>((count, item) => count + countValues(item), 1);
}

/** The first hidden character in its texts and names, as `U+202E`: what only a model sees is an instruction. */
export function findHidden(value: Json): string | undefined {
  if (typeof value === 'string') return findHiddenCharacter(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: readonly (readonly [string, Json])[] = Object.entries(value);
  for (const [key, inner] of entries) {
    const hidden = findHiddenCharacter(key) ?? findHidden(inner);
    if (hidden !== undefined) return hidden;
  }
  return undefined;
}

function tooLarge(problem: string): CopyOutcome {
  return { refusal: { pointer: '', problem } };
}
