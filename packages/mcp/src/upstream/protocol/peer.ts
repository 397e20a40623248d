import { DevsError, isRecord, type Continuation, type JsonObject } from '@devs/core';
import type { EnvelopePeek } from '../../raw/envelope-peek.ts';
import { readAnswer, refused, weigh } from './answers.ts';
import { InFlight, type Outcome, type Settlement } from './in-flight.ts';
import { Notifications, type NotificationLimits } from './notifications.ts';
import { ServerRequests, type ServerRequestLimits } from './server-requests.ts';
import type { Timers } from './timers.ts';
import type { ClientSide } from '../../protocol/upstream.ts';
import type { Arrival, Wire, WireListener } from './wire.ts';

export interface PeerLimits extends NotificationLimits, ServerRequestLimits {
  /** Bytes of answers that may come while their requests are held, together. */
  readonly keptBytes: number;
}

export interface PeerOptions {
  readonly openWire: (listener: WireListener) => Wire;
  readonly client: ClientSide;
  readonly timers: Timers;
  readonly limits: PeerLimits;
  readonly onViolation: (problem: string) => void;
}

/** One turn of a request: who waits, for how long, and who is told of it. */
export interface Turn {
  readonly signal?: AbortSignal;
  readonly onNotice?: ((notice: unknown) => void) | undefined;
  readonly wantsProgress?: boolean | undefined;
}

export interface Asked extends Turn {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** The server answers when it is over, not when it is done: it is no sign of its health. */
  readonly isSubscription?: boolean;
}

/**
 * JSON-RPC with a server that is not trusted, over one wire. Only answers to what was asked get
 * through, each once, and as they came: nothing that the protocol does not know yet is lost.
 */
export class Peer implements WireListener {
  readonly closed: Promise<void>;
  /** Told of each request that nobody wanted to wait for any longer. */
  onAbandoned: () => void = () => undefined;
  onAnswered: () => void = () => undefined;
  onAcknowledged: (meta: unknown) => void = () => undefined;
  readonly #options: PeerOptions;
  readonly #wire: Wire;
  readonly #serverRequests: ServerRequests;
  readonly #notifications: Notifications;
  readonly #inFlight = new Map<number, InFlight>();
  #lastId = 0;
  #keptBytes = 0;
  #isOpen = true;

