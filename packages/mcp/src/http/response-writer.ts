import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { UnreadOf } from './unread.ts';

export interface ResponseWriterOptions {
  /** Of whoever is answered. */
  readonly unread: UnreadOf;
  /** Milliseconds without a byte taken, while bytes wait; then the connection is cut. */
  readonly timeoutMs: number;
  /** Bytes that may wait before another piece comes; more, and the connection is cut. */
  readonly maxWaitingBytes: number;
}

/** What is handed to the system at once: small enough for a slow reader to be seen reading. */
const SLICE_BYTES = 256 * 1024;

/**
 * Writes an answer as its client takes it. What waits is counted over all connections; a client that
 * takes nothing is cut off, or its answer would be held for ever.
 */
export class ResponseWriter {
  readonly #response: ServerResponse;
  readonly #options: ResponseWriterOptions;
  readonly #slices: Uint8Array[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #waiting = 0;
  #isWriting = false;
  #isEnding = false;

  constructor(response: ServerResponse, options: ResponseWriterOptions) {
    this.#response = response;
    this.#options = options;
    response.once('close', () => this.#close());
    if (response.destroyed) this.#close();
  }

  /** Resolves when the last byte is with the system, or the client is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  write(bytes: Uint8Array): void {
    const { unread, maxWaitingBytes } = this.#options;
    if (this.#response.destroyed) return;
    // What a server says of a call, or outside of one, has no end of its own, and answers to many may come at once: all that
    // waits for one principal is bounded as what waits on one connection is.
    const isTooMuch = this.#waiting > maxWaitingBytes || (unread.isOverfull && this.#waiting + bytes.length > SLICE_BYTES);
    if (isTooMuch) return void this.#response.destroy();
    this.#waiting += bytes.length;
    unread.add(bytes.length);
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) this.#slices.push(bytes.subarray(start, start + SLICE_BYTES));
    this.#next();
  }

  /** No more comes. */
  end(): void {
    this.#isEnding = true;
    this.#next();
  }

  #next(): void {
    if (this.#isWriting || this.#response.destroyed) return;
    const slice = this.#slices.shift();
    if (slice !== undefined) this.#hand(slice);
    else if (this.#isEnding) this.#response.end();
    this.#watch();
  }

  #hand(slice: Uint8Array): void {
    this.#isWriting = true;
    this.#response.write(slice, () => {
      this.#isWriting = false;
      if (this.#response.destroyed) return;
      this.#waiting -= slice.length;
      this.#options.unread.remove(slice.length);
      this.#next();
    });
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (!this.#isWriting && !this.#isEnding) return;
    this.#timer = setTimeout(() => this.#onTimeout(), this.#options.timeoutMs);
  }

  #onTimeout(): void {
    // Behind the answer to an earlier request of the connection: its client cannot take it yet.
    if (this.#response.socket === null) this.#watch();
    else this.#response.destroy();
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#options.unread.remove(this.#waiting);
    this.#waiting = 0;
    this.#slices.length = 0;
    this.#closed.resolve();
  }
}

export interface WholeAnswer {
  /** Of HTTP. */
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
}

/** Writes an answer that is all there. Resolves when it is with the system, or the client is gone. */
export async function sendWhole(response: ServerResponse, { status, headers, body }: WholeAnswer, options: ResponseWriterOptions): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { ...headers, 'content-length': body.length });
  const writer = new ResponseWriter(response, options);
  writer.write(body);
  writer.end();
  await writer.closed;
}
