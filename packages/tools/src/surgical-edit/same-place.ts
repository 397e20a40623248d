import { encodingOf, type ByteRange, type TextView } from '@devs/core';
import { REACH, type MaskedPlace } from './masked-places.ts';
import { STAND_INS, withLetters } from './stand-ins.ts';

/** In bytes. What is further apart takes too long to look at with each stand-in. */
const WIDEST = 262_144;
const BYTE_ORDER_MARKS = { 'utf-8': [], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] };

/** A piece of a file, and where secrets are in it: one for each place, gone or not. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly secrets: readonly (ByteRange | undefined)[];
}

interface Mask extends ByteRange {
  readonly text: string;
}

/** Bytes around all places whose surroundings change. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export function isTooWide({ start, end }: Stretch): boolean {
  return end - start > WIDEST;
}

export function widen(stretch: Stretch | undefined, { start, end }: ByteRange): Stretch {
  const around = { start: Math.max(0, start - REACH), end: end + REACH };
  return stretch === undefined ? around : { start: Math.min(stretch.start, around.start), end: Math.max(stretch.end, around.end) };
}

/** The bytes of a stretch as a file of its own, read as the file is. */
export function pieceOf(file: Uint8Array, stretch: Stretch, secrets: readonly (ByteRange | undefined)[]): Piece {
  const encoding = encodingOf(file);
  const start = encoding === 'utf-8' ? stretch.start : stretch.start - (stretch.start % 2);
  const mark = start === 0 ? [] : BYTE_ORDER_MARKS[encoding];
  const shift = mark.length - start;
  const moved = secrets.map((range) => (range === undefined ? undefined : { start: range.start + shift, end: range.end + shift }));
  return { bytes: Buffer.concat([Uint8Array.from(mark), file.subarray(start, stretch.end)]), secrets: moved };
}

/**
 * The first of the places that is not good for its secret: whatever else was in the place of the secret would be masked
 * there in another way than it was. The secret itself is not asked: what it answers would tell of its letters.
 */
export function findOtherPlace(places: readonly MaskedPlace[], pieces: Readonly<Record<'before' | 'after', Piece>>, view: (bytes: Uint8Array) => TextView): MaskedPlace | undefined {
  for (const letters of STAND_INS) {
    const before = masksOf(pieces.before, letters, view);
    const after = masksOf(pieces.after, letters, view);
    const other = places.find(({ isNear }, index) => isNear && !isSame(before(index), after(index)));
    if (other !== undefined) return other;
  }
  return undefined;
}

function isSame(before: string | undefined, after: string | undefined): boolean {
  return after === undefined || before === after;
}

/** Which marks stand for something of a secret, once it has these letters; undefined when it is gone. */
function masksOf({ bytes, secrets }: Piece, letters: string, view: (bytes: Uint8Array) => TextView): (index: number) => string | undefined {
  const kept = secrets.filter((range) => range !== undefined);
  const shown = view(withLetters(bytes, kept, letters));
  const masks: Mask[] = [];
  for (const { start, end, source, kind } of shown.alterationsIn(-1, Infinity)) {
    if (kind === 'masked') masks.push({ ...source, text: shown.text.slice(start, end) });
  }
  return (index) => {
    const range = secrets[index];
    return range === undefined ? undefined : describeMasks(masks, range);
  };
}

function describeMasks(masks: readonly Mask[], { start, end }: ByteRange): string {
  let found = '';
  for (let at = firstBehind(masks, start); at < masks.length; at += 1) {
    const mask = masks[at];
    if (mask === undefined || mask.start >= end) break;
    found += `${String(mask.start - start)} ${String(mask.end - start)} ${mask.text}\n`;
  }
  return found;
}

/** The first mask that ends behind a place. */
function firstBehind(masks: readonly Mask[], place: number): number {
  let [low, high] = [0, masks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((masks[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
