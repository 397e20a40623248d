import { describeBlock, type ToolResult } from '../tool-result.ts';

/** What the first block of an answer says. */
export function firstText({ content: [first] }: Pick<ToolResult, 'content'>): string | undefined {
  return first === undefined ? undefined : describeBlock(first);
}
