import type { TextView } from '@devs/core';
import { countMarkBytes } from '../files/read-with-margin.ts';
import { countLineFeeds, type TextBlock } from './text-blocks.ts';

/** Of UTF-8. What is masked may stand for more: then it is no long line that is shown. */
const MOST_BYTES_OF_UNIT = 3;

export interface ViewedLine {
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of a block as an agent is shown them: those of the view that begin in the block. What begins before it and
 * ends in it, as a key of many lines does, was in a line of the block before.
 */
export function* viewedLines(block: TextBlock, view: (bytes: Uint8Array) => TextView): Generator<ViewedLine> {
  // The beginning of a file may say how it is to be read; the beginning of a margin may not.
  const lead = block.start === 0 ? 0 : countMarkBytes(block.bytes.subarray(0, block.start));
  const shown = view(block.bytes.subarray(lead));
  const place = { ...block, bytes: block.bytes.subarray(lead), start: block.start - lead, end: block.end - lead };
  yield* shown.alterationCount === 0 ? unalteredLines(place, shown) : alteredLines(place, shown);
}

/** Lines of the file and of the view are the same: nothing has to be looked up. */
function* unalteredLines({ bytes, start, end, line, longestLine }: TextBlock, view: TextView): Generator<ViewedLine> {
  const { text } = view;
  const last = line + countLineFeeds(bytes.subarray(start, end)) - (bytes[end - 1] === 0x0a ? 1 : 0);
  let number = line - countLineFeeds(bytes.subarray(0, start));
  for (let offset = 0; number <= last; number += 1) {
    const lineEnd = endOf(text, offset);
    if (number >= line) yield { number, text: lineOf(view, offset, { end: lineEnd, longestLine }) };
    offset = lineEnd + 1;
  }
}

function* alteredLines({ bytes, start, end, line, longestLine }: TextBlock, view: TextView): Generator<ViewedLine> {
  const { text } = view;
  let number = line;
  let counted = start;
  let isInBlock = false;
  for (let offset = 0; offset < text.length; ) {
    const lineEnd = endOf(text, offset);
    if (view.isEdge(offset)) {
      const source = view.sourceOf(offset, offset).start;
      if (source >= end) return;
      isInBlock = source >= start;
      number += isInBlock ? countLineFeeds(bytes.subarray(counted, source)) : 0;
      counted = Math.max(counted, source);
    }
    // Where what is shown of one alteration has several lines, all of them stand for the line in which it begins.
    if (isInBlock) yield { number, text: lineOf(view, offset, { end: lineEnd, longestLine }) };
    offset = lineEnd + 1;
  }
}

function endOf(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

interface LineLimits {
  readonly end: number;
  readonly longestLine: number;
}

/** As much of a line as stands for no more bytes than may be shown of one; a mark in which they end is left out. */
function lineOf(view: TextView, start: number, { end, longestLine }: LineLimits): string {
  const line = view.text.slice(start, isLong(view, start, { end, longestLine }) ? cutOf(view, start, { end, longestLine }) : end);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function isLong(view: TextView, start: number, { end, longestLine }: LineLimits): boolean {
  if ((end - start) * MOST_BYTES_OF_UNIT <= longestLine) return false;
  if (!view.isEdge(start) || !view.isEdge(end)) return true;
  const source = view.sourceOf(start, end);
  return source.end - source.start > longestLine;
}

/** The last edge up to which the line stands for no more than so many bytes. */
function cutOf(view: TextView, start: number, { end, longestLine }: LineLimits): number {
  // Within an alteration, of which nothing tells how many bytes a part of it stands for.
  if (!view.isEdge(start) || !view.isEdge(end)) return start + Math.floor(longestLine / MOST_BYTES_OF_UNIT);
  const most = view.sourceOf(start, start).start + longestLine;
  let [low, high] = [start, end];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const edge = edgeFrom(view, middle, end);
    if (view.sourceOf(edge, edge).start <= most) low = edge;
    else high = middle - 1;
  }
  return low;
}

function edgeFrom(view: TextView, unit: number, end: number): number {
  let edge = unit;
  while (edge < end && !view.isEdge(edge)) edge += 1;
  return edge;
}
