import type { JsonObject } from '@devs/core';
import type { Connection } from './connection.ts';
import { watchHealth } from './health.ts';
import type { Outcome } from './in-flight.ts';
import type { Peer } from './peer.ts';
import type { Timers } from './timers.ts';
import type { ServerInfo, UpstreamAnswer, UpstreamRequest } from '../../protocol/upstream.ts';

/** A server of the protocol that has a handshake. What it asks of the client during a request ends a round. */
export class LegacyConnection implements Connection {
  readonly info: ServerInfo;
  readonly closed: Promise<void>;
  readonly #peer: Peer;

  constructor(peer: Peer, info: ServerInfo, timers: Timers) {
    this.#peer = peer;
    this.info = info;
    this.closed = peer.closed;
    watchHealth({ peer, timers, probe: async (signal) => peer.ask({ method: 'ping', params: {}, signal }) });
  }

  async request({ method, params, signal, onNotice, wantsProgress, continuation }: UpstreamRequest): Promise<UpstreamAnswer> {
    const turn = { signal, onNotice, wantsProgress };
    const outcome = await (continuation === undefined ? this.#peer.ask({ method, params, ...turn }) : this.#peer.goOn(continuation, turn));
    return toAnswer(outcome);
  }

  notify(method: string, params: JsonObject): void {
    this.#peer.tell(method, params);
  }

  async end(): Promise<void> {
    await this.#peer.end();
  }
}

function toAnswer(outcome: Outcome): UpstreamAnswer {
  if (outcome.kind === 'result') return { kind: 'complete', result: outcome.result };
  return { kind: 'input_required', inputRequests: outcome.serverRequests, requestState: outcome.state };
}
