import { isRecord, type JsonObject, type Question } from '@devs/core';
import { isId } from '../../raw/read-message.ts';
import { INTERNAL_ERROR, METHOD_NOT_FOUND } from './answers.ts';
import { errorAnswerIn } from '../../protocol/error-answer.ts';
import { HeldRequests } from './held-requests.ts';
import type { InFlight, OpenServerRequest } from './in-flight.ts';
import type { Timers } from './timers.ts';
import type { ClientSide } from '../../protocol/upstream.ts';

export interface ServerRequestLimits {
  /** Requests that are held at once. */
  readonly held: number;
  /** Milliseconds a request is held. */
  readonly holdMs: number;
}

export interface ServerRequestsOptions extends ServerRequestLimits {
  readonly client: ClientSide;
  readonly timers: Timers;
  readonly send: (message: JsonObject) => void;
  readonly onViolation: (problem: string) => void;
  /** The client's call that a server-to-client request belongs to, where it belongs to one. */
  readonly findRequest: (about: number | undefined) => InFlight | undefined;
  /** Nobody has come back to answer. */
  readonly onExpired: (request: InFlight) => void;
}

/** By what a client declares that it can be asked. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);
/** Of one request, so many; of the client outside of requests, so many at once. */
const MOST_OPEN = 16;

/**
 * What a server of the older protocol asks. A server-to-client request that comes during a client's request holds
 * that request; others reach the client only where they may.
 */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  readonly #held: HeldRequests;
  readonly #stop = new AbortController();
  #askedOutside = 0;
  #isAnswered = true;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
    const { timers, held, holdMs, onExpired } = options;
    this.#held = new HeldRequests({ timers, most: held, holdMs, onExpired });
  }

  /** The agreed protocol has no server-to-client requests. */
  refuseFromNow(): void {
    this.#isAnswered = false;
  }

  receive({ id, method, params }: Readonly<Record<string, unknown>>, about: number | undefined): void {
    if (!isId(id)) return this.#options.onViolation('a request without an id that can be used');
    if (method === 'ping') return this.#options.send({ jsonrpc: '2.0', id, result: {} });
    if (!isServerRequest(method) || !this.#isDeclared(method) || (params !== undefined && !isRecord(params))) {
      return this.#refuse(id, METHOD_NOT_FOUND, 'a request that it must not make');
    }
    // Read from JSON.
    const serverRequest: OpenServerRequest = { id, method, ...(params !== undefined && { params: params as JsonObject }) };
    const request = this.#options.findRequest(about);
    if (request !== undefined) return this.#hold(request, serverRequest);
    if (method === 'roots/list') return void this.#askOutside(serverRequest);
    this.#refuse(id, INTERNAL_ERROR, 'a server-to-client request that belongs to no call');
  }

  /** Puts what waits to the client, by ending the round of the request that it belongs to. */
  put(request: InFlight): void {
    if (request.round === undefined || request.serverRequestCount === 0) return;
    if (this.#held.isFull) {
      for (const { id } of request.takeServerRequests()) this.#refuse(id, INTERNAL_ERROR, 'more server-to-client requests than may be open');
      return;
    }
    const serverRequests = request.putServerRequests();
    request.settle({ kind: 'held', state: this.#held.hold(request), serverRequests });
  }

  take(state: string | undefined): InFlight | undefined {
    return this.#held.take(state);
  }

  /** Brings the client's words to the server. What is not answered stays open. */
  answer({ asked }: InFlight, responses: JsonObject): void {
    for (const [key, { id }] of asked) {
      const result = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isRecord(result)) continue;
      asked.delete(key);
      const failed = errorAnswerIn(result);
      this.#options.send({ jsonrpc: '2.0', id, ...(failed === undefined ? { result: result as JsonObject } : { error: { ...failed } }) });
    }
  }

  /** Nobody will answer any more. */
  cancel(request: InFlight): void {
    for (const { id, method } of request.takeServerRequests()) {
      if (method === 'elicitation/create') this.#options.send({ jsonrpc: '2.0', id, result: { action: 'cancel' } });
      else this.#sendError(id, INTERNAL_ERROR);
    }
  }

  close(): void {
    this.#stop.abort();
    this.#held.clear();
  }

  #isDeclared(method: string): boolean {
    const { capabilities } = this.#options.client.info;
    const capability = CAPABILITIES.get(method);
    return this.#isAnswered && capability !== undefined && isRecord(capabilities[capability]);
  }

  #hold(request: InFlight, serverRequest: OpenServerRequest): void {
    if (request.serverRequestCount >= MOST_OPEN) return this.#refuse(serverRequest.id, INTERNAL_ERROR, 'more server-to-client requests than may be open');
    request.waiting.push(serverRequest);
    this.put(request);
  }

  async #askOutside({ id, method, params }: OpenServerRequest): Promise<void> {
    if (this.#askedOutside >= MOST_OPEN) return this.#refuse(id, INTERNAL_ERROR, 'more server-to-client requests than may be open');
    this.#askedOutside += 1;
    const { client, timers, holdMs, send } = this.#options;
    const over = new AbortController();
    const late = timers.sleep(holdMs, over.signal).then(() => over.abort());
    try {
      const signal = AbortSignal.any([over.signal, this.#stop.signal]);
      const result = await Promise.race([client.ask({ method, ...(params !== undefined && { params }) }, signal), late]);
      if (result === undefined) this.#sendError(id, INTERNAL_ERROR);
      else send({ jsonrpc: '2.0', id, result });
    } catch {
      this.#sendError(id, INTERNAL_ERROR);
    } finally {
      over.abort();
      this.#askedOutside -= 1;
    }
  }

  #refuse(id: string | number, code: number, problem: string): void {
    this.#options.onViolation(problem);
    this.#sendError(id, code);
  }

  #sendError(id: string | number, code: number): void {
    const message = code === METHOD_NOT_FOUND ? 'Method not found' : 'The client cannot be asked.';
    this.#options.send({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

function isServerRequest(method: unknown): method is Question['method'] {
  return typeof method === 'string' && CAPABILITIES.has(method);
}
