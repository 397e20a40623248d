import { ownValue } from '@devs/core';

/** The version of every file of JSON that devs keeps. */
const KNOWN_VERSION = 1;

/** Whether a newer devs wrote a file. It may say what this one does not understand: it is refused, and never written over. */
export function isNewer(value: unknown): boolean {
  const version = ownValue(value, 'version');
  return typeof version === 'number' && version > KNOWN_VERSION;
}
