import { DevsError } from '../errors.ts';
import { isRecord, ownValue, type Json, type JsonObject } from '../json.ts';
import { copyForeign, findHidden } from '../validation/foreign-json.ts';
import { isRefused } from '../validation/plain-copy.ts';

/** What a server lists beside its tools. */
export type ListingKind = 'prompt' | 'resource' | 'template';

const MAX_NAME_CHARACTERS = 512;
const MOST_ARGUMENTS = 100;

/** Members by kind; what else a server says of a listing is left out. */
const TEXTS: Readonly<Record<ListingKind, readonly string[]>> = {
  prompt: ['name', 'title', 'description'],
  resource: ['uri', 'name', 'title', 'description', 'mimeType'],
  template: ['uriTemplate', 'name', 'title', 'description', 'mimeType'],
};
const NEEDED: Readonly<Record<ListingKind, readonly string[]>> = {
  prompt: ['name'],
  resource: ['uri', 'name'],
  template: ['uriTemplate', 'name'],
};

/**
 * A prompt, a resource or a template as a server behind devs lists it, copied: plain, of honest size, each member of the kind
 * that MCP gives it, and nothing in it hidden from the person who reads it. Throws `TOOL_SCHEMA_REFUSED`.
 */
export function parseForeignListing(kind: ListingKind, raw: unknown): JsonObject {
  const copied = copyForeign(raw);
  if (isRefused(copied)) throw listingRefused(kind, `it ${copied.refusal.problem}`);
  const listing = copied.value;
  if (!isRecord(listing)) throw listingRefused(kind, 'it is not an object');
  const texts = TEXTS[kind].flatMap((key) => toText(kind, listing, key));
  const listed: JsonObject = {
    ...Object.fromEntries(texts),
    ...(kind === 'prompt' ? toArguments(listing) : toSize(kind, listing)),
    ...toMember(kind, listing, 'annotations'),
    ...toIcons(kind, listing),
    ...toMember(kind, listing, '_meta'),
  };
  for (const [member, value] of Object.entries(listed)) {
    const hidden = findHidden(value);
    if (hidden !== undefined) throw listingRefused(kind, `its ${member} holds the hidden character ${hidden}`);
  }
  return listed;
}

export function listingRefused(kind: ListingKind, problem: string): DevsError {
  return new DevsError('TOOL_SCHEMA_REFUSED', { sentence: `The ${kind} cannot be used: ${problem}.` });
}

function toText(kind: ListingKind, listing: unknown, key: string): readonly (readonly [string, string])[] {
  const text = ownValue(listing, key);
  const isNeeded = NEEDED[kind].includes(key);
  if (text === undefined && !isNeeded) return [];
  if (typeof text !== 'string') throw listingRefused(kind, `its ${key} is not a text`);
  // By these it is asked for: one that is empty, or that nobody could quote, is none.
  if (isNeeded && key === 'name' && (text === '' || text.length > MAX_NAME_CHARACTERS)) throw listingRefused(kind, 'its name is not 1 to 512 characters');
  return [[key, text]];
}

function toArguments(listing: unknown): JsonObject {
  const list = ownValue(listing, 'arguments');
  if (list === undefined) return {};
  if (!Array.isArray(list) || list.length > MOST_ARGUMENTS) throw listingRefused('prompt', 'its arguments are not a list of at most 100');
  return { arguments: list.map(toArgument) };
}

function toArgument(argument: unknown): JsonObject {
  const name = ownValue(argument, 'name');
  const required = ownValue(argument, 'required');
  if (typeof name !== 'string' || name === '' || name === '__proto__') throw listingRefused('prompt', 'it has an argument without a name');
  return {
    name,
    ...Object.fromEntries(['title', 'description'].flatMap((key) => toText('prompt', argument, key))),
    ...(typeof required === 'boolean' && { required }),
  };
}

function toSize(kind: ListingKind, listing: unknown): JsonObject {
  const size = ownValue(listing, 'size');
  return kind === 'resource' && typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? { size } : {};
}

function toMember(kind: ListingKind, listing: unknown, key: 'annotations' | '_meta'): JsonObject {
  const value = ownValue(listing, key);
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw listingRefused(kind, `its ${key} is not an object`);
  return { [key]: value };
}

function toIcons(kind: ListingKind, listing: unknown): JsonObject {
  const icons = ownValue(listing, 'icons');
  if (icons === undefined) return {};
  if (!isList(icons)) throw listingRefused(kind, 'its icons are not a list');
  return { icons };
}

/** Of a copy that was made of plain data alone. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}
