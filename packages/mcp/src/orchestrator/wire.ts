import type { RegisteredTool, ToolResult } from '@devs/core';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';

/** The only place that knows MCP's form of a result: the inner `error` block is text with `isError`. */
export function toCallToolResult({ content, isError, structuredContent, _meta }: ToolResult): CallToolResult {
  return {
    content: content.map(({ text }) => ({ type: 'text', text })),
    ...(isError === true && { isError }),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(_meta !== undefined && { _meta: { ..._meta } }),
  };
}

/** A tool as `tools/list` shows it. `readOnlyHint` follows from what devs knows, not from a claim. */
export function toWireTool({ definition, effects }: RegisteredTool): Tool {
  const { name, title, description, inputSchema, annotations } = definition;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    annotations: { ...annotations, readOnlyHint: !effects },
  };
}
