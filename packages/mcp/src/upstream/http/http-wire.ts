import type { IncomingMessage } from 'node:http';
import { DevsError, isRecord, type JsonObject } from '@devs/core';
import { CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { MODERN_VERSIONS } from '../../raw/connection-era.ts';
import { MessageBuffer, type Content } from '../../raw/message-buffer.ts';
import { SessionGone } from '../protocol/live-upstream.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { Timers } from '../protocol/timers.ts';
import type { Wire, WireListener, WireRequest } from '../protocol/wire.ts';
import { EventStreams } from './event-streams.ts';
import type { HttpClient } from './http-client.ts';
import { toRefusal } from './http-refusal.ts';
import { encodeHeader } from './param-headers.ts';

export interface HttpWireOptions {
  readonly client: HttpClient;
  /** The operator's. Never told to anybody but the server. */
  readonly headers: Readonly<Record<string, string>>;
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  readonly timers: Timers;
}

interface OpenRequest {
  readonly stop: AbortController;
  isAnswered: boolean;
}

/** Of a refusal, so much is read to find out what it says. */
const MOST_REFUSAL_BYTES = 65_536;
/** Answers and notifications that are on their way at once; a server that asks and never reads must not fill the memory. */
const MOST_SENDING = 64;
/** Milliseconds a server gets to take one of them, and to end a session. */
const SEND_MS = 10_000;
const DELETE_MS = 2_000;
/** And to end a stream after its answer. */
const STREAM_END_MS = 1_000;
/** By method, the parameter that the header `Mcp-Name` repeats. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** MCP over Streamable HTTP: each request is a POST of its own, whose answer is JSON or a stream of events. */
export class HttpWire implements Wire {
  readonly closed: Promise<void>;
  readonly #options: HttpWireOptions;
  readonly #listener: WireListener;
  readonly #streams: EventStreams;
  readonly #open = new Map<number, OpenRequest>();
  readonly #end = new AbortController();
  readonly #close: () => void;
  #version: string | undefined;
  #session: string | undefined;
  /** Set while the server is told that the handshake is over: what comes after must not overtake it. */
  #greeting: Promise<void> | undefined;
  #sending = 0;

  constructor(options: HttpWireOptions, listener: WireListener) {
    this.#options = options;
    this.#listener = listener;
    const { client, timers, maxMessageBytes } = options;
    this.#streams = new EventStreams({
      client,
      timers,
      maxMessageBytes,
      headers: () => this.#headers({ accept: 'text/event-stream' }),
      onContent: (content, about) => this.#read(content, about),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#close = resolve;
  }

  request(request: WireRequest): void {
    const open: OpenRequest = { stop: new AbortController(), isAnswered: false };
    this.#open.set(request.id, open);
    void this.#ask(request, open)
      .catch((cause: unknown) => this.#fail(request.id, cause))
      .finally(() => this.#open.delete(request.id));
  }

  send(message: JsonObject): void {
    // The newer protocol has nothing of the kind: a stream that is closed says it all.
    if (this.#isModern) return;
    if (this.#sending >= MOST_SENDING) return this.#listener.onViolation('more to be answered than it takes');
    this.#sending += 1;
    const sent = this.#sendOn(message).finally(() => {
      this.#sending -= 1;
    });
    if (message['method'] !== 'notifications/initialized') return;
    this.#greeting = sent.then(() => {
      this.#greeting = undefined;
      void this.#streams.listen(this.#end.signal);
    });
  }

  abandon(requestId: number, isTold: boolean): void {
    this.#open.get(requestId)?.stop.abort();
    if (isTold) this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'Nobody waits for the answer any more.' } });
  }

  answered(id: number): void {
    const open = this.#open.get(id);
    if (open !== undefined) open.isAnswered = true;
  }

  agreedOn(protocolVersion: string): void {
    this.#version = protocolVersion;
  }

  async end(): Promise<void> {
    if (this.#end.signal.aborted) return this.closed;
    this.#end.abort();
    for (const { stop } of this.#open.values()) stop.abort();
    if (this.#session !== undefined) await this.#deleteSession();
    this.#options.client.close();
    this.#close();
  }

  get #isModern(): boolean {
    return this.#version !== undefined && MODERN_VERSIONS.includes(this.#version);
  }

  async #ask({ id, method, params, headers = {} }: WireRequest, open: OpenRequest): Promise<void> {
    if (this.#greeting !== undefined) await this.#greeting;
    const { client, timers } = this.#options;
    const { signal } = open.stop;
    const added = { ...headers, ...bodyHeaders(method, params) };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const answer = await client.send({ method: 'POST', headers: this.#headers(added), body, signal });
    if (method === 'initialize') this.#session = readSession(answer);
    if (!isSuccess(answer)) return this.#readRefusal(answer, id);
    if (isEncoded(answer)) throw refused('an answer that is compressed');
    const type = answer.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (type === 'text/event-stream') {
      void this.#endAfterAnswer(answer, open, timers);
      return this.#streams.follow(answer, { about: id, signal, isResumed: !this.#isModern && added[VERSION] === undefined, isDone: () => open.isAnswered });
    }
    if (type !== 'application/json') throw refused('an answer of a kind that MCP does not know');
    this.#read(await readBody(answer, this.#options.maxMessageBytes), id);
    throw refused('an answer to something else');
  }

  /** A server may leave a stream open when all is said. It must not be held for that. */
  async #endAfterAnswer(answer: IncomingMessage, open: OpenRequest, timers: Timers): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    answer.once('close', resolve);
    while (!open.isAnswered && !answer.closed) {
      const stop = new AbortController();
      await Promise.race([promise, timers.sleep(STREAM_END_MS, stop.signal)]);
      stop.abort();
    }
    if (!answer.closed) await timers.sleep(STREAM_END_MS, open.stop.signal);
    if (!answer.closed && !answer.readableEnded) open.stop.abort();
  }

  async #readRefusal(answer: IncomingMessage, id: number): Promise<void> {
    const status = answer.statusCode ?? 0;
    const content = await readBody(answer, MOST_REFUSAL_BYTES);
    if (status === 404 && this.#session !== undefined) {
      const sentence = 'The server of this tool has ended the session; devs begins another one.';
      throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence, cause: new SessionGone('HTTP 404') });
    }
    const isOurs = [401, 403, 429, 503].includes(status) || status < 400;
    const bytes = isOurs || content.kind === 'oversized' ? undefined : content.bytes;
    const message = bytes === undefined ? undefined : parseMessage(bytes);
    // A refusal is often given under no id, since the request was not looked at.
    if (isRecord(message) && isRecord(message['error']) && (message['id'] === id || message['id'] === null || message['id'] === undefined)) {
      return this.#listener.onMessage({ ...message, id }, { about: id, bytes: bytes?.length ?? 0 });
    }
    throw toRefusal(answer, Date.now());
  }

  #read(content: Content, about: number | undefined): void {
    if (content.kind === 'oversized') {
      this.#listener.onOversized(content.peek, content.problem);
      // Its id may have come too late to be seen.
      if (about !== undefined && content.peek.id === undefined) this.#listener.onFailure(about, refused(`a message that ${content.problem}`));
      return;
    }
    const message = parseMessage(content.bytes);
    if (message === undefined) return this.#listener.onViolation('a message that is no JSON');
    const { length } = content.bytes;
    // Revision 2025-03-26 had batches.
    for (const each of Array.isArray(message) ? message : [message]) this.#listener.onMessage(each, { about, bytes: length });
  }

  #fail(id: number, cause: unknown): void {
    const failure = DevsError.is(cause) ? cause : new DevsError('UPSTREAM_LOST', { cause });
    this.#listener.onFailure(id, failure);
  }

  async #sendOn(message: JsonObject): Promise<void> {
    const { client, timers } = this.#options;
    const late = new AbortController();
    const done = new AbortController();
    void timers.sleep(SEND_MS, done.signal).then(() => late.abort());
    const signal = AbortSignal.any([late.signal, this.#end.signal]);
    try {
      const answer = await client.send({ method: 'POST', headers: this.#headers({}), body: JSON.stringify(message), signal });
      await readBody(answer, MOST_REFUSAL_BYTES);
      if (!isSuccess(answer)) this.#listener.onViolation('a refusal of what it asked for, or must be told');
    } catch {
      this.#listener.onViolation('no answer to what it must be told');
    } finally {
      done.abort();
    }
  }

  async #deleteSession(): Promise<void> {
    const { client, timers } = this.#options;
    const late = new AbortController();
    const done = new AbortController();
    void timers.sleep(DELETE_MS, done.signal).then(() => late.abort());
    await client
      .send({ method: 'DELETE', headers: this.#headers({}), signal: late.signal })
      .then(async (answer) => readBody(answer, MOST_REFUSAL_BYTES))
      .catch(() => undefined);
    done.abort();
  }

  #headers(added: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return {
      ...this.#options.headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(this.#version !== undefined && { [VERSION]: this.#version }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...added,
    };
  }
}

const VERSION = 'mcp-protocol-version';

/** What the newer protocol repeats of a request, for those who stand between and read no bodies. */
function bodyHeaders(method: string, params: JsonObject): Readonly<Record<string, string>> {
  const meta = params['_meta'];
  const version = isRecord(meta) && isRecord(meta[CLIENT_CAPABILITIES_META_KEY]) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
  if (typeof version !== 'string') return {};
  const name = params[NAMES.get(method) ?? ''];
  return { [VERSION]: version, 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }) };
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Nobody has asked for it, and what unfolds would not be bounded. */
function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== 'identity';
}

/** It goes back in a header. */
function readSession({ headers }: IncomingMessage): string | undefined {
  const session = headers['mcp-session-id'];
  return typeof session === 'string' && /^[\u0021-\u007e]{1,1024}$/.test(session) ? session : undefined;
}

async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Content> {
  const buffer = new MessageBuffer(maxBytes);
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    buffer.push(chunk);
    if (buffer.isTooLarge) break;
  }
  return buffer.take();
}

function refused(problem: string): DevsError {
  return new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error(problem) });
}
