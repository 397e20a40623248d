import { describeBlock, type ContentBlock, type ToolResult } from '@devs/core';

/** A tool's answer as code is given it. */
export interface ToolAnswer {
  readonly hasFailed: boolean;
  readonly text: string;
  /** What devs itself has said about it: for the model that wrote the code, not for the code. */
  readonly notices: readonly string[];
}

/**
 * The tool's own words apart from those of devs. Only by the id can they be told: it is in no text that a tool has brought,
 * and whatever merely looks like a notice would leave its boundary if it were taken for one.
 */
export function toToolAnswer({ content, isError = false }: ToolResult, noticeId: string): ToolAnswer {
  const start = `[devs ${noticeId}: `;
  const isNotice = (block: ContentBlock) => block.type === 'text' && block.text.startsWith(start);
  const notices = content.filter(isNotice).map((block) => `[devs: ${describeBlock(block).slice(start.length)}`);
  const text = content.filter((block) => !isNotice(block)).map(describeBlock).join('\n');
  return { hasFailed: isError, text, notices };
}
