import type { RawContent, RawToolResult } from '@devs/core';

/** A tool's answer: the content alone, and what devs has to say about it as a block of its own after it. */
export function toAnswer(content: string | Uint8Array, notice?: string): RawToolResult {
  const blocks: RawContent[] = [{ type: 'text', text: content }];
  if (notice !== undefined) blocks.push({ type: 'text', text: notice });
  return { content: blocks };
}
