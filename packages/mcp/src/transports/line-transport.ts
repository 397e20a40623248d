import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Readable, Writable } from 'node:stream';
import { describeCause, DevsError, type StructuredLogger } from '@devs/core';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { ClientHello } from '../client-hello.ts';
import { Arrivals } from '../raw/arrivals.ts';
import { LineFramer } from '../raw/line-framer.ts';
import { MessageGuard } from '../raw/message-guard.ts';

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  readonly logger: StructuredLogger;
  /** Resolves once the refused call is in the log. Never rejects. */
  readonly record: (params: unknown, refusal: DevsError) => Promise<void>;
  /** Awaited after the client's first request and before anything is served. Rejects when it cannot be served. */
  readonly opening?: ((hello: ClientHello) => Promise<void>) | undefined;
}

/** Answers, in bytes, that may wait for a client that does not read. */
const MOST_WAITING = 1024 * 1024;
/** Requests of one client that may be open; then it is not read from until some are answered. */
const MOST_OPEN = 1_024;
const INTERNAL_ERROR = -32_603;

/**
 * One JSON message a line, over a pair of streams, guarded. In the place of the SDK's own, whose buffer
 * takes quadratic time and whose reader drops what it cannot parse.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly arrivals = new Arrivals(() => this.#adjustFlow());
  readonly #options: LineTransportOptions;
  readonly #guard: MessageGuard;
  readonly #framer: LineFramer;
  readonly #ended = Promise.withResolvers<void>();
  readonly #inputEnded = Promise.withResolvers<void>();
  /** Messages that wait for the opening; undefined once it is over. */
  #waiting: object[] | undefined;
  #recording = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  #isCorked = false;
  #isClosed = false;

  constructor(options: LineTransportOptions) {
    this.#options = options;
    this.#guard = new MessageGuard({
      arrivals: this.arrivals,
      deliver: (message) => this.#deliver(message),
      answer: (message) => this.#write(message),
      record: async (params, refusal) => this.#record(params, refusal),
      greet: (hello) => this.#open(hello),
      report: (problem) => options.logger.warn('MCP_MESSAGE_REFUSED', { problem }),
    });
    this.#framer = new LineFramer({ maxBytes: options.maxMessageBytes, onFrame: (frame) => this.#guard.receive(frame) });
  }

  /** Resolves when nothing comes or goes any more. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Resolves when the client has said its last. */
  get inputEnded(): Promise<void> {
    return this.#inputEnded.promise;
  }

  /** Resolves when every request that has come so far is answered. */
  async idle(): Promise<void> {
    this.#idle ??= Promise.withResolvers<void>();
    this.#adjustFlow();
    await this.#idle.promise;
    // The gate is done with a call a moment before its answer is written.
    await setImmediate();
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', this.#onData);
    for (const event of ['end', 'close', 'error']) input.once(event, this.#onInputEnd);
    // Calls that wait for the client to read each listen; how many wait is bounded.
    output.setMaxListeners(0).on('drain', this.#onDrain).on('error', this.#onOutputError);
    if (input.readableEnded || input.destroyed) this.#onInputEnd();
  }

  /** Resolves once the message is on its way; a closed connection swallows it. */
  async send(message: JSONRPCMessage): Promise<void> {
    const unseen = !('method' in message) && message.id !== undefined ? this.arrivals.end(message.id) : undefined;
    // The SDK turned a call away before the gate could see it: it is recorded before it is answered.
    if (unseen !== undefined) await this.#record(unseen.params, toSdkRefusal(message));
    this.#write(message);
  }

  /** The SDK tells what the handshake agreed on. */
  setProtocolVersion(version: string): void {
    this.#guard.agreedOn(version);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { input, output } = this.#options;
    this.#flush();
    input.off('data', this.#onData).pause();
    output.off('drain', this.#onDrain);
    this.#onInputEnd();
    this.#ended.resolve();
    this.onclose?.();
  }

  /** Resolves when the client takes answers again, or never will: one that does not read must not fill the memory. */
  async untilRead(): Promise<void> {
    const { output } = this.#options;
    while (output.writableLength > MOST_WAITING && output.writable && !this.#isClosed) {
      const stop = new AbortController();
      const drained = once(output, 'drain', { signal: stop.signal }).catch(() => undefined);
      await Promise.race([drained, this.ended]);
      stop.abort();
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#framer.push(chunk);
    this.#adjustFlow();
  };

  readonly #onInputEnd = (): void => {
    this.#framer.end();
    this.#inputEnded.resolve();
  };

  readonly #onDrain = (): void => this.#adjustFlow();

  /** A client that stops reading breaks the pipe; its calls are logged all the same. */
  readonly #onOutputError = (error: Error): void => {
    if (this.#isClosed) return;
    this.onerror?.(error);
    void this.close();
  };

  #adjustFlow(): void {
    const { input, output, maxMessageBytes } = this.#options;
    if (this.#isClosed) return;
    const open = this.arrivals.count + this.#recording;
    if (open === 0) this.#idle?.resolve();
    const isFull =
      open >= MOST_OPEN ||
      this.arrivals.bytes > 2 * maxMessageBytes ||
      output.writableLength > MOST_WAITING;
    if (isFull) input.pause();
    else if (input.isPaused()) input.resume();
  }

  async #record(params: unknown, refusal: DevsError): Promise<void> {
    this.#recording += 1;
    try {
      await this.#options.record(params, refusal);
    } finally {
      this.#recording -= 1;
      this.#adjustFlow();
    }
  }

  #deliver(message: object): void {
    if (this.#waiting === undefined) this.onmessage?.(message as JSONRPCMessage);
    else this.#waiting.push(message);
  }

  #open(hello: ClientHello): void {
    const { opening } = this.#options;
    if (opening === undefined) return;
    this.#waiting = [];
    opening(hello).then(
      () => this.#release(),
      (cause: unknown) => this.#giveUp(cause),
    );
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.#deliver(message);
  }

  /** Nobody can be served: whoever asked is told why. */
  #giveUp(cause: unknown): void {
    const message = DevsError.is(cause) ? cause.sentence : 'The connection cannot be served.';
    this.#options.logger.error('MCP_OPENING_FAILED', { error: describeCause(cause) });
    for (const id of this.arrivals.ids) this.#write({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
    void this.close();
  }

  /** Answers of one turn of the event loop leave in one system call. */
  #write(message: object): void {
    const { output } = this.#options;
    if (this.#isClosed || !output.writable) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      output.cork();
      void setImmediate().then(() => this.#flush());
    }
    output.write(`${JSON.stringify(message)}\n`);
  }

  #flush(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#options.output.uncork();
  }
}

function toSdkRefusal(message: JSONRPCMessage): DevsError {
  const reason = 'error' in message ? message.error.message : 'answered by the protocol layer';
  return new DevsError('MESSAGE_REFUSED', { sentence: `The message was refused: ${JSON.stringify(reason.slice(0, 200).toWellFormed())}.` });
}
