import { isRecord, type Json, type JsonObject } from '@devs/core';
import type { PinBook } from './pin-book.ts';
import { digestOf } from './pinned-definition.ts';
import type { Pin, ServerPins, ToolPin } from './pin-store.ts';

const VERSION = 1;

export interface WrittenBook {
  readonly book: PinBook;
  /** How often the book was written. */
  readonly generation: number;
}

/** The book as text, with a digest over all of it. */
export function writePinBook(book: PinBook, generation: number): string {
  const servers = [...book].map(([key, { tools, ...server }]) => ({ ...server, key, tools: Object.fromEntries(tools) }));
  const content = JSON.parse(JSON.stringify({ version: VERSION, generation, servers })) as JsonObject;
  return `${JSON.stringify({ sha256: digestOf(content), ...content })}\n`;
}

/**
 * Undefined for a text that is not whole, or not as it was written: a pin that was changed by hand or by a bad disk is none.
 * `newer`: a later devs wrote it, and knows what it says.
 */
export function readPinBook(text: string): WrittenBook | 'newer' | undefined {
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return undefined;
  const { sha256, ...content } = parsed as Record<string, Json>;
  const { version, generation, servers } = content;
  if (typeof version === 'number' && version > VERSION) return 'newer';
  if (version !== VERSION || typeof generation !== 'number' || !Array.isArray(servers) || sha256 !== digestOf(content)) return undefined;
  const entries = servers.map(readServer);
  const book = new Map(entries.flatMap((entry) => (entry === undefined ? [] : [entry])));
  return book.size === servers.length ? { book, generation } : undefined;
}

function readServer(server: Json): readonly [string, ServerPins] | undefined {
  if (!isRecord(server)) return undefined;
  const { key, identity, entry, tools, instructions, refused } = server;
  if (typeof key !== 'string' || !isRecord(identity) || identity['key'] !== key || typeof entry !== 'string') return undefined;
  if (!isRecord(tools) || !Array.isArray(refused)) return undefined;
  const pins = Object.entries(tools);
  if (!pins.every((pin): pin is [string, ToolPin & JsonObject] => isPin(pin[1]) && typeof (pin[1] as JsonObject)['name'] === 'string')) return undefined;
  if (instructions !== undefined && !isPin(instructions)) return undefined;
  const { key: _key, ...rest } = server;
  return [key, { ...(rest as unknown as ServerPins), tools: new Map(pins) }];
}

/** Its digest is that of its value, so that what is shown for approval is what is compared. */
function isPin(value: unknown): value is Pin<Json> {
  if (!isRecord(value) || typeof value['pinnedAt'] !== 'string' || !isHashed(value)) return false;
  const { changed } = value;
  return changed === undefined || (isRecord(changed) && isHashed(changed));
}

function isHashed({ value, digest }: Readonly<Record<string, unknown>>): boolean {
  return value !== undefined && digest === digestOf(value as Json);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
