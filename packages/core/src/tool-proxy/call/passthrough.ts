import { Buffer } from 'node:buffer';
import { DevsError } from '../../errors.ts';
import { isRecord, type Json, type JsonObject } from '../../json.ts';
import { isProtocolKey } from '../../sanitization/results/meta-keys.ts';
import type { Continuation } from '../../tool-registry/upstream-call.ts';
import { copyPlain, isRefused } from '../../validation/plain-copy.ts';
import type { ToolCallRequest } from './types.ts';

/** A model's answer may hold a picture. */
const MAX_RESPONSES_BYTES = 8_388_608;
const MOST_RESPONSES = 64;
const KEY = /^[A-Za-z0-9_.-]{1,128}$/;
const MAX_META_BYTES = 65_536;
/** MCP 2026-07-28: how loud a server shall be. The one word of the protocol's that is for it, and not for who passes it on. */
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

/** Of a request what narrows what it reaches, and what only a server behind devs has a use for: checked. */
export type Passthrough = Pick<ToolCallRequest, 'admits' | 'session' | 'continuation' | 'meta' | 'onNotice' | 'wantsProgress'>;

export interface ReadPassthrough {
  readonly passthrough: Passthrough;
  /** Why the call cannot be made. */
  readonly passthroughRefused: DevsError | undefined;
  /** What the client has answered, for the log: of a call that is refused for it, as it came. */
  readonly inputResponses: unknown;
}

type Parts = { readonly [Key in Exclude<keyof Passthrough, 'admits'>]?: unknown } & { readonly admits?: Passthrough['admits'] | undefined };

/** Copies what is the client's: a server is handed what was checked and logged, and no getter answers twice. */
export function toPassthrough({ admits, session, continuation, meta, onNotice, wantsProgress }: Parts): ReadPassthrough {
  const kept = {
    // What is no function is called all the same, and refuses the call: left out, it would admit all.
    ...(admits !== undefined && { admits }),
    ...(typeof session === 'object' && session !== null && { session }),
    ...(isListener(onNotice) && { onNotice }),
    ...(wantsProgress === false && { wantsProgress }),
  };
  try {
    const answered = continuation === undefined ? {} : { continuation: toContinuation(continuation) };
    const said = meta === undefined ? {} : toMeta(meta);
    return { passthrough: { ...kept, ...answered, ...said }, passthroughRefused: undefined, inputResponses: answered.continuation?.inputResponses };
  } catch (cause) {
    const passthroughRefused = DevsError.is(cause) ? cause : refused('the continuation', 'cannot be read');
    return { passthrough: kept, passthroughRefused, inputResponses: responsesOf(continuation) };
  }
}

function isListener(value: unknown): value is NonNullable<Passthrough['onNotice']> {
  return typeof value === 'function';
}

function toContinuation(continuation: unknown): Continuation {
  if (!isRecord(continuation)) throw refused('the continuation', 'is not an object');
  const { inputResponses: raw, state } = continuation;
  const inputResponses = toObject(raw, 'inputResponses', MAX_RESPONSES_BYTES);
  const keys = Object.keys(inputResponses);
  if (keys.length > MOST_RESPONSES) throw refused('inputResponses', `holds more than ${String(MOST_RESPONSES)} answers`);
  if (!keys.every((key) => KEY.test(key))) throw refused('inputResponses', 'holds an answer under a name that no question can have');
  if (state !== undefined && typeof state !== 'string') throw refused('the state', 'is not a text');
  return { inputResponses, state };
}

function toMeta(raw: unknown): { readonly meta?: JsonObject } {
  const meta = Object.fromEntries(Object.entries(toObject(raw, '_meta', MAX_META_BYTES)).filter(([key]) => key === LOG_LEVEL || !isProtocolKey(key)));
  return Object.keys(meta).length === 0 ? {} : { meta };
}

function toObject(raw: unknown, what: string, maxBytes: number): JsonObject {
  const copied = copyPlain(raw);
  if (isRefused(copied)) throw refused(what, copied.refusal.problem);
  const { value } = copied;
  if (!isObject(value)) throw refused(what, 'is not an object');
  if (Buffer.byteLength(JSON.stringify(value), 'utf8') > maxBytes) throw refused(what, `is longer than ${String(maxBytes)} bytes of JSON`);
  return value;
}

function isObject(value: Json): value is JsonObject {
  return isRecord(value);
}

function refused(what: string, problem: string): DevsError {
  return new DevsError('MESSAGE_REFUSED', { sentence: `The message that carries the call cannot be accepted: ${what} ${problem}.` });
}

function responsesOf(continuation: unknown): unknown {
  try {
    return isRecord(continuation) ? continuation['inputResponses'] : undefined;
  } catch {
    return undefined;
  }
}
