import { once, type EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DevsError } from '@devs/core';
import type { Dialer } from './dialer.ts';
import { fetchFailed, toFetchFailure } from './failure.ts';
import { forward } from './forward.ts';
import { nodeHttp } from './node-http.ts';
import { targetOfConnect, targetOfUrl, targetWithin } from './proxy-target.ts';
import type { Target } from './target.ts';
import { joinTunnel } from './tunnel.ts';

export interface ProxyServerOptions {
  readonly dialer: Dialer;
  /** Milliseconds without a byte until a connection is given up. */
  readonly idleMs: number;
  /** Milliseconds until a client has said what it wants. */
  readonly helloMs: number;
}

/** For one event of a connection. */
const MOST_LISTENERS = 20;
const MOST_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 16_384;

type ReadTarget = (asked: IncomingMessage) => Target;

/** An HTTP proxy that judges each request by itself, and closes the connection behind it. It listens nowhere. */
export class ProxyServer {
  readonly #options: ProxyServerOptions;
  readonly #outer: Server;
  /** Behind a CONNECT to port 80: plain requests are read and judged there like all others. */
  readonly #inner: Server;
  /** Whom the connections of the inner server were opened for. */
  readonly #within = new WeakMap<Duplex, Target>();
  /** All that are open, and what ends each if nothing comes of it. */
  readonly #connections = new Map<Duplex, NodeJS.Timeout>();
  readonly #closing = new AbortController();

  constructor(options: ProxyServerOptions) {
    this.#options = options;
    this.#outer = this.#createServer(targetOfUrl);
    this.#inner = this.#createServer((asked) => targetWithin(asked, this.#within.get(asked.socket)));
    this.#outer.on('connect', (asked, client, head) => void this.#connect(asked, client, head));
  }

  accept(connection: Duplex): void {
    connection.on('error', () => {});
    // Each of the parts that look after it listens for its end, once: Node would take that for a leak, and say so to the user.
    connection.setMaxListeners(MOST_LISTENERS);
    if (this.#closing.signal.aborted || this.#connections.size >= MOST_CONNECTIONS) {
      connection.destroy();
      return;
    }
    connection.once('close', () => {
      this.#endTimer(connection);
      this.#connections.delete(connection);
    });
    // All was said, and the client does not go.
    connection.once('finish', () => {
      this.#startTimer(connection);
    });
    this.#startTimer(connection);
    this.#outer.emit('connection', connection);
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    const closed = Array.from(this.#connections.keys(), async (connection) => {
      await once(connection, 'close');
    });
    this.#closing.abort();
    for (const connection of this.#connections.keys()) connection.destroy();
    await Promise.all(closed);
  }

  /** A server that does not listen has no timers of its own. */
  #startTimer(connection: Duplex): void {
    this.#endTimer(connection);
    this.#connections.set(connection, setTimeout(() => connection.destroy(), this.#options.helloMs).unref());
  }

  #endTimer(connection: Duplex): void {
    clearTimeout(this.#connections.get(connection));
  }

  #createServer(readTarget: ReadTarget): Server {
    const server = nodeHttp().createServer({ maxHeaderSize: MAX_HEADER_BYTES, insecureHTTPParser: false });
    // What follows the first request on a connection is not looked at: nothing can be hidden in it.
    server.maxRequestsPerSocket = 1;
    server.on('request', (asked, answer) => void this.#pass(asked, answer, readTarget));
    server.on('clientError', (_, client) => {
      refuse(client, 400, 'The request is no HTTP that can be read in one way only.');
    });
    return server;
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse, readTarget: ReadTarget): Promise<void> {
    const { dialer, idleMs } = this.#options;
    this.#endTimer(asked.socket);
    try {
      const options = { dialer, idleMs, maxHeaderBytes: MAX_HEADER_BYTES, signal: this.#whileOpen(answer) };
      await forward(asked, answer, { ...options, target: readTarget(asked) });
    } catch (error) {
      const { status, sentence } = toRefusal(error);
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' }).end(`devs: ${sentence}\n`);
    }
  }

  async #connect(asked: IncomingMessage, client: Duplex, head: Uint8Array): Promise<void> {
    this.#endTimer(client);
    try {
      const target = targetOfConnect(asked);
      await (target.isSecure ? this.#openTunnel(client, head, target) : this.#openInner(client, head, target));
    } catch (error) {
      const { status, sentence } = toRefusal(error);
      refuse(client, status, sentence);
    }
  }

  async #openTunnel(client: Duplex, head: Uint8Array, { host, port }: Target): Promise<void> {
    const onward = await this.#options.dialer.dial(host, port, this.#whileOpen(client));
    try {
      establish(client, head);
    } catch (error) {
      onward.destroy();
      throw error;
    }
    await joinTunnel({ client, onward }, { host, ...this.#options });
  }

  #openInner(client: Duplex, head: Uint8Array, target: Target): void {
    this.#options.dialer.check(target.host, target.port);
    establish(client, head);
    this.#within.set(client, target);
    this.#startTimer(client);
    this.#inner.emit('connection', client);
  }

  /** Aborted when whoever asked is gone, and at the end of it all. */
  #whileOpen(client: EventEmitter): AbortSignal {
    const gone = new AbortController();
    client.once('close', () => {
      gone.abort();
    });
    return AbortSignal.any([this.#closing.signal, gone.signal]);
  }
}

function establish(client: Duplex, head: Uint8Array): void {
  // Bytes that came unasked could be a request to one reader and a part of the tunnel to another.
  if (head.length > 0 || client.readableLength > 0) throw fetchFailed('A client waits until it is connected.');
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
}

/** What devs has decided has no cause; what has one went wrong elsewhere, and may be tried again. */
function toRefusal(error: unknown): { readonly status: 403 | 502; readonly sentence: string } {
  const status = DevsError.is(error) && error.cause === undefined ? 403 : 502;
  return { status, sentence: toFetchFailure(error).sentence };
}

function refuse(client: Duplex, status: number, sentence: string): void {
  if (client.writable) client.end(`HTTP/1.1 ${String(status)} Refused\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\ndevs: ${sentence}\n`);
}
