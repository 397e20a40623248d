import { DevsError } from '../errors.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import { copyForeign, findHidden } from '../validation/foreign-json.ts';
import { isRefused } from '../validation/plain-copy.ts';
import type { ToolDefinition } from './types.ts';

/**
 * A tool as a server behind devs lists it, copied. Members that MCP does not know are left out. Throws
 * `TOOL_NAME_REFUSED` when it has no name, `TOOL_SCHEMA_REFUSED` when a member is not what it should be.
 */
export function parseForeignDefinition(raw: unknown): ToolDefinition {
  const copied = copyForeign(raw);
  if (isRefused(copied)) throw definitionRefused(`it ${copied.refusal.problem}`);
  const tool: unknown = copied.value;
  if (!isJsonObject(tool)) throw definitionRefused('it is not an object');
  const { name, inputSchema } = tool;
  if (typeof name !== 'string') throw new DevsError('TOOL_NAME_REFUSED', { sentence: 'A tool without a name.' });
  if (!isJsonObject(inputSchema)) throw definitionRefused('it has no inputSchema');
  return {
    name,
    inputSchema,
    ...optional(tool, 'title', isText),
    ...optional(tool, 'description', isText),
    ...optional(tool, 'outputSchema', isJsonObject),
    ...optional(tool, 'annotations', isJsonObject),
    ...optional(tool, 'icons', isList),
    ...optional(tool, 'execution', isJsonObject),
    ...optional(tool, '_meta', isJsonObject),
  };
}

/**
 * A definition of somebody else's: plain, of honest size, and nothing in it hidden from the person who
 * reads it. A description that only a model sees is an instruction (tool poisoning). Throws
 * `TOOL_SCHEMA_REFUSED`.
 */
export function checkForeignDefinition(definition: ToolDefinition): void {
  const copied = copyForeign(definition);
  if (isRefused(copied)) throw definitionRefused(`it ${copied.refusal.problem}`);
  for (const [member, value] of Object.entries(isRecord(copied.value) ? copied.value : {})) {
    const hidden = findHidden(value);
    if (hidden !== undefined) throw definitionRefused(`its ${member} holds the hidden character ${hidden}`);
  }
}

function optional<Key extends string, Value extends Json>(
  tool: JsonObject,
  key: Key,
  isKind: (value: Json) => value is Value,
): { readonly [Member in Key]?: Value } {
  const value = tool[key];
  if (value === undefined) return {};
  if (!isKind(value)) throw definitionRefused(`its ${key} is not of the kind that MCP gives it`);
  const member: { [Member in Key]?: Value } = {};
  member[key] = value;
  return member;
}

function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function definitionRefused(problem: string): DevsError {
  return new DevsError('TOOL_SCHEMA_REFUSED', { sentence: `The definition cannot be used: ${problem}.` });
}
