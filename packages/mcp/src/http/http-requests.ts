import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describeCause } from '@devs/core';
import type { Principal, Principals } from '../auth/principals.ts';
import { MOST_VALUES } from '../raw/message-buffer.ts';
import { declaredLength, describeTooLong, readBody } from './body.ts';
import { admit, type Admission } from './request-admission.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeContext, Incoming } from './exchange-context.ts';
import { FairShares } from './fair-shares.ts';
import { LARGEST_MESSAGES_AT_ONCE } from './limits.ts';
import { orAborted } from './or-aborted.ts';
import { refuseAndClose, STOPPING, tooLargeToRead, tooMany, type Refusal } from './refusal.ts';
import { PipelineQueues } from './pipeline-queues.ts';

export interface HttpRequestsOptions extends ExchangeContext {
  readonly principals: Principals;
  /** False for a connection that is one too many. */
  readonly prove: (socket: Socket, principal: Principal) => boolean;
}

/** Takes HTTP requests in: admission, limits, the body; then an `Exchange` has it. */
export class HttpRequests {
  readonly #options: HttpRequestsOptions;
  readonly #bodies: FairShares<Principal>;
  readonly #values: FairShares<Principal>;
  readonly #underWay = new Map<Exchange, Promise<void>>();
  readonly #shares: FairShares<Principal>;
  readonly #pipelines = new PipelineQueues();
  readonly #stopping = new AbortController();

  constructor(options: HttpRequestsOptions) {
    const { limits, principals } = options;
    this.#options = options;
    // Each request that waits or is read listens; how many there are is bounded.
    setMaxListeners(0, this.#stopping.signal);
    const holders = () => principals.count;
    this.#bodies = new FairShares(LARGEST_MESSAGES_AT_ONCE * limits.maxMessageBytes, holders);
    this.#values = new FairShares(LARGEST_MESSAGES_AT_ONCE * MOST_VALUES, holders);
    this.#shares = new FairShares(limits.maxRequests, holders);
  }

  /** Requests that are not answered yet, streams that are open among them. */
  get count(): number {
    return this.#underWay.size;
  }

  /** @param expectsContinue true when the client waits for a word before it sends the body */
  receive(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const admission = this.#admit(request, expectsContinue);
    if (admission.kind === 'refused') return this.#guard(response, this.#refuse(request, response, admission.refusal));
    const { principal } = admission;
    const turn = this.#pipelines.take(request.socket, response);
    const exchange = new Exchange(this.#options, { request, response, principal });
    const running = this.#take(exchange, { request, response, principal, expectsContinue, turn });
    this.#underWay.set(exchange, running);
    this.#guard(
      response,
      running.finally(() => {
        this.#underWay.delete(exchange);
        this.#shares.give(principal);
      }),
    );
  }

  /** From now on requests are turned away, also those that are half read; the others go on. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves when everything is answered but streams that end when their client likes. */
  async answered(): Promise<void> {
    await this.#settle(([exchange]) => !exchange.isSubscription);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#settle(() => true);
  }

  /** Whatever goes wrong ends one request, and never the process. */
  #guard(response: ServerResponse, running: Promise<void>): void {
    running.catch((cause: unknown) => {
      this.#options.logger.error('MCP_TRANSPORT_ERROR', { error: describeCause(cause).slice(0, 500) });
      response.destroy();
    });
  }

  async #settle(counts: (entry: [Exchange, Promise<void>]) => boolean): Promise<void> {
    for (;;) {
      const running = [...this.#underWay].filter(counts).map(([, promise]) => promise);
      if (running.length === 0) return;
      await Promise.allSettled(running);
    }
  }

  /** Admission first: a request that is refused learns nothing of how busy devs is. Takes a place for one that is admitted. */
  #admit(request: IncomingMessage, expectsContinue: boolean): Admission {
    const { principals, prove, limits } = this.#options;
    const admission = admit(request, (authorization) => principals.identify(authorization));
    if (admission.kind === 'refused') return admission;
    if (this.#stopping.signal.aborted) return refused(STOPPING);
    if (!prove(request.socket, admission.principal)) return refused(tooMany(`devs serves ${limits.maxConnections} connections at once, and those for you are taken.`));
    const declared = declaredLength(request) ?? 0;
    // The client asks before it sends: there is nothing yet that could be looked at.
    if (expectsContinue && declared > limits.maxMessageBytes) return refused(tooLargeToRead(describeTooLong(declared, limits.maxMessageBytes), undefined));
    if (!this.#shares.take(admission.principal)) return refused(tooMany(`devs serves ${limits.maxRequests} requests at once, and those for you are taken.`));
    return admission;
  }

  async #refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): Promise<void> {
    const { writerOf, limits } = this.#options;
    await refuseAndClose(request, response, { ...refusal, writer: writerOf(undefined), lingerMs: limits.lingerMs });
  }

  async #take(exchange: Exchange, { request, response, principal, expectsContinue, turn }: Arrived): Promise<void> {
    if (turn !== undefined) await orAborted(turn, this.#stopping.signal);
    if (request.socket.destroyed || response.destroyed) return exchange.abandon();
    if (request.method !== 'POST') return exchange.serveSession();
    using share = this.#bodies.open(principal);
    using values = this.#values.open(principal);
    if (expectsContinue) response.writeContinue();
    const body = await readBody(request, { maxBytes: this.#options.limits.maxMessageBytes, share, stopping: this.#stopping.signal });
    // Not returned but awaited: what is held is held until the message is answered.
    if (body.kind === 'whole') await exchange.serve(body.bytes, values);
    else share.resize(0);
    if (body.kind === 'oversized') await exchange.refuseOversized(body);
    if (body.kind === 'refused') await this.#refuse(request, response, body.refusal);
    return undefined;
  }
}

interface Arrived extends Incoming {
  readonly expectsContinue: boolean;
  /** Resolves when what was asked before it on its connection is answered; undefined when that is so. */
  readonly turn: Promise<void> | undefined;
}

function refused(refusal: Refusal): Admission {
  return { kind: 'refused', refusal };
}
