import { describeOffer, type RegisteredTool, type ToolExecutionContext } from '@devs/core';
import { ProtocolError, ProtocolErrorCode, type ListToolsResult } from '@modelcontextprotocol/server';
import { readSessionContext } from '../session-context.ts';
import { toWireTool } from '../wire.ts';

/** The registry, as this handler needs it. */
export interface ToolCatalog {
  listToolsForContext(context: ToolExecutionContext): readonly RegisteredTool[];
}

/** `tools/list`: what this caller is offered, always in the same order. */
export function listTools(params: unknown, registry: ToolCatalog, projectRoot: string): ListToolsResult {
  const { context, refusal } = readSessionContext(params, projectRoot);
  if (refusal !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusal.sentence);
  const offered = registry.listToolsForContext(context);
  return { tools: offered.map((tool) => toWireTool({ ...tool, definition: describeOffer(tool, offered) })) };
}
