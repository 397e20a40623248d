import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { errnoOf } from '@devs/core';
import { methodRefused } from './request-admission.ts';
import { FairShares } from './fair-shares.ts';
import type { HttpLimits } from './limits.ts';
import { refusal, refuseRaw, type Refusal } from './refusal.ts';

/** Connections beyond the limit that are told so. Beyond these, one is closed without a word. */
const TOLD = 64;

export interface ConnectionsOptions {
  readonly limits: Pick<HttpLimits, 'maxConnections' | 'lingerMs'>;
  /** How many principals there may be. */
  readonly principals: () => number;
}

/** The connections of a server: whose they are, how many there are, and what is said on one that does not speak HTTP. */
export class Connections {
  /** Those that are served. A refused one counts for nothing, or clients that try again would keep each other out. */
  readonly #served = new Set<Socket>();
  /** Those of them that have shown no token yet, the oldest first. */
  readonly #unproven = new Set<Socket>();
  readonly #owners = new Map<Socket, object>();
  readonly #shares: FairShares<object>;
  /** Answers that are being made, by connection: words of ours must not come into the middle of one. */
  readonly #answers = new Map<Duplex, Set<ServerResponse>>();
  readonly #limits: ConnectionsOptions['limits'];

  constructor(http: Server, { limits, principals }: ConnectionsOptions) {
    this.#limits = limits;
    this.#shares = new FairShares(limits.maxConnections, principals);
    http.maxConnections = limits.maxConnections + TOLD;
    http.on('connection', (socket) => this.#admit(socket));
    http.on('clientError', (error, socket) => this.#refuse(socket, toRefusal(error)));
    http.on('connect', (_request: IncomingMessage, socket: Duplex) => this.#refuse(socket, methodRefused()));
  }

  get count(): number {
    return this.#served.size;
  }

  /** Takes a place for whoever has shown who it is. False for a connection too many, of all or of this one. */
  prove(socket: Socket, principal: object): boolean {
    if (!this.#served.has(socket)) return false;
    const before = this.#owners.get(socket);
    if (before === principal) return true;
    if (!this.#shares.take(principal)) return false;
    // A proxy may send requests of several on one connection: it is the last one's.
    if (before !== undefined) this.#shares.give(before);
    this.#owners.set(socket, principal);
    this.#unproven.delete(socket);
    return true;
  }

  /** Remembers that the response is being made, until it is closed. */
  begin(socket: Socket, response: ServerResponse): void {
    const answers = this.#answers.get(socket) ?? new Set();
    this.#answers.set(socket, answers.add(response));
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) this.#answers.delete(socket);
    });
  }

  /** Whoever opens connections and shows no token on them keeps nobody out: the oldest of these gives way. */
  #admit(socket: Socket): void {
    if (this.#served.size >= this.#limits.maxConnections) {
      const [oldest] = this.#unproven;
      if (oldest === undefined) return;
      this.#forget(oldest);
      oldest.destroy();
    }
    this.#served.add(socket);
    this.#unproven.add(socket);
    socket.once('close', () => {
      this.#forget(socket);
      // In older versions of Node an answer behind another, which never had the socket, does not close with it.
      this.#answers.delete(socket);
    });
  }

  #forget(socket: Socket): void {
    this.#served.delete(socket);
    this.#unproven.delete(socket);
    const owner = this.#owners.get(socket);
    if (owner !== undefined) this.#shares.give(owner);
    this.#owners.delete(socket);
  }

  #refuse(socket: Duplex, reason: Refusal): void {
    const answers = [...(this.#answers.get(socket) ?? [])];
    // Requests of this connection that came whole: the refusal would pass for their answer, though they may have run.
    const earlier = answers.filter(({ headersSent, req }) => headersSent || req.complete);
    if (earlier.length === 0) return refuseRaw(socket, reason, this.#limits.lingerMs);
    let open = earlier.length;
    for (const answer of earlier) {
      answer.once('close', () => {
        open -= 1;
        if (open === 0) socket.end(() => socket.destroy());
      });
    }
  }
}

/** By the parser's code; its message may quote what was sent. */
function toRefusal(error: unknown): Refusal {
  switch (errnoOf(error)) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'The request did not come to its end in time.');
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'The headers are larger than 16 KiB.');
    default:
      return refusal(400, 'This is not HTTP/1.1 as devs understands it.');
  }
}
