import { DevsError, isRecord, type JsonObject } from '@devs/core';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import type { Connection } from './connection.ts';
import { envelopeFor } from './envelope.ts';
import { errorAnswerIn } from '../../protocol/error-answer.ts';
import { watchHealth } from './health.ts';
import type { Peer } from './peer.ts';
import { Subscriptions } from './subscriptions.ts';
import type { Timers } from './timers.ts';
import { UpstreamError, type ClientSide, type ServerInfo, type UpstreamAnswer, type UpstreamRequest } from '../../protocol/upstream.ts';
import type { RequestHeaders } from './wire.ts';

export interface ModernOptions {
  readonly peer: Peer;
  readonly info: ServerInfo;
  readonly client: ClientSide;
  readonly timers: Timers;
  /** Of HTTP alone. */
  readonly headers: RequestHeaders | undefined;
}

const DONE: UpstreamAnswer = Object.freeze({ kind: 'complete', result: Object.freeze({}) });

/**
 * A server of the protocol without a handshake: every request says who asks. What the older protocol
 * asks for by methods that are gone (`ping`, `logging/setLevel`, `resources/subscribe`) is done as the newer one does it.
 */
export class ModernConnection implements Connection {
  readonly info: ServerInfo;
  readonly closed: Promise<void>;
  readonly #options: ModernOptions;
  readonly #subscriptions: Subscriptions;
  readonly #envelope: JsonObject;
  #logLevel: string | undefined;

  constructor(options: ModernOptions) {
    const { peer, info, client, timers } = options;
    this.#options = options;
    this.info = info;
    this.closed = peer.closed;
    this.#envelope = envelopeFor(client.info);
    this.#subscriptions = new Subscriptions({ peer, info, timers, envelope: this.#envelope, onEvent: client.onEvent });
    watchHealth({ peer, timers, probe: async (signal) => peer.ask({ method: 'server/discover', params: { _meta: this.#envelope }, signal }) });
  }

  async request(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const { method, params, signal } = request;
    switch (method) {
      case 'ping':
        await this.#options.peer.ask({ method: 'server/discover', params: { _meta: this.#envelope }, signal });
        return DONE;
      case 'logging/setLevel':
        this.#logLevel = typeof params['level'] === 'string' ? params['level'] : undefined;
        return DONE;
      case 'resources/subscribe':
        await this.#subscriptions.add(uriOf(params), signal);
        return DONE;
      case 'resources/unsubscribe':
        this.#subscriptions.remove(uriOf(params));
        return DONE;
      default:
        return this.#ask(request);
    }
  }

  /** The newer protocol knows no notification of a client's but that it cancels. */
  notify(): void {}

  async end(): Promise<void> {
    await this.#options.peer.end();
  }

  async #ask({ method, params, signal, onNotice, wantsProgress, continuation }: UpstreamRequest): Promise<UpstreamAnswer> {
    const { peer, headers } = this.#options;
    const { inputResponses, state } = continuation ?? {};
    refuseErrorAnswers(inputResponses);
    const full: JsonObject = {
      ...params,
      ...(inputResponses !== undefined && { inputResponses }),
      ...(state !== undefined && { requestState: state }),
      _meta: this.#metaOf(params),
    };
    const added = method === 'tools/call' ? headers?.headersFor(full) : undefined;
    const outcome = await peer.ask({ method, params: full, signal, onNotice, wantsProgress, ...(added !== undefined && { headers: added }) });
    if (outcome.kind === 'held') throw new DevsError('UPSTREAM_ANSWER_REFUSED');
    if (method === 'tools/list' && headers !== undefined) return { kind: 'complete', result: headers.review(outcome.result) };
    return toAnswer(outcome.result);
  }

  #metaOf(params: JsonObject): JsonObject {
    const meta = params['_meta'];
    return {
      ...(this.#logLevel !== undefined && { [LOG_LEVEL_META_KEY]: this.#logLevel }),
      ...(isRecord(meta) ? (meta as JsonObject) : {}),
      ...this.#envelope,
    };
  }
}

function toAnswer(result: Readonly<Record<string, unknown>>): UpstreamAnswer {
  const { resultType, inputRequests, requestState } = result;
  if (resultType === undefined || resultType === 'complete') return { kind: 'complete', result };
  const isUsable = resultType === 'input_required' && (requestState === undefined || typeof requestState === 'string');
  if (!isUsable) throw new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error('a result of a kind that devs does not know') });
  return { kind: 'input_required', inputRequests, requestState };
}

function uriOf({ uri }: JsonObject): string {
  return typeof uri === 'string' ? uri : '';
}

/** The newer protocol has no word for a client that fails to answer: there it does not come back, and the call is over. */
function refuseErrorAnswers(responses: JsonObject | undefined): void {
  const [failed] = Object.values(responses ?? {}).flatMap((response) => errorAnswerIn(response) ?? []);
  if (failed !== undefined) throw new UpstreamError(failed.code, failed.message);
}
