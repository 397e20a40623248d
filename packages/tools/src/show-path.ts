import { quoteName } from './quote-name.ts';

const SHOWN_CHARACTERS = 200;

/** A path as a sentence can carry it: on one line, at most 200 characters of it. */
export function showPath(path: string): string {
  if (path.length <= SHOWN_CHARACTERS) return quoteName(path);
  return `${quoteName(path.slice(0, SHOWN_CHARACTERS).toWellFormed())}...`;
}
