import { Buffer } from 'node:buffer';
import { isRecord, type JsonObject } from '@devs/core';
import type { RequestHeaders } from '../protocol/wire.ts';

/** A property of a tool's arguments that goes into a header, too. */
interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
}

export interface ParamHeadersOptions {
  /** The input schema of a tool that this connection has not listed itself. */
  readonly schemaOf?: (toolName: string) => unknown;
  /** Told of each tool that is left out of a list. Devs's words. */
  readonly onExcluded: (problem: string) => void;
}

const KEYWORD = 'x-mcp-header';
const PREFIX = 'mcp-param-';
/** RFC 9110, section 5.6.2. Nothing else may be the name of a header: a line feed in it would begin another one. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
const MOST_TOOLS = 10_000;
const MOST_DEPTH = 32;
/** RFC 9110, section 5.5, without blanks at the ends. */
const PLAIN = /^[\u0021-\u007e](?:[\u0009\u0020-\u007e]*[\u0021-\u007e])?$/;
const SENTINEL = /^=\?base64\?.*\?=$/;

/** Arguments that a server wants in headers, as the input schemas of its tools say (MCP 2026-07-28, HTTP). */
export class ParamHeaders implements RequestHeaders {
  readonly #options: ParamHeadersOptions;
  readonly #declared = new Map<string, readonly Declaration[]>();

  constructor(options: ParamHeadersOptions) {
    this.#options = options;
  }

  /** A list of tools without those whose declarations are invalid: they must not be called. */
  review(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const kept = tools.filter((tool: unknown) => this.#learn(tool));
    return kept.length === tools.length ? result : { ...result, tools: kept };
  }

  headersFor({ name, arguments: args }: JsonObject): Readonly<Record<string, string>> | undefined {
    if (typeof name !== 'string') return undefined;
    const declared = this.#declared.get(name) ?? findDeclarations(this.#options.schemaOf?.(name)) ?? [];
    const entries = declared.flatMap(({ path, header }): [string, string][] => {
      const value = toText(path.reduce<unknown>((node, key) => (isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined), args));
      return value === undefined ? [] : [[`${PREFIX}${header.toLowerCase()}`, encodeHeader(value)]];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }

  #learn(tool: unknown): boolean {
    if (!isRecord(tool) || typeof tool['name'] !== 'string') return true;
    const declared = findDeclarations(tool['inputSchema']);
    if (declared === undefined) {
      this.#options.onExcluded('a tool whose declaration of headers is invalid');
      return false;
    }
    if (this.#declared.size < MOST_TOOLS || this.#declared.has(tool['name'])) this.#declared.set(tool['name'], declared);
    return true;
  }
}

/** A value as it may stand in a header: what is not plain ASCII is wrapped. */
export function encodeHeader(value: string): string {
  if (PLAIN.test(value) && !SENTINEL.test(value)) return value;
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** Undefined when one of them is invalid. */
function findDeclarations(schema: unknown): readonly Declaration[] | undefined {
  const found: Declaration[] = [];
  if (!collect(schema, [], found)) return undefined;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : undefined;
}

/** Along `properties` alone; a declaration anywhere else is invalid, too. */
function collect(schema: unknown, path: readonly string[], found: Declaration[]): boolean {
  if (!isRecord(schema)) return true;
  if (path.length > MOST_DEPTH) return !hasDeclaration(schema, 0);
  if (Object.hasOwn(schema, KEYWORD)) {
    const header = schema[KEYWORD];
    const isValid = path.length > 0 && typeof header === 'string' && TOKEN.test(header) && TYPES.includes(schema['type']);
    if (!isValid) return false;
    found.push({ path, header });
  }
  const { properties, ...rest } = schema;
  // Values are no schemas.
  const { default: _default, const: _const, enum: _enum, examples: _examples, ...subschemas } = rest;
  if (Object.values(subschemas).some((member) => typeof member === 'object' && hasDeclaration(member, 0))) return false;
  if (!isRecord(properties)) return true;
  return Object.entries(properties).every(([key, child]) => collect(child, [...path, key], found));
}

function hasDeclaration(node: unknown, depth: number): boolean {
  if (typeof node !== 'object' || node === null || depth > 4 * MOST_DEPTH) return false;
  if (!Array.isArray(node) && Object.hasOwn(node, KEYWORD)) return true;
  return Object.values(node).some((child) => hasDeclaration(child, depth + 1));
}

/** What is absent, or no value of a kind that headers take, stays out. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
