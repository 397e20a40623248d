/** What is replaced by what, and where. The offsets rise, and none lies in the text of the one before. */
export interface Replacement {
  readonly bytes: Uint8Array;
  readonly offsets: readonly number[];
  readonly wanted: Uint8Array;
  readonly by: Uint8Array;
}

/** How long `bytes` is once all is replaced. */
export function lengthOf({ bytes, offsets, wanted, by }: Replacement): number {
  return bytes.length + offsets.length * (by.length - wanted.length);
}

/** On bytes: what is not replaced stays as it is, whether it is text or not. */
export function applyTo({ bytes, offsets, wanted, by }: Replacement): Uint8Array {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const offset of offsets) {
    parts.push(bytes.subarray(start, offset), by);
    start = offset + wanted.length;
  }
  parts.push(bytes.subarray(start));
  return Buffer.concat(parts);
}
