import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject, type ToolDefinition } from '@devs/core';

/** Of a definition what a model reads or a call is held to: all that a rug pull could change. */
export function toPinned({ name, title, description, inputSchema, outputSchema, annotations }: ToolDefinition): JsonObject {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  };
}

/** SHA-256 of the canonical JSON, hexadecimal. */
export function digestOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
