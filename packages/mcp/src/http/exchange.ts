import type { IncomingMessage, ServerResponse } from 'node:http';
import { DevsError, describeCause, isRecord, ownValue } from '@devs/core';
import { CLIENT_CAPABILITIES_META_KEY, classifyInboundRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { Connection } from '../protocol/connection.ts';
import { Arrivals } from '../raw/arrivals.ts';
import { MODERN_VERSIONS } from '../raw/connection-era.ts';
import type { Oversized } from '../raw/message-buffer.ts';
import { readMessage, type Objection, type RawRequest, type Reading, type RequestId, type Unreadable } from '../raw/read-message.ts';
import { answeredBySdk, tooLarge, toCallRefusal, toSubstitute } from '../raw/substitute.ts';
import { sendAnswer } from './answer.ts';
import type { ExchangeContext, Handed, Incoming } from './exchange-context.ts';
import type { ResponseWriterOptions } from './response-writer.ts';
import { objectionToParameters } from './param-headers.ts';
import { refuse, refuseAndClose, STOPPING, tooLargeToRead, tooMany, type Refusal } from './refusal.ts';
import { SessionExchange } from './session-exchange.ts';
import type { Share } from './share.ts';

type Message = Exclude<Reading, Unreadable>;

const TOO_MANY_VALUES = tooMany('The values in the messages of other requests fill the room that devs has for them.');
/** The SDK wants a URL. The client's own words are not used for it. */
const URL_OF_SDK = 'http://localhost/mcp';
/** Made once: each exchange ends so, and a reason of its own is an error with a stack. */
const GONE = new DOMException('The connection is closed.', 'AbortError');

/**
 * One message and its answer, from the whole body on. Stands between the bytes and the SDK, which loses
 * own `__proto__` keys and answers some calls by itself: every call whose body was read is in the log.
 */
export class Exchange {
  readonly #context: ExchangeContext;
  readonly #incoming: Incoming;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #writer: ResponseWriterOptions;
  readonly #gone = new AbortController();
  /** True for a stream that stays open for as long as the client likes. */
  isSubscription = false;

  constructor(context: ExchangeContext, incoming: Incoming) {
    const { request, response, principal } = incoming;
    this.#context = context;
    this.#writer = context.writerOf(principal);
    this.#incoming = incoming;
    this.#request = request;
    this.#response = response;
    response.once('close', () => this.#gone.abort(GONE));
    if (response.destroyed) this.#gone.abort(GONE);
    // Whose token is revoked is served no further, whatever is under way.
    principal.ended.addEventListener('abort', () => response.destroy(), { once: true, signal: this.#gone.signal });
  }

  /** Its connection was gone before its turn came. */
  abandon(): void {
    this.#gone.abort(GONE);
  }

  /** A request without a body: it listens to a session, or ends one. */
  async serveSession(): Promise<void> {
    const exchange = new SessionExchange(this.#context, this.#incoming);
    if (this.#request.method === 'DELETE') return exchange.end();
    this.isSubscription = true;
    return exchange.listen();
  }

  /** @param values grows with the values of the message, for as long as they are held */
  async serve(bytes: Buffer, values: Share): Promise<void> {
    const reading = readMessage(bytes);
    if (reading.kind === 'unreadable') return this.#turnAway(reading);
    if (reading.kind !== 'request') return this.#serveMessage(reading, { message: reading.value, refusal: undefined, bytes: bytes.length });
    const { request, flaw } = reading;
    if (!values.resize(reading.values)) return this.#refuseRequest(request, { ...TOO_MANY_VALUES, id: request.id });
    const refusal = flaw === undefined ? undefined : toCallRefusal(flaw);
    const message = refusal === undefined ? reading.value : toSubstitute(request, this.#envelope());
    return this.#serveMessage(reading, { message, refusal, bytes: bytes.length });
  }

  /** Answers a message that was not read to its end, once the call that it was is in the log. */
  async refuseOversized({ problem, peek }: Oversized): Promise<void> {
    const { id, method, toolName } = peek;
    this.#report(`a message that ${problem}`);
    if (method === 'tools/call') await this.#record({ name: toolName }, tooLarge(problem));
    const { lingerMs } = this.#context.limits;
    await refuseAndClose(this.#request, this.#response, { ...tooLargeToRead(problem, id), writer: this.#writer, lingerMs });
  }

  async #serveMessage(reading: Message, handed: Handed): Promise<void> {
    if (!this.#isLegacy(handed.message)) return this.#serveModern(reading, handed);
    const exchange = new SessionExchange(this.#context, this.#incoming);
    const refusal = await exchange.serve(reading, handed);
    if (refusal === undefined) return undefined;
    return reading.kind === 'request' ? this.#refuseRequest(reading.request, { id: reading.request.id, ...refusal }) : this.#refuse(refusal);
  }

  /** By the SDK's own judgement, which decides for its handler too. */
  #isLegacy(body: object): boolean {
    return this.#classify(body).kind === 'legacy';
  }

  #classify(body: object): ReturnType<typeof classifyInboundRequest> {
    const { headers } = this.#request;
    const textOf = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
    const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map(textOf);
    return classifyInboundRequest({
      httpMethod: 'POST',
      body,
      ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
      ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
      ...(mcpNameHeader !== undefined && { mcpNameHeader }),
    });
  }

  async #serveModern(reading: Message, handed: Handed): Promise<void> {
    const arrivals = new Arrivals();
    const { principal } = this.#incoming;
    const ready = async () => this.#writer.unread.untilTaken(this.#gone.signal);
    const { allows, serves, interactive } = principal.scope;
    const connection: Connection = { origin: principal.origin, allows, serves, interactive, key: principal, idleMs: this.#context.limits.sessionIdleMs, outside: this.#context.handlers.outsideOf(principal), arrivals, ready };
    if (reading.kind !== 'request') return this.#handOn(handed.message, { id: null, arrivals, connection });
    const { id, method, params } = reading.request;
    const objection = this.#objectionToHeaders(reading.request, connection);
    if (objection !== undefined) return this.#refuseRequest(reading.request, { status: 400, error: objection, id });
    this.isSubscription = method === 'subscriptions/listen';
    arrivals.add(id, { method, params, bytes: handed.bytes, refusal: handed.refusal });
    await this.#handOn(handed.message, { id, arrivals, connection });
  }

  #objectionToHeaders({ method, params }: RawRequest, connection: Connection): Objection | undefined {
    const name = ownValue(params, 'name');
    const version = this.#request.headers['mcp-protocol-version'];
    // A version that is not served has its own answer, by the SDK.
    if (method !== 'tools/call' || typeof name !== 'string' || !MODERN_VERSIONS.includes(String(version))) return undefined;
    const inputSchema = this.#context.schemaOf(name, connection);
    return objectionToParameters({ inputSchema, args: ownValue(params, 'arguments'), headers: this.#request.headers });
  }

  async #handOn(parsedBody: object, { id, arrivals, connection }: Handing): Promise<void> {
    const { handlers } = this.#context;
    const beforeBody = async (body: Buffer | undefined) => this.#recordUnseen(id, { arrivals, body });
    try {
      const request = new Request(URL_OF_SDK, { method: 'POST', headers: this.#headers(), signal: this.#gone.signal });
      await using _watched = this.isSubscription ? this.#context.server.watchStream(ownValue(parsedBody, 'params'), connection) : undefined;
      const answer = await handlers.serve(request, { principal: this.#incoming.principal, connection, parsedBody });
      await sendAnswer(answer, this.#response, { ...this.#writer, beforeBody });
    } catch (cause) {
      // The SDK answers what goes wrong within it: it throws when it is closed, or when the client is gone.
      this.#context.logger.warn('MCP_TRANSPORT_ERROR', { error: describeCause(cause).slice(0, 500) });
      await beforeBody(undefined);
      if (this.#response.headersSent) this.#response.destroy();
      else await this.#refuse({ ...(DevsError.is(cause) && cause.code === 'TOO_MANY_CALLS' ? tooMany(cause.sentence) : STOPPING), id });
    }
  }

  async #refuseRequest({ method, params }: RawRequest, refusal: Refusal): Promise<void> {
    if (method === 'tools/call') await this.#record(params, toDevsError(refusal.error));
    await this.#refuse(refusal);
  }

  async #turnAway({ objection, id, calls, others }: Unreadable): Promise<void> {
    this.#report(objection.message);
    await Promise.all(calls.map(async (params) => this.#record(params, toDevsError(objection))));
    // One answer, to none of the requests of a batch more than to another.
    await this.#refuse({ status: 400, error: objection, id: others.length > 0 ? null : id });
  }

  /** The SDK turned a call away before the gate could see it: it is recorded before it is answered. */
  async #recordUnseen(id: RequestId | null, { arrivals, body }: { readonly arrivals: Arrivals; readonly body: Buffer | undefined }): Promise<void> {
    const unseen = id === null ? undefined : arrivals.end(id);
    if (unseen === undefined) return;
    await this.#record(unseen.params, unseen.refusal ?? answeredBySdk(reasonIn(body)));
  }

  async #refuse(refusal: Refusal): Promise<void> {
    await refuse(this.#response, refusal, this.#writer);
  }

  async #record(params: unknown, refusal: DevsError): Promise<void> {
    const { principal } = this.#incoming;
    await this.#context.server.recordRefusal(params, refusal, { origin: principal.origin, key: principal, idleMs: this.#context.limits.sessionIdleMs });
  }

  /** What a refused message is taken to say of its protocol when its own `_meta` cannot be used. */
  #envelope(): object {
    const version = this.#request.headers['mcp-protocol-version'];
    if (typeof version !== 'string' || !MODERN_VERSIONS.includes(version)) return {};
    return { [PROTOCOL_VERSION_META_KEY]: version, [CLIENT_CAPABILITIES_META_KEY]: {} };
  }

  #headers(): Headers {
    const headers = new Headers();
    for (const [name, values] of Object.entries(this.#request.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value);
    }
    // The token has done its work at admission; no handler has a use for it.
    headers.delete('authorization');
    return headers;
  }

  #report(problem: string): void {
    this.#context.logger.warn('MCP_MESSAGE_REFUSED', { problem });
  }
}

interface Handing {
  readonly id: RequestId | null;
  readonly arrivals: Arrivals;
  readonly connection: Connection;
}

function toDevsError({ message }: Objection): DevsError {
  return new DevsError('MESSAGE_REFUSED', { sentence: message });
}

/** The reason in the SDK's answer. */
function reasonIn(body: Buffer | undefined): string {
  try {
    const answer: unknown = JSON.parse(body?.toString() ?? '');
    const error = isRecord(answer) && isRecord(answer['error']) ? answer['error'] : {};
    if (typeof error['message'] === 'string') return error['message'];
  } catch {
    // Told below.
  }
  return 'answered by the protocol layer';
}
