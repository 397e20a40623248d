import { cutWords, quoteName } from '@devs/core';

const SHOWN_CHARACTERS = 200;

/** A path as a sentence can carry it: on one line, at most 200 characters of it. */
export function showPath(path: string): string {
  if (path.length <= SHOWN_CHARACTERS) return quoteName(path);
  return `${quoteName(cutWords(path, SHOWN_CHARACTERS))}...`;
}
