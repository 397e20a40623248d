import { isRecord, type JsonObject, type Question } from '@devs/core';
import type { ClientCapabilities } from '@modelcontextprotocol/server';

/** What a client would have to declare to be asked this, as far as it has not. Undefined: nothing is missing. */
export function missingCapabilities({ method, params = {} }: Question, declared: JsonObject): ClientCapabilities | undefined {
  switch (method) {
    case 'roots/list':
      return declared['roots'] === undefined ? { roots: {} } : undefined;
    case 'sampling/createMessage':
      return missingOf('sampling', params['tools'] === undefined ? undefined : 'tools', declared);
    case 'elicitation/create':
      return missingOf('elicitation', params['mode'] === 'url' ? 'url' : undefined, declared);
  }
}

function missingOf(capability: 'sampling' | 'elicitation', member: 'tools' | 'url' | undefined, declared: JsonObject): ClientCapabilities | undefined {
  const value = declared[capability];
  const isThere = isRecord(value) && (member === undefined ? !isUrlOnly(capability, value) : value[member] !== undefined);
  return isThere ? undefined : { [capability]: member === undefined ? {} : { [member]: {} } };
}

/** A client that offers addresses to visit, and no forms. With neither named it offers forms (MCP 2025-11-25). */
function isUrlOnly(capability: string, value: Readonly<Record<string, unknown>>): boolean {
  return capability === 'elicitation' && value['url'] !== undefined && value['form'] === undefined;
}
