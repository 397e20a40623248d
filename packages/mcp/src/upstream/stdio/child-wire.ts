import { nextTick } from 'node:process';
import { DevsError, type JsonObject } from '@devs/core';
import { LineFramer, type Frame } from '../../raw/line-framer.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { Timers } from '../protocol/timers.ts';
import type { Wire, WireListener, WireRequest } from '../protocol/wire.ts';
import { untilDrained, type ServerProcess } from './child-server.ts';

export interface ChildWireOptions {
  readonly process: ServerProcess;
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  readonly timers: Timers;
}

/** Bytes that may wait for a server that does not read. */
const MOST_WAITING_BYTES = 4_194_304;

/** MCP over the pipes of a process: a message a line. */
export class ChildWire implements Wire {
  readonly closed: Promise<void>;
  readonly #process: ServerProcess;
  readonly #listener: WireListener;
  #isCorked = false;

  constructor({ process, maxMessageBytes, timers }: ChildWireOptions, listener: WireListener) {
    this.#process = process;
    this.#listener = listener;
    const { input, output } = process;
    const framer = new LineFramer({ maxBytes: maxMessageBytes, onFrame: (frame) => this.#read(frame) });
    output.on('data', (chunk: Buffer) => framer.push(chunk));
    output.once('end', () => framer.end());
    for (const stream of [input, output]) {
      // No answer will come, or no call can go, though the process lives.
      const onBroken = () => void process.end();
      stream.on('error', onBroken);
      stream.once('close', onBroken);
    }
    this.closed = this.#watch(timers);
  }

  request({ id, method, params }: WireRequest): void {
    const { input } = this.#process;
    if (!input.writable) throw new DevsError('UPSTREAM_UNAVAILABLE');
    if (input.writableLength > MOST_WAITING_BYTES) {
      throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence: 'The server of this tool does not take calls at the moment.' });
    }
    this.#write({ jsonrpc: '2.0', id, method, params });
  }

  /** Lost when the server does not read: one that asks and never listens must not fill the memory. */
  send(message: JsonObject): void {
    const { input } = this.#process;
    if (input.writable && input.writableLength <= MOST_WAITING_BYTES) this.#write(message);
  }

  abandon(requestId: number, isTold: boolean): void {
    if (!isTold) return;
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'Nobody waits for the answer any more.' } });
  }

  answered(): void {}

  /** A process is told no version beside the handshake. */
  agreedOn(): void {}

  async end(): Promise<void> {
    await this.#process.end();
    await this.closed;
  }

  /** What one turn has to say goes in one write: calls come together, since the log begins them together. */
  #write(message: JsonObject): void {
    const { input } = this.#process;
    if (!this.#isCorked) {
      this.#isCorked = true;
      input.cork();
      nextTick(() => this.#flush());
    }
    input.write(`${JSON.stringify(message)}\n`);
  }

  #flush(): void {
    this.#isCorked = false;
    this.#process.input.uncork();
  }

  #read(frame: Frame): void {
    if (frame.kind === 'oversized') return this.#listener.onOversized(frame.peek, frame.problem);
    const message = parseMessage(frame.bytes);
    if (message === undefined) return this.#listener.onViolation('a line that is no message');
    this.#listener.onMessage(message, { about: undefined, bytes: frame.bytes.length });
  }

  async #watch(timers: Timers): Promise<void> {
    const { exited, input, output } = this.#process;
    await exited;
    // Nothing more can be asked; what it answered in its last moment is an answer.
    input.destroy();
    await untilDrained(output, timers);
    output.destroy();
  }
}
