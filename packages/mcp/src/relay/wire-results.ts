import { isRecord, type ContentBlock, type Json, type JsonObject, type ToolResult } from '@devs/core';

/** A cleaned result of an operation, as MCP writes it. What devs itself has to say of it comes last, as content of its own. */

/** `resources/read`. @param uri what was asked for */
export function toReadResult({ content, _meta }: ToolResult, uri: string): JsonObject {
  return { contents: content.map((block) => toContents(block, uri)), ...metaOf(_meta) };
}

function toContents(block: ContentBlock, uri: string): JsonObject {
  if (block.type === 'resource') return toJson(block.resource);
  return { uri, mimeType: 'text/plain', text: 'text' in block ? block.text : '' };
}

/** `prompts/get`. */
export function toPromptResult({ content, structuredContent, _meta }: ToolResult): JsonObject {
  const description = isRecord(structuredContent) ? structuredContent['description'] : undefined;
  return {
    ...(typeof description === 'string' && { description }),
    messages: content.map(({ role = 'user', ...block }) => ({ role, content: toJson(block.type === 'error' ? { ...block, type: 'text' } : block) })),
    ...metaOf(_meta),
  };
}

/** `completion/complete`. */
export function toCompleteResult({ structuredContent, _meta }: ToolResult): JsonObject {
  const completion = isRecord(structuredContent) ? structuredContent : {};
  const { values, total, hasMore } = completion;
  return {
    completion: {
      values: Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : [],
      ...(typeof total === 'number' && { total }),
      ...(typeof hasMore === 'boolean' && { hasMore }),
    },
    ...metaOf(_meta),
  };
}

function metaOf(meta: JsonObject | undefined): { readonly _meta?: JsonObject } {
  return meta === undefined ? {} : { _meta: meta };
}

/** What the gate has cleaned is plain data; only its types say more. */
function toJson(value: object): JsonObject {
  const members: readonly (readonly [string, Json | undefined])[] = Object.entries(value);
  return Object.fromEntries(members.filter((member): member is readonly [string, Json] => member[1] !== undefined));
}
