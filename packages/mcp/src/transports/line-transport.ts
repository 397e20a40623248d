import { once, setMaxListeners } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Readable, Writable } from 'node:stream';
import { describeCause, DevsError, type StructuredLogger } from '@devs/core';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { ClientInfo } from '../client-info.ts';
import { Arrivals, type Arrival } from '../raw/arrivals.ts';
import { LineFramer, type Frame } from '../raw/line-framer.ts';
import { MessageGuard } from '../raw/message-guard.ts';
import { isId, type RequestId } from '../raw/read-message.ts';
import { OpenStreams } from './open-streams.ts';
import { toSdkRefusal } from '../raw/substitute.ts';

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  readonly logger: StructuredLogger;
  /** Resolves once the refused call is in the log. Never rejects. */
  readonly record: (params: unknown, refusal: DevsError) => Promise<void>;
  /** What is done as long as a stream of the client's is open. */
  readonly watch?: (params: unknown) => AsyncDisposable | undefined;
  /** Awaited after the client's first request and before anything is served. Rejects when it cannot be served. */
  readonly opening?: ((info: ClientInfo) => Promise<void>) | undefined;
}

/** Bytes that may wait: answers for a client that does not read, and messages for an opening that takes its time. */
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
  readonly #streams: OpenStreams;
  readonly #ended = Promise.withResolvers<void>();
  readonly #inputEnded = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  /** Messages that wait for the opening; undefined once it is over. */
  #waiting: object[] | undefined;
  #waitingBytes = 0;
  #recording = 0;
  #recordingBytes = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  #isCorked = false;
  #isClosed = false;

  constructor(options: LineTransportOptions) {
    this.#options = options;
    const onFailure = (cause: unknown) => options.logger.warn('STREAM_NOT_WATCHED', { error: describeCause(cause) });
    this.#streams = new OpenStreams(options.watch ?? (() => undefined), onFailure);
    this.#guard = new MessageGuard({
      arrivals: this.arrivals,
      deliver: (message) => this.#deliver(message),
      answer: (message) => this.#write(message),
      record: async (params, refusal, bytes) => this.#record({ params, bytes }, refusal),
      greet: (info) => void this.#open(info),
      listen: (id, params) => this.#streams.open(id, params),
      unlisten: (id) => this.#streams.close(id),
      report: (problem) => options.logger.warn('MCP_MESSAGE_REFUSED', { problem }),
    });
    this.#framer = new LineFramer({ maxBytes: options.maxMessageBytes, onFrame: (frame) => this.#receive(frame) });
  }

  /** Resolves when nothing comes or goes any more. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Resolves when the client has said its last. */
  get inputEnded(): Promise<void> {
    return this.#inputEnded.promise;
  }

  /** Resolves when every request that has come so far is answered, or the connection is closed. */
  async idle(): Promise<void> {
    do {
      if (this.#isClosed) return;
      const idle = (this.#idle ??= Promise.withResolvers<void>());
      this.#adjustFlow();
      await idle.promise;
      this.#idle = undefined;
      // The gate is done with a call a moment before its answer is written, and a refusal is recorded before it.
      await setImmediate();
    } while (this.#openCount > 0);
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', this.#onData);
    for (const event of ['end', 'close', 'error']) input.once(event, this.#onInputEnd);
    // Calls that wait for the client to read each listen; how many wait is bounded.
    setMaxListeners(0, this.#closing.signal);
    output.setMaxListeners(0).on('drain', this.#onDrain).on('error', this.#onOutputError).once('close', this.#onOutputClose);
    if (input.readableEnded || input.destroyed) this.#onInputEnd();
  }

  /** Resolves once the message is on its way; a closed connection swallows it. */
  async send(message: JSONRPCMessage): Promise<void> {
    const unseen = 'method' in message ? undefined : this.#endRequest(message.id);
    // The SDK turned a call away before the gate could see it: it is recorded before it is answered.
    if (unseen !== undefined) await this.#record(unseen, toSdkRefusal(message));
    this.#write(message);
  }

  /** Answered: a stream too is over then, or was none. Gives the call that the gate has not seen. */
  #endRequest(id: RequestId | undefined): Arrival | undefined {
    if (id === undefined) return undefined;
    this.#streams.close(id);
    return this.arrivals.end(id);
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
    this.#closing.abort();
    this.#streams.closeAll();
    this.#idle?.resolve();
    this.onclose?.();
    // What the SDK has taken reaches the gate in this turn. The rest it drops, and so it would miss the log.
    await setImmediate();
    for (const call of this.arrivals.endUnseen()) void this.#record(call, call.refusal ?? new DevsError('CALL_CANCELLED'));
    this.#ended.resolve();
  }

  /** Resolves when the client takes answers again, or never will: one that does not read must not fill the memory. */
  async untilRead(): Promise<void> {
    const { output } = this.#options;
    while (output.writableLength > MOST_WAITING && output.writable && !this.#isClosed) {
      await once(output, 'drain', { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  /** Resolves when answers have waited for so long without one being read, or the connection is closed. */
  async untilStuck(patienceMs: number): Promise<void> {
    const { output } = this.#options;
    let isStuck = false;
    while (!isStuck && !this.#isClosed) {
      const waiting = output.writableLength;
      await setTimeout(patienceMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      isStuck = waiting > MOST_WAITING && output.writableLength >= waiting;
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

  readonly #onOutputClose = (): void => void this.close();

  readonly #onDrain = (): void => this.#adjustFlow();

  /** A client that stops reading breaks the pipe; its calls are logged all the same. */
  readonly #onOutputError = (error: Error): void => {
    if (this.#isClosed) return;
    this.onerror?.(error);
    void this.close();
  };

  get #openCount(): number {
    return this.arrivals.count + this.#recording;
  }

  #adjustFlow(): void {
    const { input, output, maxMessageBytes } = this.#options;
    if (this.#isClosed) return;
    if (this.#openCount === 0) this.#idle?.resolve();
    const isFull =
      this.#openCount >= MOST_OPEN ||
      this.arrivals.bytes + this.#recordingBytes > 2 * maxMessageBytes ||
      this.#waitingBytes > MOST_WAITING ||
      output.writableLength > MOST_WAITING;
    if (isFull) input.pause();
    else if (input.isPaused()) input.resume();
  }

  async #record({ params, bytes }: { readonly params: unknown; readonly bytes: number }, refusal: DevsError): Promise<void> {
    this.#recording += 1;
    this.#recordingBytes += bytes;
    try {
      await this.#options.record(params, refusal);
    } finally {
      this.#recording -= 1;
      this.#recordingBytes -= bytes;
      this.#adjustFlow();
    }
  }

  #receive(frame: Frame): void {
    if (this.#waiting !== undefined && frame.kind === 'line') this.#waitingBytes += frame.bytes.length;
    this.#guard.receive(frame);
  }

  #deliver(message: object): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(message);
      return;
    }
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (cause) {
      // Whoever asked is answered, and the messages behind this one are served.
      this.#options.logger.error('MCP_MESSAGE_FAILED', { error: describeCause(cause) });
      if ('method' in message && 'id' in message && isId(message.id)) void this.#turnAway(message.id, new DevsError('INTERNAL_ERROR'));
    }
  }

  async #open(info: ClientInfo): Promise<void> {
    const { opening } = this.#options;
    if (opening === undefined) return;
    this.#waiting = [];
    try {
      await opening(info);
      this.#release();
    } catch (cause) {
      await this.#giveUp(cause);
    }
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    for (const message of waiting) this.#deliver(message);
    this.#adjustFlow();
  }

  /** Nobody can be served: whoever asked is told why. */
  async #giveUp(cause: unknown): Promise<void> {
    this.#options.logger.error('MCP_OPENING_FAILED', { error: describeCause(cause) });
    this.#options.input.off('data', this.#onData);
    const refusal = DevsError.is(cause) ? cause : new DevsError('INTERNAL_ERROR', { sentence: 'The connection cannot be served.', cause });
    await Promise.all(this.arrivals.ids.map(async (id) => this.#turnAway(id, refusal)));
    await this.close();
  }

  /** Answers a request that is not served; a call is recorded first. */
  async #turnAway(id: RequestId, refusal: DevsError): Promise<void> {
    const unseen = this.arrivals.end(id);
    if (unseen !== undefined) await this.#record(unseen, unseen.refusal ?? refusal);
    this.#write({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: refusal.sentence } });
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
    output.write(`${this.#toText(message)}\n`);
  }

  /** An answer that JSON cannot say is answered as a failure: whoever asked must not wait for ever. */
  #toText(message: object): string {
    try {
      return JSON.stringify(message);
    } catch (cause) {
      this.#options.logger.error('MCP_ANSWER_UNREADABLE', { error: describeCause(cause) });
      if (!('id' in message) || 'method' in message) throw cause;
      return JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: INTERNAL_ERROR, message: 'The answer cannot be said in JSON.' } });
    }
  }

  #flush(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#options.output.uncork();
  }
}
