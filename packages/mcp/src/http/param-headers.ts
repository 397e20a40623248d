import type { IncomingHttpHeaders } from 'node:http';
import { isRecord, ownValue } from '@devs/core';
import type { Objection } from '../raw/read-message.ts';

/** MCP 2026-07-28. */
const HEADER_MISMATCH = -32_020;
/** RFC 9110. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const [BEGIN, END] = ['=?base64?', '?='];
/** Levels of properties that are looked at; the arguments of a call may have no more. */
const MAX_DEPTH = 32;

interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumber: boolean;
}

export interface CallHeaders {
  /** The tool's, as its definition has it. */
  readonly inputSchema: unknown;
  readonly args: unknown;
  readonly headers: IncomingHttpHeaders;
}

/**
 * What a call's `Mcp-Param-*` headers say otherwise than its arguments, by the schema's `x-mcp-header`; undefined when they
 * agree. Something before devs may have let the call through for what the headers say.
 */
export function objectionToParameters({ inputSchema, args, headers }: CallHeaders): Objection | undefined {
  for (const declaration of declarationsIn(inputSchema, [])) {
    const value = toText(declaration.path.reduce<unknown>((inner, key) => ownValue(inner, key), args));
    if (value === undefined) continue;
    const header = headers[`mcp-param-${declaration.header.toLowerCase()}`];
    const problem = problemOf(value, typeof header === 'string' ? header : undefined, declaration);
    if (problem !== undefined) return { code: HEADER_MISMATCH, message: `The header Mcp-Param-${declaration.header} ${problem}.` };
  }
  return undefined;
}

/** Along `properties` alone: elsewhere a declaration has no one argument that it could stand for. */
function declarationsIn(schema: unknown, path: readonly string[]): readonly Declaration[] {
  if (!isRecord(schema) || path.length > MAX_DEPTH) return [];
  const header = ownValue(schema, 'x-mcp-header');
  const type = ownValue(schema, 'type');
  const isDeclared = path.length > 0 && typeof header === 'string' && TOKEN.test(header);
  const properties = ownValue(schema, 'properties');
  const inner = isRecord(properties) ? Object.entries(properties).flatMap(([key, child]) => declarationsIn(child, [...path, key])) : [];
  return isDeclared ? [{ path, header, isNumber: type === 'integer' || type === 'number' }, ...inner] : inner;
}

/** Undefined for what no header can say: such an argument is the schema's to judge. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value)) ? String(value) : undefined;
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Follows the name of the header in a sentence. Quotes neither side: both are the caller's words. */
function problemOf(value: string, header: string | undefined, { isNumber }: Declaration): string | undefined {
  if (header === undefined) return 'is missing though its argument is there';
  const said = decode(header);
  if (said === undefined) return 'is no canonical Base64 of UTF-8';
  const isEqual = said === value || (isNumber && DECIMAL.test(said) && Number(said) === Number(value));
  return isEqual ? undefined : 'does not say what its argument says';
}

function decode(header: string): string | undefined {
  if (!header.startsWith(BEGIN) || !header.endsWith(END) || header.length < BEGIN.length + END.length) return header;
  const encoded = header.slice(BEGIN.length, -END.length);
  if (!BASE64.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}
