import type { ByteRange, Encoding, RawContent, RawToolResult } from '@devs/core';

/** Bytes of which only some are shown: the others tell what is masked in those. */
export interface ShownPart {
  readonly bytes: Uint8Array;
  readonly shown: ByteRange;
  readonly encoding: Encoding;
}

/** A tool's answer: the content alone, and what devs has to say about it as a block of its own after it. */
export function toAnswer(content: string | Uint8Array | ShownPart, notice?: string): RawToolResult {
  const blocks: RawContent[] = [toBlock(content)];
  if (notice !== undefined) blocks.push({ type: 'notice', text: notice });
  return { content: blocks };
}

function toBlock(content: string | Uint8Array | ShownPart): RawContent {
  if (typeof content === 'string' || content instanceof Uint8Array) return { type: 'text', text: content };
  const { bytes, shown, encoding } = content;
  return { type: 'text', text: bytes, shown, encoding };
}
