import { Buffer } from 'node:buffer';

/** Bytes that base64 of this length holds at most. */
export function mostBytesOf(base64: string): number {
  return Math.floor(base64.length / 4) * 3;
}

/**
 * The bytes of base64 as RFC 4648 writes it: its alphabet, padded, nothing between, no bit that says nothing. Undefined
 * for all else: what two decoders read in two ways is checked in one and run in the other.
 */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
