import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Dialer } from './dialer.ts';
import { breakingWith } from './exchange.ts';
import { fetchFailed } from './failure.ts';
import { nodeHttp } from './node-http.ts';
import { ambiguityOf, passedHeaders } from './passed-headers.ts';
import type { Target } from './target.ts';

export interface ForwardOptions {
  readonly dialer: Dialer;
  /** Bytes of the headers of an answer. */
  readonly maxHeaderBytes: number;
  /** Milliseconds without a byte until a connection is given up. */
  readonly idleMs: number;
  /** Aborted when whoever asked is gone. */
  readonly signal: AbortSignal;
}

/**
 * Asks for what was asked, over a connection of its own, and passes the answer on. Where it goes to and what it is told
 * about its host is the target's word alone. Resolves when the answer has begun.
 * @throws DevsError HOST_NOT_ALLOWED, FETCH_FAILED; what the connection throws. Nothing was answered then
 */
export async function forward(asked: IncomingMessage, answer: ServerResponse, { target, ...options }: ForwardOptions & { readonly target: Target }): Promise<void> {
  const ambiguity = ambiguityOf(asked);
  if (ambiguity !== undefined) throw fetchFailed(ambiguity);
  if (asked.method === 'TRACE') throw fetchFailed('TRACE is not passed on.');
  const socket = await options.dialer.dial(target.host, target.port, options.signal);
  const onward = nodeHttp().request({
    createConnection: () => socket,
    method: asked.method ?? 'GET',
    path: target.url.pathname + target.url.search,
    headers: ['Host', target.url.host, ...passedHeaders(asked)],
    maxHeaderSize: options.maxHeaderBytes,
    insecureHTTPParser: false,
    signal: options.signal,
  });
  socket.setTimeout(options.idleMs, () => socket.destroy(new Error('Nothing came for too long.')));
  pipeline(asked, onward, () => {});
  passOn(breakingWith(await answered(onward, socket), socket), answer);
}

async function answered(onward: ClientRequest, socket: Socket): Promise<IncomingMessage> {
  const answer = Promise.withResolvers<IncomingMessage>();
  onward.on('response', answer.resolve);
  onward.on('error', answer.reject);
  onward.on('upgrade', () => {
    socket.destroy();
    answer.reject(fetchFailed('The host wants to speak another protocol.'));
  });
  return await answer.promise;
}

/** An answer that ends too early is cut off here too: it must not pass for whole. */
function passOn(answered: IncomingMessage, answer: ServerResponse): void {
  answer.writeHead(answered.statusCode ?? 502, passedHeaders(answered));
  pipeline(answered, answer, () => {});
}