  constructor(options: PeerOptions) {
    this.#options = options;
    const { client, timers, limits, onViolation } = options;
    this.#wire = options.openWire(this);
    this.#serverRequests = new ServerRequests({
      ...limits,
      client,
      timers,
      onViolation,
      send: (message) => this.#wire.send(message),
      findRequest: (about) => this.#findAsking(about),
      onExpired: (request) => this.#drop(request),
    });
    this.#notifications = new Notifications({
      ...limits,
      timers,
      onViolation,
      onEvent: client.onEvent,
      find: (id) => (typeof id === 'number' ? this.#inFlight.get(id) : undefined),
      onWithdrawn: (id) => this.#withdraw(id),
      onAcknowledged: (meta) => this.onAcknowledged(meta),
    });
    this.closed = this.#wire.closed.then(() => this.#close());
  }

  /** Rejects with `UpstreamError`, or `DevsError`. */
  async ask({ method, params, headers, isSubscription, ...turn }: Asked): Promise<Outcome> {
    if (!this.#isOpen) throw new DevsError('UPSTREAM_UNAVAILABLE');
    if (turn.signal?.aborted === true) throw new DevsError('CALL_CANCELLED');
    this.#lastId += 1;
    const request = new InFlight(this.#lastId, method);
    const { id } = request;
    this.#inFlight.set(id, request);
    const outcome = this.#wait(request, turn, isSubscription !== true);
    try {
      this.#wire.request({ id, method, params: turn.onNotice === undefined || turn.wantsProgress === false ? params : withToken(params, id), ...(headers !== undefined && { headers }) });
    } catch (cause) {
      this.onFailure(id, DevsError.is(cause) ? cause : new DevsError('UPSTREAM_UNAVAILABLE', { cause }));
    }
    return outcome;
  }

  /** Goes on with a request that is held. Rejects with `INPUT_STATE_REFUSED` when there is none of that state. */
  async goOn({ state, inputResponses }: Continuation, turn: Turn): Promise<Outcome> {
    const request = this.#serverRequests.take(state);
    if (request === undefined) throw new DevsError('INPUT_STATE_REFUSED');
    const outcome = this.#wait(request, turn, true);
    const { kept } = request;
    if (kept !== undefined) {
      this.#forget(request);
      request.settle(kept);
    } else if (request.round !== undefined) {
      this.#serverRequests.answer(request, inputResponses);
      this.#serverRequests.put(request);
    }
    return outcome;
  }

  tell(method: string, params: JsonObject): void {
    if (this.#isOpen) this.#wire.send({ jsonrpc: '2.0', method, params });
  }

  agreedOn(protocolVersion: string, era: 'legacy' | 'modern'): void {
    this.#wire.agreedOn(protocolVersion);
    if (era === 'modern') this.#serverRequests.refuseFromNow();
  }

  async end(): Promise<void> {
    await this.#wire.end();
    await this.closed;
  }

  onMessage(message: unknown, arrival: Arrival): void {
    if (!this.#isOpen) return;
    if (!isRecord(message)) return this.#options.onViolation('what is no message');
    const { id, method, params } = message;
    if (method === undefined) return this.#answer(message, arrival.bytes);
    if (typeof method !== 'string') return this.#options.onViolation('what is no message');
    if (id === undefined) this.#notifications.receive(method, params, arrival);
    else this.#serverRequests.receive(message, arrival.about);
  }

  onOversized({ id }: EnvelopePeek, problem: string): void {
    const request = typeof id === 'number' ? this.#inFlight.get(id) : undefined;
    if (request === undefined) return this.#options.onViolation(`a message that ${problem}`);
    this.#settle(request, refused(`a message that ${problem}`), 0);
  }

  onFailure(id: number, cause: DevsError): void {
    const request = this.#inFlight.get(id);
    if (request !== undefined) this.#settle(request, { kind: 'failed', cause }, 0);
  }

  onViolation(problem: string): void {
    this.#options.onViolation(problem);
  }

  #answer(message: Readonly<Record<string, unknown>>, bytes: number): void {
    const { id } = message;
    const request = typeof id === 'number' ? this.#inFlight.get(id) : undefined;
    if (request === undefined) return this.#options.onViolation('an answer to nothing that was asked');
    this.onAnswered();
    this.#wire.answered(request.id);
    this.#settle(request, readAnswer(message), bytes);
  }

  #settle(request: InFlight, settlement: Settlement, bytes: number): void {
    this.#inFlight.delete(request.id);
    if (request.round !== undefined) return request.settle(settlement);
    // Held: whoever comes back gets it. A server that lets nobody answer must not fill the memory meanwhile.
    const left = this.#options.limits.keptBytes - this.#keptBytes;
    const weight = weigh(settlement, bytes, left);
    const isTooMuch = weight > left;
    request.keptBytes = isTooMuch ? 0 : weight;
    this.#keptBytes += request.keptBytes;
    request.settle(isTooMuch ? refused('more answers than are kept for requests that are held') : settlement);
  }

  async #wait(request: InFlight, { signal, onNotice }: Turn, isHealthSign: boolean): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    request.round = { onNotice, settle: resolve };
    if (onNotice !== undefined) this.#notifications.listen(request);
    const onAbort = () => {
      if (isHealthSign) this.onAbandoned();
      request.settle({ kind: 'failed', cause: new DevsError('CALL_CANCELLED') });
      this.#drop(request);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    const settlement = await promise;
    signal?.removeEventListener('abort', onAbort);
    if (onNotice !== undefined) this.#notifications.leave(request);
    if (settlement.kind === 'failed') throw settlement.cause;
    return settlement;
  }

  /** Nobody waits for it, and nobody will. */
  #drop(request: InFlight): void {
    this.#forget(request);
    this.#serverRequests.cancel(request);
    if (this.#inFlight.delete(request.id)) this.#wire.abandon(request.id, request.method !== 'initialize');
  }

  #forget(request: InFlight): void {
    this.#keptBytes -= request.keptBytes;
    request.keptBytes = 0;
  }

  #findAsking(about: number | undefined): InFlight | undefined {
    const related = about === undefined ? undefined : this.#inFlight.get(about);
    if (related?.mayAsk === true) return related;
    const latest = [...this.#inFlight.values()].filter((request) => request.mayAsk).toReversed();
    return latest.find(({ serverRequestCount }) => serverRequestCount === 0) ?? latest[0];
  }

  #withdraw(serverRequestId: unknown): void {
    for (const request of this.#inFlight.values()) {
      if (request.withdraw(serverRequestId)) return;
    }
  }

  #close(): void {
    this.#isOpen = false;
    this.#serverRequests.close();
    this.#notifications.close();
    for (const request of this.#inFlight.values()) request.settle({ kind: 'failed', cause: new DevsError('UPSTREAM_LOST') });
    this.#inFlight.clear();
  }
}

/** A token of our own: what the client calls its progress must not be mixed up with another client's. */
function withToken(params: JsonObject, id: number): JsonObject {
  const meta = params['_meta'];
  return { ...params, _meta: { ...(isRecord(meta) ? (meta as JsonObject) : {}), progressToken: id } };
}
