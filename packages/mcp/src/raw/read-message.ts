import { isUtf8 } from 'node:buffer';
import { cutWords, isRecord } from '@devs/core';
import { isJSONRPCResponse, isSpecType } from '@modelcontextprotocol/server';
import { findChangedInteger, inspect, type Flaw, type Inspection } from './inspect.ts';

export type RequestId = string | number;

export interface RawRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
}

/** The answer to a message that is not handed on. */
export interface Objection {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Reading =
  | {
      readonly kind: 'request';
      readonly request: RawRequest;
      readonly value: object;
      readonly flaw: Flaw | undefined;
      /** How many values the message holds; with a flaw, as far as it was looked at. */
      readonly values: number;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown; readonly value: object }
  | { readonly kind: 'response'; readonly value: object }
  | Unreadable;

/** No JSON-RPC message, or one that cannot be told from another. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly objection: Objection;
  /** To answer under. `null` where the message has none that can be used. */
  readonly id: RequestId | null;
  /** What it would have called: these go to the log, though nobody runs them. */
  readonly calls: readonly unknown[];
  /** Requests of a batch, each to be answered. */
  readonly others: readonly RequestId[];
  /** False for what looks like an answer: an answer to an answer could go round for ever. */
  readonly isAnswered: boolean;
}

/** JSON-RPC 2.0. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;

/** A longer one would be held for as long as its subscription is, and said again in every answer. */
const MOST_ID_CHARACTERS = 1_024;
/** Of a batch, so many calls are recorded and so many requests answered. */
const MOST_OF_BATCH = 100;

