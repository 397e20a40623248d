import type { ByteRange } from '@devs/core';

/** Of each kind in turn, none twice: whatever asks for variety finds it. */
const MIXED = 'aB0cD1eF2gH3iJ4kL5mN6oP7qR8sT9uVwXyZAbCdEfGhIjKlMnOpQrStUvWxYz';
const TURN = 6;

/**
 * What stands in for the letters and digits of a secret when it is asked whether a place is good for it. No rule may
 * accept the secret itself and none of these: whether it was accepted would tell what is in it. So there is one for each
 * thing that a rule asks of letters: variety from whichever letter on, digits alone, no small letters, hexadecimal digits,
 * a colon once base64 is decoded.
 */
export const STAND_INS: readonly string[] = [
  ...Array.from({ length: Math.floor(MIXED.length / TURN) }, (_, turn) => MIXED.slice(turn * TURN) + MIXED.slice(0, turn * TURN)),
  '0123456789',
  '0a1b2c3d4e5f',
  'A0B1C2D3E4F5G6H7I8J9',
  'Ojo6',
  'jo6O',
  'o6Oj',
  '6Ojo',
];

/** The bytes with other letters and digits in these ranges. All else stays, so that what has lines is still in lines. */
export function withLetters(bytes: Uint8Array, ranges: readonly ByteRange[], letters: string): Uint8Array {
  const changed = Uint8Array.from(bytes);
  for (const { start, end } of ranges) {
    for (let at = Math.max(0, start), count = 0; at < Math.min(end, bytes.length); at += 1) {
      if (!isLetterOrDigit(bytes[at] ?? 0)) continue;
      changed[at] = letters.charCodeAt(count % letters.length);
      count += 1;
    }
  }
  return changed;
}

function isLetterOrDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}
