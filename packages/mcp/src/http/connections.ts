import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { isRecord } from '@devs/core';
import { methodRefused } from './door.ts';
import type { HttpLimits } from './limits.ts';
import { refusal, refuseRaw, type Refusal } from './refusal.ts';

/** Connections beyond the limit that are told so. Beyond these, one is closed without a word. */
const TOLD = 64;

/** The connections of a server: how many there are, and what is said on one that does not speak HTTP. */
export class Connections {
  /** Those that are served. A refused one counts for nothing, or clients that try again would keep each other out. */
  readonly #served = new Set<Socket>();
  /** Answers that are being made, by connection: words of ours must not come into the middle of one. */
  readonly #answers = new Map<Duplex, Set<ServerResponse>>();
  readonly #limits: HttpLimits;

  constructor(http: Server, limits: HttpLimits) {
    this.#limits = limits;
    http.maxConnections = limits.maxConnections + TOLD;
    http.on('connection', (socket) => this.#admit(socket));
    http.on('clientError', (error, socket) => this.#refuse(socket, toRefusal(error)));
    http.on('connect', (_request: IncomingMessage, socket: Duplex) => this.#refuse(socket, methodRefused()));
  }

  /** True for a connection that came when there were as many as are served. */
  isExtra(socket: Socket): boolean {
    return !this.#served.has(socket);
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

  #admit(socket: Socket): void {
    if (this.#served.size >= this.#limits.maxConnections) return;
    this.#served.add(socket);
    socket.once('close', () => this.#served.delete(socket));
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
  switch (isRecord(error) ? error['code'] : undefined) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'The request did not come to its end in time.');
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'The headers are larger than 16 KiB.');
    default:
      return refusal(400, 'This is not HTTP/1.1 as devs understands it.');
  }
}
