import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { DevsError } from '@devs/core';
import { nodeHttp, nodeHttps } from '../../node-http.ts';
import type { Timers } from '../protocol/timers.ts';

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

const CONNECT_MS = 10_000;
/** Many servers close a connection that is idle for five seconds; a call sent at that moment would be lost. */
const IDLE_MS = 4_000;
const MOST_REDIRECTS = 3;

/**
 * Requests to one URL, as the operator wrote it. Follows a redirect only within the same origin: the headers
 * that go with it are secrets. What it throws holds neither headers nor the URL.
 */
export class HttpClient {
  readonly #timers: Timers;
  readonly #agent: Agent;
  #url: URL;

  constructor(url: URL, timers: Timers) {
    this.#url = url;
    this.#timers = timers;
    this.#agent = createAgent(url.protocol === 'https:' ? nodeHttps().Agent : nodeHttp().Agent);
  }

  /** Resolves with the head of the answer. Rejects with `UPSTREAM_UNAVAILABLE` when nothing was sent, and `UPSTREAM_LOST` when it may have been. */
  async send(asked: HttpRequest): Promise<IncomingMessage> {
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.#sendOnce(asked);
      const target = redirects < MOST_REDIRECTS ? this.#redirectOf(answer) : undefined;
      if (target === undefined) return answer;
      answer.destroy();
      this.#url = target;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #sendOnce({ method, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { request: open } = this.#url.protocol === 'https:' ? nodeHttps() : nodeHttp();
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = open(this.#url, { method, headers: { ...headers, ...length }, agent: this.#agent, signal });
    const isConnected = this.#watchConnection(request);
    request.once('response', (answer) => {
      // Whoever reads it is told; nobody else must fall over it.
      answer.on('error', () => undefined);
      resolve(answer);
    });
    request.on('error', (cause) => reject(new DevsError(isConnected() ? 'UPSTREAM_LOST' : 'UPSTREAM_UNAVAILABLE', details(isConnected(), cause))));
    // Nobody has asked for another protocol. Unheard, the offer would be neither an answer nor a failure, and end nothing.
    request.once('upgrade', (_answer, socket) => socket.destroy());
    request.once('close', () => reject(new DevsError('UPSTREAM_LOST')));
    request.end(body);
    return promise;
  }

  #watchConnection(request: ClientRequest): () => boolean {
    const connected = request.protocol === 'https:' ? 'secureConnect' : 'connect';
    const stop = new AbortController();
    let isConnected = false;
    const onConnected = () => {
      isConnected = true;
      stop.abort();
    };
    request.once('socket', (socket: Socket) => {
      if (request.reusedSocket) return onConnected();
      socket.once(connected, onConnected);
      void this.#timers.sleep(CONNECT_MS, stop.signal).then(() => {
        if (!stop.signal.aborted) request.destroy(new Error('no connection within 10 seconds'));
      });
    });
    request.once('close', () => stop.abort());
    return () => isConnected;
  }

  #redirectOf({ statusCode, headers }: IncomingMessage): URL | undefined {
    // The others would turn a call into something else.
    if (statusCode !== 307 && statusCode !== 308) return undefined;
    const { location = '' } = headers;
    const target = URL.canParse(location, this.#url) ? new URL(location, this.#url) : undefined;
    if (target?.origin !== this.#url.origin) return undefined;
    target.username = this.#url.username;
    target.password = this.#url.password;
    return target;
  }
}

function details(isConnected: boolean, cause: Error): ConstructorParameters<typeof DevsError>[1] {
  if (isConnected) return { cause };
  return { sentence: 'The server of this tool cannot be reached.', suggestion: 'Go on without it, or call again later.', cause };
}

function createAgent(OfProtocol: typeof Agent): Agent {
  const agent = new OfProtocol({ keepAlive: true });
  const onIdle = function end(this: Socket): void {
    this.destroy();
  };
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  const reuseSocket = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (stream) => {
    const isKept = keepSocketAlive(stream);
    if (isSocket(stream)) stream.setTimeout(IDLE_MS).on('timeout', onIdle);
    return isKept;
  };
  agent.reuseSocket = (stream, request) => {
    if (isSocket(stream)) stream.setTimeout(0).off('timeout', onIdle);
    reuseSocket(stream, request);
  };
  return agent;
}

function isSocket(stream: object): stream is Socket {
  return 'setTimeout' in stream;
}
