import type { TextView } from '@devs/core';
import { countMarkBytes } from '../read-with-margin.ts';
import { countLineFeeds, type TextBlock } from './text-blocks.ts';

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
  yield* shown.alterations.length === 0 ? unalteredLines(place, shown.text) : alteredLines(place, shown);
}

/** Lines of the file and of the view are the same: nothing has to be looked up. */
function* unalteredLines({ bytes, start, end, line }: TextBlock, text: string): Generator<ViewedLine> {
  const last = line + countLineFeeds(bytes.subarray(start, end)) - (bytes[end - 1] === 0x0a ? 1 : 0);
  let number = line - countLineFeeds(bytes.subarray(0, start));
  for (let offset = 0; number <= last; number += 1) {
    const lineEnd = endOf(text, offset);
    if (number >= line) yield { number, text: trimEnd(text.slice(offset, lineEnd)) };
    offset = lineEnd + 1;
  }
}

function* alteredLines({ bytes, start, end, line }: TextBlock, view: TextView): Generator<ViewedLine> {
  const { text } = view;
  let number = line;
  let counted = start;
  for (let offset = 0; offset < text.length; ) {
    const lineEnd = endOf(text, offset);
    const source = view.sourceOf(offset, offset).start;
    if (source >= end) return;
    if (source >= start) {
      number += countLineFeeds(bytes.subarray(counted, source));
      counted = source;
      yield { number, text: trimEnd(text.slice(offset, lineEnd)) };
    }
    offset = lineEnd + 1;
  }
}

function endOf(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

function trimEnd(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
