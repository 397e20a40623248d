import { isRecord } from '@devs/core';
import { isInitializeRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { INVALID_PARAMS, INVALID_REQUEST, isId, type Reading, type RequestId, type Unreadable } from '../raw/read-message.ts';
import type { ExchangeContext, Handed, Incoming } from './exchange-context.ts';
import { MessageStream } from './message-stream.ts';
import type { ResponseWriterOptions } from './response-writer.ts';
import { refusal, refuse, STOPPING, type Refusal } from './refusal.ts';
import type { Session } from './session.ts';

export const SESSION_HEADER = 'mcp-session-id';

type Message = Exclude<Reading, Unreadable>;
type Request = Extract<Reading, { readonly kind: 'request' }>;

/** The same for one that never was, one that is over, and one of somebody else. */
const UNKNOWN_SESSION = refusal(404, 'There is no such session. Send "initialize", without a session id, to begin one.');
const NO_SESSION = refusal(400, 'There is no Mcp-Session-Id header. Send "initialize" to begin a session, and the id that it is answered with in every request after it.');
const SESSIONS_TAKEN = refusal(503, 'All sessions are taken, and none of them is idle. End one by DELETE, or send the request again later.', { 'retry-after': '10' });
const NOT_LISTENING = refusal(406, 'The Accept header must name text/event-stream.');
const NOT_READING = refusal(406, 'The Accept header must name application/json and text/event-stream.');
const LISTENED_TO = refusal(409, 'The session is listened to already, and there is one such stream a session.');

const MOST_OPENING_BYTES = 131_072;

/** One HTTP request of a client of the older protocol. */
export class SessionExchange {
  readonly #context: ExchangeContext;
  readonly #incoming: Incoming;
  readonly #writer: ResponseWriterOptions;

  constructor(context: ExchangeContext, incoming: Incoming) {
    this.#context = context;
    this.#incoming = incoming;
    this.#writer = context.writerOf(incoming.principal);
  }

  /** Resolves when it is answered; with a refusal, which is then yet to be told, when it is not served. */
  async serve(reading: Message, handed: Handed): Promise<Refusal | undefined> {
    const isOpening = reading.kind === 'request' && reading.request.method === 'initialize';
    if (isOpening && this.#header(SESSION_HEADER) === undefined) return this.#open(reading, handed);
    const session = this.#find();
    if (!('principal' in session)) return session;
    if (isOpening) return invalid('The session is initialized already.');
    if (reading.kind !== 'request') return this.#take(session, reading);
    if (!this.#accepts('application/json', 'text/event-stream')) return NOT_READING;
    // Answered under the same id, the refusal would pass for the answer of the first.
    if (session.arrivals.has(reading.request.id)) return { ...invalid('A request with this "id" is not answered yet.'), id: null };
    await this.#ask(session, reading, handed);
    return undefined;
  }

  /** GET: what belongs to no request of the session goes over this answer. */
  async listen(): Promise<void> {
    const session = this.#find();
    if (!('principal' in session)) return this.#refuse(session);
    if (!this.#accepts('text/event-stream')) return this.#refuse(NOT_LISTENING);
    if (session.isListenedTo) return this.#refuse(LISTENED_TO);
    using _use = this.#context.sessions.use(session);
    const stream = this.#streamOf(session);
    session.listen(stream);
    await stream.closed;
  }

  /** DELETE: the session is over, and what is under way in it with it. */
  async end(): Promise<void> {
    const session = this.#find();
    if (!('principal' in session)) return this.#refuse(session);
    await session.close();
    this.#incoming.response.writeHead(200, { 'content-length': 0 }).end();
  }

  async #open(reading: Request, handed: Handed): Promise<Refusal | undefined> {
    if (!this.#accepts('application/json', 'text/event-stream')) return NOT_READING;
    // What it says of itself is kept as long as the session is.
    if (handed.bytes > MOST_OPENING_BYTES) return invalid(`A message that begins a session has at most ${MOST_OPENING_BYTES} bytes.`);
    // By the SDK's schema: a handshake that it refuses has not taken place.
    const { method, params } = reading.request;
    if (!isInitializeRequest({ method, params })) {
      const message = '"initialize" needs protocolVersion, a string, capabilities as MCP defines them, and clientInfo with name and version.';
      return { status: 400, error: { code: INVALID_PARAMS, message } };
    }
    const session = await this.#context.sessions.open(this.#incoming.principal);
    if (session === undefined) return this.#incoming.principal.ended.aborted ? STOPPING : SESSIONS_TAKEN;
    await this.#ask(session, reading, handed);
    // Its client has gone, or does not have it.
    if (!session.hasAnswered) await session.close();
    return undefined;
  }

  async #ask(session: Session, { request }: Request, { message, refusal: found, bytes }: Handed): Promise<void> {
    using _use = this.#context.sessions.use(session);
    const { id, method, params } = request;
    const stream = this.#streamOf(session);
    session.ask({ id, message, arrival: { method, params, bytes, refusal: found }, stream });
    await stream.closed;
  }

  async #take(session: Session, reading: Exclude<Message, Request>): Promise<undefined> {
    using _use = this.#context.sessions.use(session);
    const cancelled = reading.kind === 'notification' && reading.method === 'notifications/cancelled' ? cancelledId(reading.params) : undefined;
    session.receive(reading.value);
    if (cancelled !== undefined) session.endCancelled(cancelled);
    this.#incoming.response.writeHead(202, { 'content-length': 0, [SESSION_HEADER]: session.id }).end();
    return undefined;
  }

  #find(): Session | Refusal {
    const id = this.#header(SESSION_HEADER);
    if (id === undefined) return NO_SESSION;
    const session = this.#context.sessions.find(id, this.#incoming.principal);
    if (session === undefined) return UNKNOWN_SESSION;
    const version = this.#header('mcp-protocol-version');
    if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return session;
    return refusal(400, `The MCP-Protocol-Version header names none of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`);
  }

  #streamOf(session: Session): MessageStream {
    const { limits, logger } = this.#context;
    return new MessageStream(this.#incoming.response, { writer: this.#writer, headers: { [SESSION_HEADER]: session.id }, keepAliveMs: limits.keepAliveMs, logger });
  }

  #accepts(...types: readonly string[]): boolean {
    const accepted = this.#header('accept')?.toLowerCase() ?? '';
    return types.every((type) => accepted.includes(type));
  }

  #header(name: string): string | undefined {
    const value = this.#incoming.request.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  async #refuse(reason: Refusal): Promise<void> {
    await refuse(this.#incoming.response, reason, this.#writer);
  }
}

function cancelledId(params: unknown): RequestId | undefined {
  const id = isRecord(params) ? params['requestId'] : undefined;
  return isId(id) ? id : undefined;
}

function invalid(message: string): Refusal {
  return { status: 400, error: { code: INVALID_REQUEST, message } };
}
