import { DevsError, isRecord } from '@devs/core';
import type { ClientInfo } from '../client-info.ts';
import type { Arrivals } from './arrivals.ts';
import { ConnectionEra } from './connection-era.ts';
import type { Frame } from './line-framer.ts';
import { INVALID_REQUEST, isId, readMessage, type Objection, type Reading, type RequestId, type Unreadable } from './read-message.ts';
import { tooLarge, toCallRefusal, toSubstitute } from './substitute.ts';

/** What a guard needs of the connection that it guards. */
export interface GuardedConnection {
  readonly arrivals: Arrivals;
  /** Hands a message on, to be served. */
  deliver(message: object): void;
  /** Writes a message to the client. */
  answer(message: object): void;
  /** Resolves once the refused call, which came in a message of so many bytes, is in the log. Never rejects. */
  record(params: unknown, refusal: DevsError, bytes: number): Promise<void>;
  /** A request that opens a stream is delivered now; its stream ends with `unlisten`. */
  listen(id: RequestId, params: unknown): void;
  unlisten(id: RequestId): void;
  /** The first message that decides how the connection is served; called before it is delivered. */
  greet(info: ClientInfo): void;
  /** For the operator. */
  report(problem: string): void;
}

type Line = Extract<Frame, { readonly kind: 'line' }>;
type Oversized = Extract<Frame, { readonly kind: 'oversized' }>;
type Request = Extract<Reading, { readonly kind: 'request' }>;

/** A request that is answered without being served. */
interface Turned {
  readonly id: RequestId | null;
  readonly method: string;
  readonly params: unknown;
  /** Size of the message, as far as it is held. */
  readonly bytes: number;
}

/**
 * Stands between the bytes of one stdio connection and the SDK, which drops what is no message without
 * an answer, serves calls that come before their turn, and loses own `__proto__` keys. Everything that
 * asks for an answer gets one; every call that is turned away here is in the log.
 */
export class MessageGuard {
  readonly #connection: GuardedConnection;
  readonly #era = new ConnectionEra();

  constructor(connection: GuardedConnection) {
    this.#connection = connection;
  }

  /** What the handshake agreed on, as the SDK tells it. */
  agreedOn(version: string): void {
    this.#era.agreedOn(version);
  }

  receive(frame: Frame): void {
    if (frame.kind === 'oversized') this.#receiveOversized(frame);
    else this.#receiveLine(frame);
  }

  #receiveLine({ bytes }: Line): void {
    const reading = readMessage(bytes);
    switch (reading.kind) {
      case 'request':
        return this.#receiveRequest(reading, bytes.length);
      case 'notification':
        return this.#receiveNotification(reading);
      case 'response':
        // Nothing is asked of a client before it has said how it speaks.
        return this.#era.isDecided ? this.#connection.deliver(reading.value) : undefined;
      case 'unreadable':
        return this.#turnAway(reading, bytes.length);
    }
  }

  #receiveRequest({ request, value, flaw }: Request, bytes: number): void {
    const { arrivals } = this.#connection;
    const { id, method, params } = request;
    // Answered under the same id, the refusal would pass for the answer of the first.
    if (arrivals.has(id)) return this.#object({ ...request, id: null, bytes }, invalid('A request with this "id" is not answered yet.'));
    // Alive, whatever is spoken. The SDK would take it for the first word of the older protocol.
    if (method === 'ping' && !this.#era.isDecided) return this.#connection.answer({ jsonrpc: '2.0', id, result: {} });
    const judgement = this.#era.judge(request);
    if (judgement.kind === 'refused') return this.#object({ ...request, bytes }, judgement.objection);
    const refusal = flaw === undefined ? undefined : toCallRefusal(flaw);
    arrivals.add(id, { method, params, bytes, refusal });
    if (judgement.info !== undefined) this.#connection.greet(judgement.info);
    if (method === 'subscriptions/listen') this.#connection.listen(id, params);
    this.#connection.deliver(refusal === undefined ? value : toSubstitute(request, this.#era.envelope));
  }

  #receiveNotification({ method, params, value }: Extract<Reading, { readonly kind: 'notification' }>): void {
    if (!this.#era.isDecided) return this.#connection.report(`a notification before the first request: ${method.slice(0, 100)}`);
    const requestId = isRecord(params) ? params['requestId'] : undefined;
    // MCP forbids it: without its answer the client could not know what it speaks, and its id would be free.
    const isHandshake = isId(requestId) && this.#connection.arrivals.methodOf(requestId) === 'initialize';
    if (method === 'notifications/cancelled' && isHandshake) return this.#connection.report('a handshake cannot be cancelled');
    // A call is over when the gate is done with it; anything else that is cancelled is never answered.
    if (method === 'notifications/cancelled' && isId(requestId)) this.#endStream(requestId);
    this.#connection.deliver(value);
  }

  #endStream(id: RequestId): void {
    this.#connection.arrivals.endUnlessCall(id);
    this.#connection.unlisten(id);
  }

  #receiveOversized({ problem, peek }: Oversized): void {
    const { id, method, toolName, isAnswer = false } = peek;
    if (method === undefined && isAnswer) return this.#connection.report(`an answer that ${problem}`);
    if (method === undefined) return this.#turnAwayUnknown(problem, id);
    const params = method === 'tools/call' ? { name: toolName } : undefined;
    const { arrivals } = this.#connection;
    const isAnswerable = id !== undefined && !arrivals.has(id) && this.#era.isDecided;
    if (method !== 'tools/call' || !isAnswerable) {
      const free = id !== undefined && !arrivals.has(id) ? id : null;
      return this.#object({ id: free, method, params, bytes: 0 }, invalid(`The message ${problem}.`), tooLarge(problem));
    }
    arrivals.add(id, { method, params, bytes: 0, refusal: tooLarge(problem) });
    this.#connection.deliver(toSubstitute({ id, method, params }, this.#era.envelope));
  }

  /** No message, as far as it was seen. It may ask for an answer all the same: its method may be too long to keep. */
  #turnAwayUnknown(problem: string, id: RequestId | null = null): void {
    this.#connection.report(`a message that ${problem}`);
    this.#answer(id, invalid(`The message ${problem}.`));
  }

  /** Answers a request that is not served; a call is recorded first. */
  #object(
    { id, method, params, bytes }: Turned,
    objection: Objection,
    refusal = new DevsError('MESSAGE_REFUSED', { sentence: objection.message }),
  ): void {
    if (method !== 'tools/call') return this.#answer(id, objection);
    void this.#connection.record(params, refusal, bytes).then(() => this.#answer(id, objection));
  }

  #turnAway({ objection, id, calls, others, isAnswered }: Unreadable, bytes: number): void {
    this.#connection.report(objection.message);
    const refusal = new DevsError('MESSAGE_REFUSED', { sentence: objection.message });
    const recorded = Promise.all(calls.map(async (params) => this.#connection.record(params, refusal, bytes)));
    if (!isAnswered) return;
    void recorded.then(() => {
      for (const each of [id, ...others]) this.#answer(each, objection);
    });
  }

  #answer(id: RequestId | null, objection: Objection): void {
    const isFree = id === null || !this.#connection.arrivals.has(id);
    this.#connection.answer({ jsonrpc: '2.0', id: isFree ? id : null, error: objection });
  }
}

function invalid(message: string): Objection {
  return { code: INVALID_REQUEST, message };
}
