import { DevsError, type ContentBlock, type RegisteredTool, type ToolDefinition, type ToolResult, withFenceFirst } from '@devs/core';
import { specTypeSchemas, type CallToolResult, type Tool } from '@modelcontextprotocol/server';

type WireBlock = CallToolResult['content'][number];

/** The only place that knows MCP's form of a result: the inner `error` block is text with `isError`. */
export function toCallToolResult({ content, isError, structuredContent, _meta }: ToolResult): CallToolResult {
  return {
    content: content.map(toWireBlock),
    ...(isError === true && { isError }),
    ...(structuredContent !== undefined && { structuredContent: withFenceFirst(structuredContent) }),
    ...(_meta !== undefined && { _meta: { ..._meta } }),
  };
}

/** Copied: the SDK's types let a receiver write into what it was given. */
function toWireBlock(block: ContentBlock): WireBlock {
  const { annotations, _meta, ...rest } = block;
  const members = {
    ...(annotations !== undefined && { annotations: toWireAnnotations(annotations) }),
    ...(_meta !== undefined && { _meta: { ..._meta } }),
  };
  if ('text' in rest) return { ...members, type: 'text', text: rest.text };
  if (rest.type === 'resource') return { ...members, type: 'resource', resource: toWireResource(rest.resource) };
  return { ...members, ...rest };
}

function toWireAnnotations({ audience, ...rest }: NonNullable<ContentBlock['annotations']>) {
  return { ...rest, ...(audience !== undefined && { audience: [...audience] }) };
}

function toWireResource({ _meta, ...rest }: Extract<ContentBlock, { type: 'resource' }>['resource']) {
  return { ...rest, ...(_meta !== undefined && { _meta: { ..._meta } }) };
}

/**
 * A tool as `tools/list` shows it. For our own, `readOnlyHint` follows from what devs knows; what a
 * server behind devs claims is passed on as the claim that it is.
 */
export function toWireTool({ definition, effects, authorship = 'own' }: RegisteredTool): Tool {
  const annotations = authorship === 'own' ? { ...definition.annotations, readOnlyHint: !effects } : definition.annotations;
  const tool = toTool({ ...definition, ...(annotations !== undefined && { annotations }) });
  if (tool === undefined) throw new DevsError('INTERNAL_ERROR', { cause: new Error('a registered tool is not what MCP calls a tool') });
  return tool;
}

/** False for a definition that would fail the whole list that it stands in. */
export function isWireTool(definition: ToolDefinition): boolean {
  return toTool(definition) !== undefined;
}

function toTool(definition: ToolDefinition): Tool | undefined {
  const parsed = specTypeSchemas.Tool['~standard'].validate(definition);
  return parsed.issues === undefined ? parsed.value : undefined;
}
