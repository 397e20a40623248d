import { Buffer } from 'node:buffer';
import { isRecord, type Json, type JsonObject } from '../../json.ts';
import { copyForeign } from '../../validation/foreign-json.ts';
import { isRefused } from '../../validation/plain-copy.ts';
import { cleanJson, type CleanString } from '../json/clean-json.ts';
import type { Tally } from '../pipeline/tally.ts';
import { isHostKey, isProtocolKey } from './meta-keys.ts';

/** Bytes of all `_meta` of one result or listing together, once they are cleaned; and units of what is looked at. */
const MOST_BYTES = 65_536;
const MOST_RAW_UNITS = 262_144;

export interface MetaCleaning {
  readonly word: CleanString;
  /** Cleans JSON whose strings are clean, for what stands in several of them. Absent: it is no more than its strings. */
  readonly structured?: (json: string) => string;
  readonly tally: Tally;
}

/**
 * Cleans `_meta` of others: plain data, every text and name of it cleaned, without the keys under which only the protocol,
 * devs or a host may speak (ADR 0038). What cannot be cleaned, or is too large, is left out; the rest of the answer is not.
 * Made for one result: all its blocks share one budget.
 */
export class MetaCleaner {
  readonly #cleaning: MetaCleaning;
  #mostBytes: number;
  #rawLeft = MOST_RAW_UNITS;
  /** Bytes of JSON that were let through. */
  bytes = 0;

  constructor(cleaning: MetaCleaning, maxBytes = MOST_BYTES) {
    this.#cleaning = cleaning;
    this.#mostBytes = Math.min(MOST_BYTES, maxBytes);
  }

  /** Of all that may go out, no more than so many bytes are left. */
  keepWithin(bytes: number): void {
    this.#mostBytes = Math.min(this.#mostBytes, bytes);
  }

  clean(meta: unknown): JsonObject {
    const copied = meta === undefined ? undefined : copyForeign(meta);
    if (copied === undefined) return {};
    const cleaned = isRefused(copied) || !isObject(copied.value) ? undefined : this.#cleanMembers(ownMembers(copied.value));
    if (cleaned !== undefined) return cleaned;
    this.#cleaning.tally.add('content', 'meta-left-out');
    return {};
  }

  #cleanMembers(members: JsonObject): JsonObject | undefined {
    if (Object.keys(members).length === 0) return {};
    this.#rawLeft -= JSON.stringify(members).length;
    if (this.#rawLeft < 0) return undefined;
    const cleaned = this.#cleanObject(members);
    if (cleaned === undefined) return undefined;
    // Once more: what hid in a name, `de\u200bvs/receipt`, is not there any more.
    const told = ownMembers(cleaned);
    const bytes = Object.keys(told).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(told), 'utf8');
    if (this.bytes + bytes > this.#mostBytes) return undefined;
    this.bytes += bytes;
    return told;
  }

  #cleanObject(members: JsonObject): JsonObject | undefined {
    const { word, structured, tally } = this.#cleaning;
    try {
      const said = JSON.stringify(cleanJson(members, word, tally));
      const value = cleanJson(JSON.parse(structured?.(said) ?? said), (text) => text);
      return isObject(value) ? value : undefined;
    } catch {
      // Too deep, too much to look at, no JSON once it is cleaned as a text.
      return undefined;
    }
  }
}

/** W3C Trace Context, level 1. */
const TRACE_PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

function ownMembers(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key, value]) => !isProtocolKey(key) && !isHostKey(key) && isWellUsed(key, value)));
}

/** What is read by tracing must be what that reads. */
function isWellUsed(key: string, value: Json): boolean {
  return key !== 'traceparent' || (typeof value === 'string' && TRACE_PARENT.test(value));
}

function isObject(value: Json): value is JsonObject {
  return isRecord(value);
}
