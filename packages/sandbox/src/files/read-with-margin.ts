import { encodingOf, type Encoding, type Surroundings } from '@devs/core';
import { fillFromFile } from './chunks.ts';
import { growMargin } from './long-run.ts';
import type { OpenedFile } from './places.ts';

/** Of the longest mark that says how a file is to be read. */
const MARK_BYTES = 4;

interface MarginRange {
  /** Bytes, not past the end of the file. */
  readonly offset: number;
  readonly limit: number;
  readonly margin: number;
}

export interface ReadWindow {
  readonly bytes: Uint8Array;
  readonly surroundings: Surroundings;
}

/**
 * The window that was asked for, and what stands around it, in one read: both are of the same file. The margin before
 * it is longer than asked for where a key or a token may have begun before.
 */
export async function readWithMargin(file: OpenedFile, range: MarginRange, signal: AbortSignal): Promise<ReadWindow> {
  let lead = Math.min(range.margin, range.offset);
  for (;;) {
    const window = await readAround(file, { ...range, lead }, signal);
    const { bytes, start, encoding } = window.surroundings;
    const wanted = range.margin === 0 ? lead : growMargin(bytes.subarray(Math.max(0, start - lead), start), range.offset, encoding);
    if (wanted <= lead) return window;
    lead = wanted;
  }
}

/** @param range `lead`: bytes before the window */
async function readAround(file: OpenedFile, range: MarginRange & { readonly lead: number }, signal: AbortSignal): Promise<ReadWindow> {
  const { offset, limit, margin, lead } = range;
  const earliest = offset - lead;
  const encoding = earliest === 0 ? undefined : await readEncoding(file, signal);
  // A piece of UTF-16 that begins between two bytes of a unit would be read as other characters.
  const first = encoding === undefined || encoding === 'utf-8' ? earliest : earliest - (earliest % 2);
  const before = offset - first;
  // Zeroed, and of its own: what is not filled must not show another call's bytes.
  const all = new Uint8Array(Math.max(0, Math.min(before + limit + margin, file.size - first)));
  const filled = all.subarray(0, await fillFromFile(file.descriptor, all, { offset: first, signal }));
  const markBytes = encoding === 'utf-8' ? countMarkBytes(filled.subarray(0, before)) : 0;
  return {
    bytes: filled.subarray(before, before + limit),
    surroundings: {
      bytes: filled.subarray(markBytes),
      start: Math.min(before, filled.length) - markBytes,
      encoding: encoding ?? encodingOf(filled),
    },
  };
}

async function readEncoding({ descriptor }: OpenedFile, signal: AbortSignal): Promise<Encoding> {
  const head = new Uint8Array(MARK_BYTES);
  return encodingOf(head.subarray(0, await fillFromFile(descriptor, head, { offset: 0, signal })));
}

/** The same surroundings, with no more than so many bytes from the window's first on. */
export function narrow(surroundings: Surroundings, length: number): Surroundings {
  return { ...surroundings, bytes: surroundings.bytes.subarray(0, surroundings.start + length) };
}

/** How much of a margin reads like byte order marks: in the middle of a file it must not choose how all after it is read. */
export function countMarkBytes(margin: Uint8Array): number {
  let length = 0;
  while (isMarkByte(margin[length])) length += 1;
  return length;
}

function isMarkByte(byte: number | undefined): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf || byte === 0xfe || byte === 0xff;
}
