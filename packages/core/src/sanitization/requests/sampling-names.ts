import { isRecord, type Json, type JsonObject } from '../../json.ts';

const PART = '__';

/** The name of a tool that a server offers to the client's model, as the client sees it: behind the name of the server. */
export function toSamplingToolName(server: string, ownName: string): string {
  return `${server}${PART}${ownName}`;
}

/**
 * Answers of a client as the server that asked may read them: what the client's model has called is called by the
 * server's own names again.
 */
export function toOwnToolNames(server: string, responses: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(responses).map(([key, response]) => [key, toOwnNames(server, response)]));
}

function toOwnNames(server: string, response: Json): Json {
  if (!isObject(response) || response['content'] === undefined) return response;
  const { content } = response;
  return { ...response, content: isList(content) ? content.map((block) => toOwnBlock(server, block)) : toOwnBlock(server, content) };
}

function toOwnBlock(server: string, block: Json): Json {
  if (!isObject(block) || block['type'] !== 'tool_use' || typeof block['name'] !== 'string') return block;
  const prefix = toSamplingToolName(server, '');
  return block['name'].startsWith(prefix) ? { ...block, name: block['name'].slice(prefix.length) } : block;
}

function isObject(value: Json): value is JsonObject {
  return isRecord(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
