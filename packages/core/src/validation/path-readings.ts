import { DevsError } from '../errors.ts';

/** `%252e` is `%2e`, and that is a dot: as often as somebody may decode it. */
const MAX_DECODINGS = 3;
/** `file:///etc`, `C:\x`, `\\host\share`, `~/.ssh`, `$HOME/x`, `${HOME}`: a place that somebody else fills in. */
const ELSEWHERE = /^(?:[A-Za-z][A-Za-z0-9+.-]*:|\\\\|~|\$[A-Z_]+(?:\/|$)|\$\{|%[A-Za-z_]+%)/;

/**
 * What a path may mean to a program that is not devs, and takes for more than a name what is one here:
 * it decodes `%2e%2e%2f`, has `\` for a separator, folds full-width dots. Every reading has to stay
 * inside, the plain one too.
 * @throws DevsError PATH_REFUSED: a reading names a place outside by itself
 */
export function toReadings(path: string): readonly string[] {
  const readings = new Set<string>();
  let decoded = path;
  for (let round = 0; round <= MAX_DECODINGS; round += 1) {
    for (const reading of [decoded, decoded.normalize('NFKC')]) {
      readings.add(reading);
      readings.add(reading.replaceAll('\\', '/'));
    }
    const next = decodePercent(decoded);
    if (next === decoded) break;
    decoded = next;
  }
  for (const reading of readings) refuseElsewhere(reading);
  return [...readings];
}

/** Byte by byte, for what is not UTF-8 is decoded by some programs too. */
function decodePercent(path: string): string {
  return path.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

function refuseElsewhere(reading: string): void {
  if (!ELSEWHERE.test(reading) && !reading.includes('\0') && reading !== '') return;
  throw new DevsError('PATH_REFUSED', {
    sentence: 'The path is spelled in a way that a program may take for a place outside.',
    suggestion: 'Give a plain relative path, with "./" before a name that begins oddly.',
  });
}
