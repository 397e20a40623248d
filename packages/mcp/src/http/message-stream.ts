import type { ServerResponse } from 'node:http';
import { describeCause, type StructuredLogger } from '@devs/core';
import { ResponseWriter, sendWhole, type ResponseWriterOptions } from './response-writer.ts';

export interface MessageStreamOptions {
  readonly writer: ResponseWriterOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between signs of life: clients give up on a stream on which nothing comes. */
  readonly keepAliveMs: number;
  readonly logger: StructuredLogger;
}

const INTERNAL_ERROR = -32_603;
const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
const SIGN_OF_LIFE = Buffer.from(': keepalive\n\n');

/** Messages over one HTTP answer: one alone as JSON, else as a stream of events, which begins with the first that is not the last. */
export class MessageStream {
  readonly #response: ServerResponse;
  readonly #options: MessageStreamOptions;
  readonly #closed = Promise.withResolvers<void>();
  readonly #signs: NodeJS.Timeout;
  #writer: ResponseWriter | undefined;
  #isEnding = false;

  constructor(response: ServerResponse, options: MessageStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#signs = setInterval(() => this.#begin().write(SIGN_OF_LIFE), options.keepAliveMs).unref();
    response.once('close', () => this.#close());
    if (response.destroyed) this.#close();
  }

  /** Resolves when the last byte is with the system, or the client is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Begins the stream, so that its client knows that it is there. */
  begin(): void {
    this.#begin();
  }

  send(message: object): void {
    if (!this.#isEnding) this.#begin().write(toEvent(this.#toText(message)));
  }

  /** Says the last, where there is one. */
  end(message?: object): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearInterval(this.#signs);
    if (message !== undefined && this.#writer === undefined) return this.#answer(message);
    const writer = this.#begin();
    if (message !== undefined) writer.write(toEvent(this.#toText(message)));
    writer.end();
  }

  #answer(message: object): void {
    const { headers, writer } = this.#options;
    const body = Buffer.from(this.#toText(message));
    void sendWhole(this.#response, { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body }, writer);
  }

  #begin(): ResponseWriter {
    if (this.#writer === undefined) {
      const { headers, writer } = this.#options;
      if (!this.#response.destroyed) this.#response.writeHead(200, { ...headers, ...EVENTS }).flushHeaders();
      this.#writer = new ResponseWriter(this.#response, writer);
    }
    return this.#writer;
  }

  /** An answer that JSON cannot say is answered as a failure: whoever asked must not wait for ever. */
  #toText(message: object): string {
    try {
      return JSON.stringify(message);
    } catch (cause) {
      this.#options.logger.error('MCP_ANSWER_UNREADABLE', { error: describeCause(cause) });
      const error = { code: INTERNAL_ERROR, message: 'The answer cannot be said in JSON.' };
      return JSON.stringify({ jsonrpc: '2.0', id: 'id' in message ? message.id : null, error });
    }
  }

  #close(): void {
    clearInterval(this.#signs);
    this.#isEnding = true;
    this.#closed.resolve();
  }
}

function toEvent(text: string): Buffer {
  return Buffer.from(`event: message\ndata: ${text}\n\n`);
}