/** Reads one message. Never throws: what is wrong with it is part of the reading. */
export function readMessage(bytes: Buffer): Reading {
  const text = bytes.toString('utf8');
  const parsed = parse(text);
  if (parsed === undefined) return unreadable({ code: PARSE_ERROR, message: 'The message is not JSON.' });
  const { value } = parsed;
  // Read again with replacements it would be another message than was sent; its id is good for the answer.
  if (!isUtf8(bytes)) return refuse(value, { code: PARSE_ERROR, message: 'The message is not valid UTF-8.' });
  if (Array.isArray(value)) return refuseBatch(value);
  if (!isRecord(value)) return unreadable({ code: INVALID_REQUEST, message: 'A message is a JSON object.' });
  return readObject(value, text);
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function readObject(value: Record<string, unknown>, text: string): Reading {
  const { jsonrpc, id, method, params } = value;
  if (jsonrpc !== '2.0') return refuse(value, invalid('"jsonrpc" must be "2.0".'));
  const isAnswer = Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
  if (method === undefined && isAnswer) return readResponse(value);
  if (typeof method !== 'string' || isAnswer) return refuse(value, invalid('A request has a "method", a string, and no "result" or "error".'));
  const inspection = inspect(value);
  const flaw = findFlaw(value, { inspection, method, text });
  if (!Object.hasOwn(value, 'id')) {
    // Nobody waits for an answer, and a call that cannot be answered is not made.
    if (flaw !== undefined || method === 'tools/call') return refuse(value, toObjection(flaw ?? NO_ID));
    return { kind: 'notification', method, params, value: toEnvelope({ method, params }) };
  }
  if (!isId(id)) return refuse(value, invalid('"id" must be a string of at most 1,024 characters or a whole number below 2^53.'));
  if (flaw !== undefined && method !== 'tools/call') return refuse(value, toObjection(flaw));
  return { kind: 'request', request: { id, method, params }, value: toEnvelope({ id, method, params }), flaw, values: inspection.values };
}

const NO_ID: Flaw = { path: ['id'], problem: 'is missing' };

/** The members that JSON-RPC knows, and no other: the SDK drops a message that has one more, without an answer. */
function toEnvelope(members: Record<string, unknown>): object {
  const known = Object.entries(members).filter(([, member]) => member !== undefined);
  return { jsonrpc: '2.0', ...Object.fromEntries(known) };
}

function readResponse(value: Record<string, unknown>): Reading {
  const { id, result, error } = value;
  const envelope = toEnvelope({ id, result, error });
  if (inspect(value).flaw !== undefined || !isId(id) || !isJSONRPCResponse(envelope)) {
    return refuse(value, invalid('A response needs the "id" of a request, a result or an error, and no key that reaches a prototype.'));
  }
  return { kind: 'response', value: envelope };
}

interface Inspected {
  readonly inspection: Inspection;
  readonly method: string;
  readonly text: string;
}

function findFlaw(value: Record<string, unknown>, { inspection, method, text }: Inspected): Flaw | undefined {
  const { flaw, hasUnsafeInteger } = inspection;
  if (flaw !== undefined) return flaw;
  const { params } = value;
  if (params !== undefined && !isRecord(params)) return { path: ['params'], problem: 'must be an object' };
  const meta = params?.['_meta'];
  if (meta !== undefined && !isRecord(meta)) return { path: ['params', '_meta'], problem: 'must be an object' };
  const progressToken = meta?.['progressToken'];
  if (progressToken !== undefined && !isId(progressToken)) {
    return { path: ['params', '_meta', 'progressToken'], problem: 'must be a string or a whole number' };
  }
  // What the SDK does not take for a request it drops: nobody would get an answer.
  if (meta !== undefined && !isSpecType.RequestMeta(meta)) {
    return { path: ['params', '_meta'], problem: 'holds a value that is not of the type that MCP gives it' };
  }
  const changed = hasUnsafeInteger && method === 'tools/call' ? findChangedInteger(text) : undefined;
  if (changed === undefined) return undefined;
  const problem = `hold the number ${changed.slice(0, 40)}, which would be changed on its way; send it as a string`;
  return { path: ['params', 'arguments'], problem };
}

function refuseBatch(batch: readonly unknown[]): Unreadable {
  const first = batch.slice(0, MOST_OF_BATCH);
  const requests = first.filter((entry) => isRecord(entry) && typeof entry['method'] === 'string').filter(isRecord);
  const [id = null, ...others] = requests.map((request) => request['id']).filter(isId);
  const isCall = (entry: unknown) => isRecord(entry) && entry['method'] === 'tools/call';
  const calls = requests.filter(isCall).map(({ params }) => params);
  // Said in one row: a batch of a million calls must neither be silent nor fill the log.
  const more = batch.slice(MOST_OF_BATCH).filter(isCall).length;
  if (more > 0) calls.push({ name: `${more} more calls of a batch` });
  return { kind: 'unreadable', objection: invalid('Batches are not served; send one message at a time.'), id, calls, others, isAnswered: true };
}

/** A message that is refused as a whole: answered under its id, where it has one that can be used. */
function refuse(value: unknown, objection: Objection): Unreadable {
  if (Array.isArray(value)) return { ...refuseBatch(value), objection };
  if (!isRecord(value)) return unreadable(objection);
  const { id, method, params } = value;
  const isAnswer = method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));
  const calls = method === 'tools/call' ? [params] : [];
  return { kind: 'unreadable', objection, id: isId(id) ? id : null, calls, others: [], isAnswered: !isAnswer };
}

function unreadable(objection: Objection): Unreadable {
  return { kind: 'unreadable', objection, id: null, calls: [], others: [], isAnswered: true };
}

export function toObjection(flaw: Flaw): Objection {
  const isInParams = flaw.path[0] === 'params';
  return { code: isInParams ? INVALID_PARAMS : INVALID_REQUEST, message: describeFlaw(flaw) };
}

/** One sentence; the keys are the sender's, so they are quoted and capped. */
export function describeFlaw({ path, problem }: Flaw): string {
  const pointer = path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return `${JSON.stringify(cutWords(pointer, 200))} ${problem}.`;
}

function invalid(message: string): Objection {
  return { code: INVALID_REQUEST, message };
}

export function isId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= MOST_ID_CHARACTERS : Number.isSafeInteger(id);
}
