import { closeSync } from 'node:fs';
import { DevsError, type LineRange, type LineSlice } from '@devs/core';
import { readChunks } from './chunks.ts';
import type { OpenedFile } from './places.ts';
import type { ReadOptions } from './read-slice.ts';
import { narrow, readWithMargin } from './read-with-margin.ts';

export const LINE_FEED = 0x0a;

/** A place in a file, and how many lines begin before it. */
interface Position {
  readonly offset: number;
  readonly lines: number;
}

/**
 * The lines of a file from one on. The line after the last one gives no bytes: that is how paging ends.
 * What is before the first line is read in chunks and not kept.
 * @throws DevsError INVALID_RANGE: no whole numbers, one below 1, a line past the end
 */
export async function readLines(file: OpenedFile, range: LineRange, options: ReadOptions): Promise<LineSlice> {
  const { size } = file;
  const { startLine, lineCount = Number.MAX_SAFE_INTEGER, margin = 0 } = range;
  try {
    if (![startLine, lineCount, range.limit, margin + 1].every((value) => Number.isSafeInteger(value) && value >= 1)) {
      throw new DevsError('INVALID_RANGE');
    }
    const limit = Math.min(range.limit, options.maxReadBytes);
    const offset = await findLine(file, startLine, options.signal);
    const { bytes, surroundings } = await readWithMargin(file, { offset, limit, margin }, options.signal);
    const isEnd = bytes.length < limit || offset + bytes.length >= size;
    const taken = takeLines(bytes, lineCount, isEnd);
    return { ...taken, surroundings: narrow(surroundings, taken.bytes.length + margin), size, offset, limit };
  } finally {
    closeSync(file.descriptor);
  }
}

/** Offset of the first byte of a line; of the end of the file for the line after the last. */
async function findLine(file: OpenedFile, startLine: number, signal: AbortSignal): Promise<number> {
  if (startLine === 1) return 0;
  let position: Position = { offset: 0, lines: 0 };
  let ends = true;
  for await (const chunk of readChunks(file, signal)) {
    const inChunk = skipLines(chunk, startLine - 1 - position.lines);
    position = { offset: position.offset + inChunk.offset, lines: position.lines + inChunk.lines };
    if (position.lines === startLine - 1) return position.offset;
    ends = chunk.at(-1) === LINE_FEED;
  }
  const lines = ends ? position.lines : position.lines + 1;
  if (startLine === lines + 1) return position.offset;
  throw new DevsError('INVALID_RANGE', {
    sentence: `The line ${String(startLine)} is past the end: the file has ${String(lines)} lines.`,
  });
}

/** Where `wanted` lines have ended; at the end of the chunk when it has fewer. */
function skipLines(chunk: Uint8Array, wanted: number): Position {
  // A hole, or a part of one long line: to see that natively costs a fiftieth of the loop.
  if (!chunk.includes(LINE_FEED)) return { offset: chunk.length, lines: 0 };
  let lines = 0;
  // By hand: a call of `indexOf` for each of 262,144 empty lines costs forty times this loop.
  for (let index = 0; index < chunk.length; index += 1) {
    if (chunk[index] !== LINE_FEED) continue;
    lines += 1;
    if (lines === wanted) return { offset: index + 1, lines };
  }
  return { offset: chunk.length, lines };
}

/** Whole lines, or the beginning of the first one if not even that is whole. */
function takeLines(bytes: Uint8Array, lineCount: number, isEnd: boolean): Pick<LineSlice, 'bytes' | 'lines'> {
  const { offset, lines } = skipLines(bytes, lineCount);
  if (lines === lineCount) return { bytes: bytes.subarray(0, offset), lines };
  const whole = bytes.lastIndexOf(LINE_FEED) + 1;
  if (isEnd) return { bytes, lines: whole < bytes.length ? lines + 1 : lines };
  return lines === 0 ? { bytes, lines } : { bytes: bytes.subarray(0, whole), lines };
}
