import { DevsError } from '../errors.ts';

/** More than honest names have, however they are mixed: each reading is looked for on the disk. */
const MAX_READINGS = 32;
/** `file:///etc`, `C:\x`, `\\host\share`, `~/.ssh`, `$HOME/x`, `${HOME}`: a place that somebody else fills in. */
const ELSEWHERE = /^(?:[A-Za-z][A-Za-z0-9+.-]*:|\\\\|~|\$[A-Z_]+(?:\/|$)|\$\{|%[A-Za-z_]+%)/;
/** To one that parses URLs `..<tab>/` is `../`; to one that reads lines a path ends at the line feed, and another begins. */
const CONTROL = /\p{Cc}/u;
/** Programs trim their arguments and take quotes off, and to them ` /etc` is `/etc`. `\p{Cf}`: trimmed by some as well. */
const PADDED = /^[\s\p{Cf}"'`]|[\s\p{Cf}"'`]$/u;
const PADDING = /^[\s\p{Cf}"'`]+|(?<![\s\p{Cf}"'`])[\s\p{Cf}"'`]+$/gu;

/** What some program takes a path for. Any of them may follow any other: `％2e` is `%2e` first, and then a dot. */
const STEPS: readonly ((reading: string) => string)[] = [
  decodePercent,
  (reading) => reading.normalize('NFKC'),
  (reading) => reading.replaceAll('\\', '/'),
  trimNames,
];

/**
 * What a path may mean to a program that is not devs, and takes for more than a name what is one here:
 * it decodes `%2e%2e%2f`, has `\` for a separator, folds full-width dots, trims `.. /`. Every reading has
 * to stay inside, the plain one too.
 * @throws DevsError PATH_REFUSED: a reading names a place outside by itself, holds a control character, has
 * white space or a quote at either end, or there are too many readings to look at
 */
export function toReadings(path: string): readonly string[] {
  const readings = new Set([path]);
  // A set goes on to what is added meanwhile.
  for (const reading of readings) {
    if (isOdd(reading)) throw refused();
    for (const step of STEPS) readings.add(step(reading));
    if (readings.size > MAX_READINGS) throw refused();
  }
  return [...readings];
}

function isOdd(reading: string): boolean {
  return reading === '' || CONTROL.test(reading) || PADDED.test(reading) || ELSEWHERE.test(reading);
}

/** Byte by byte, for what is not UTF-8 is decoded by some programs too. */
function decodePercent(path: string): string {
  return path.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

/** An honest name with a space at its end passes by this, and `.. /..` does not. */
function trimNames(path: string): string {
  return path.split('/').map((name) => name.replaceAll(PADDING, '')).join('/');
}

function refused(): DevsError {
  return new DevsError('PATH_REFUSED', {
    sentence: 'The path is spelled in a way that a program may take for a place outside.',
    suggestion:
      'Give a plain relative path without control characters, and without white space or quotes at either end; ' +
      'with "./" before a name that begins oddly.',
  });
}
