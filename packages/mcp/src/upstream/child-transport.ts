import type { Readable, Writable } from 'node:stream';
import { DevsError, isRecord } from '@devs/core';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { LineFramer, type Frame } from '../raw/line-framer.ts';

export interface ChildTransportOptions {
  /** The process's standard input. */
  readonly input: Writable;
  /** The process's standard output. */
  readonly output: Readable;
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  /** Told of what is nobody's answer, in devs's words. */
  readonly onNoise: (problem: string) => void;
  /** Told when a pipe has failed: no answer will come, or no call can go, though the process lives. */
  readonly onBroken: () => void;
}

/** Bytes that may wait for a server that does not read. */
const MOST_WAITING_BYTES = 4_194_304;
/** JSON-RPC's own word for it; the refusal is told by identity, in the data. */
const INTERNAL_ERROR = -32_603;
/** Progress and log lines come later than their call; whoever has nothing to do with them must not pay for them. */
const HEARD = 'notifications/tools/list_changed';

/**
 * MCP over the pipes of a server that is not trusted. Only answers to what was asked get through, each
 * once; a call whose answer is too large, or is none, fails at once instead of waiting for its deadline.
 */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: ChildTransportOptions;
  readonly #asked = new Set<number>();
  #isOpen = true;

  constructor(options: ChildTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { input, output, maxMessageBytes, onBroken } = this.#options;
    const framer = new LineFramer({ maxBytes: maxMessageBytes, onFrame: (frame) => this.#read(frame) });
    output.on('data', (chunk: Buffer) => framer.push(chunk));
    output.once('end', () => framer.end());
    for (const stream of [input, output]) {
      stream.on('error', onBroken);
      stream.once('close', onBroken);
    }
  }

  /** Rejects with `UPSTREAM_UNAVAILABLE` when the message cannot be taken to the server. */
  async send(message: JSONRPCMessage): Promise<void> {
    const { input } = this.#options;
    if (!this.#isOpen || !input.writable) throw new DevsError('UPSTREAM_UNAVAILABLE');
    if (input.writableLength > MOST_WAITING_BYTES) {
      throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence: 'The server of this tool does not take calls at the moment.' });
    }
    if (isJSONRPCRequest(message)) this.#asked.add(Number(message.id));
    input.write(`${JSON.stringify(message)}\n`);
  }

  /** What was asked and is not answered fails. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#asked.clear();
    this.onclose?.();
  }

  /** The process is gone: nothing more can be asked, but what it has answered is still read. */
  stopSending(): void {
    this.#options.input.destroy();
  }

  #read(frame: Frame): void {
    if (!this.#isOpen) return;
    if (frame.kind === 'line') return this.#readMessage(parse(frame.bytes));
    if (!this.#refuse(frame.glimpse.id, `a message that ${frame.problem}`)) this.#options.onNoise(`a message that ${frame.problem}`);
  }

  #readMessage(message: unknown): void {
    if (!isRecord(message)) return this.#options.onNoise('a line that is no message');
    if (message['method'] === undefined) return this.#readAnswer(message);
    if (isJSONRPCRequest(message)) this.onmessage?.(message);
    else if (isJSONRPCNotification(message) && message.method === HEARD) this.onmessage?.(message);
  }

  #readAnswer({ id, result, error }: Record<string, unknown>): void {
    if (typeof id !== 'number' || !this.#asked.has(id)) return this.#options.onNoise('an answer to nothing that was asked');
    const answer = error === undefined ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error };
    if (!isJSONRPCResultResponse(answer) && !isJSONRPCErrorResponse(answer)) return void this.#refuse(id, 'an answer that is none');
    this.#asked.delete(id);
    this.onmessage?.(answer);
  }

  /** Fails the call that was waiting for it. False when nobody was. */
  #refuse(id: unknown, problem: string): boolean {
    if (typeof id !== 'number' || !this.#asked.delete(id)) return false;
    const data = new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error(problem) });
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: '', data } });
    return true;
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
