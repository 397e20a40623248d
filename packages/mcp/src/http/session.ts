import type { DevsError } from '@devs/core';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import { setMaxListeners } from 'node:events';
import type { Principal } from '../auth/principals.ts';
import { createToken } from '../auth/token.ts';
import { Arrivals, type Arrival } from '../raw/arrivals.ts';
import type { RequestId } from '../raw/read-message.ts';
import { answeredBySdk } from '../raw/substitute.ts';
import type { MessageStream } from './message-stream.ts';

/** A request of a session, as it is handed on. */
export interface Asked {
  readonly id: RequestId;
  readonly message: object;
  readonly arrival: Arrival;
  /** Where its answer goes, and what is said of it before. */
  readonly stream: MessageStream;
}

/**
 * One client of the older protocol, from `initialize` on. In the place of the SDK's transport, which keeps an entry for
 * every request that was cancelled, and counts nothing of what its clients do not read.
 */
export class Session implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Known to its client alone, and good for nothing without that client's token. */
  readonly id = createToken();
  readonly principal: Principal;
  readonly arrivals = new Arrivals();
  readonly #record: (params: unknown, refusal: DevsError) => Promise<void>;
  readonly #ended = new AbortController();
  readonly #streams = new Map<RequestId, MessageStream>();
  #own: MessageStream | undefined;
  #hasAnswered = false;

  /** @param record resolves once the refused call is in the log; never rejects */
  constructor(principal: Principal, record: (params: unknown, refusal: DevsError) => Promise<void>) {
    this.principal = principal;
    this.#record = record;
    // Each call that waits listens; how many there are is bounded.
    setMaxListeners(0, this.#ended.signal);
  }

  /** Aborted when the session is over. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** True once a request was answered with a result: for the first, that the handshake took place. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  async start(): Promise<void> {
    // Its requests bring their own connections.
  }

  /** Hands a request on. Its stream ends with the answer, or when the request is cancelled. */
  ask({ id, message, arrival, stream }: Asked): void {
    // It ended while it was made.
    if (this.ended.aborted) return stream.end();
    this.arrivals.add(id, arrival);
    this.#streams.set(id, stream);
    this.receive(message);
    void stream.closed.then(() => this.#onGone(id, stream));
  }

  /** Hands an answer or a notification on. */
  receive(message: object): void {
    if (!this.ended.aborted) this.onmessage?.(message as JSONRPCMessage);
  }

  /** The client wants no answer any more: the SDK will give none, so that nothing would end the stream. */
  endCancelled(id: RequestId): void {
    // A call is over when the gate is done with it.
    this.arrivals.endUnlessCall(id);
    this.#takeStream(id)?.end();
  }

  get isListenedTo(): boolean {
    return this.#own !== undefined;
  }

  /** What belongs to no request goes here, until its client closes it. There is one such stream at a time. */
  listen(stream: MessageStream): void {
    this.#own = stream;
    stream.begin();
    void stream.closed.then(() => {
      this.#own = undefined;
    });
  }

  async send(message: JSONRPCMessage, { relatedRequestId: related }: TransportSendOptions = {}): Promise<void> {
    if (!('method' in message)) return this.#answer(message);
    const stream = related === undefined ? this.#own : this.#streams.get(related);
    if (stream !== undefined) stream.send(message);
    // Whoever waits for the answer to a question must know that nobody heard it.
    else if ('id' in message) throw new Error('The client listens to no stream on which it could be asked.');
  }

  async close(): Promise<void> {
    if (this.ended.aborted) return;
    this.#ended.abort();
    // The gate is told by this that its calls are cancelled.
    this.onclose?.();
    this.#own?.end();
    for (const id of this.#streams.keys()) this.endCancelled(id);
  }

  async #answer(message: Exclude<JSONRPCMessage, { readonly method: string }>): Promise<void> {
    const { id } = message;
    if (id === undefined) return;
    if ('result' in message) this.#hasAnswered = true;
    const unseen = this.arrivals.end(id);
    const stream = this.#takeStream(id);
    // The SDK turned a call away before the gate could see it: it is recorded before it is answered.
    if (unseen !== undefined) await this.#record(unseen.params, unseen.refusal ?? answeredBySdk('error' in message ? message.error.message : 'answered by the protocol layer'));
    stream?.end(message);
  }

  /** A client that hangs up cancels, as in the newer protocol: nothing is kept for one that may never come back. */
  #onGone(id: RequestId, stream: MessageStream): void {
    if (this.#streams.get(id) !== stream) return;
    this.endCancelled(id);
    this.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'The client has gone.' } });
  }

  #takeStream(id: RequestId): MessageStream | undefined {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    return stream;
  }
}
