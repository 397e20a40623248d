import type { IncomingMessage } from 'node:http';
import { DevsError } from '@devs/core';
import type { Content } from '../../raw/message-buffer.ts';
import { BackOff, type Timers } from '../protocol/timers.ts';
import type { HttpClient } from './http-client.ts';
import { SseParser } from './sse-parser.ts';

export interface EventStreamsOptions {
  readonly client: HttpClient;
  readonly timers: Timers;
  readonly maxMessageBytes: number;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly onContent: (content: Content, about: number | undefined) => void;
}

export interface Followed {
  readonly about: number | undefined;
  readonly signal: AbortSignal;
  /** Whether a stream that breaks is gone on with where the server can. */
  readonly isResumed: boolean;
  /** Nothing more is expected of it. */
  readonly isDone: () => boolean;
}

interface Position {
  lastId: string | undefined;
  retryMs: number | undefined;
  /** Something has come since the stream was opened. */
  isAlive: boolean;
}

/** In a row, without a word between. */
const MOST_ATTEMPTS = 5;
/** A server that wishes to be asked again at once is not asked a thousand times a second. */
const LEAST_RETRY_MS = 10;
const LONGEST_RETRY_MS = 60_000;

/** The streams of events of a server: of single requests, and the one on which it speaks unasked. */
export class EventStreams {
  readonly #options: EventStreamsOptions;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /** Reads on until the answer has come. Rejects with `UPSTREAM_LOST` when it never will. */
  async follow(first: IncomingMessage, followed: Followed): Promise<void> {
    const position: Position = { lastId: undefined, retryMs: undefined, isAlive: false };
    await this.#read(first, followed, position);
    if (!followed.isDone() && followed.isResumed && position.lastId !== undefined) await this.#resume(followed, position);
    if (!followed.isDone() && !followed.signal.aborted) throw new DevsError('UPSTREAM_LOST');
  }

  /** Hears what the server says unasked, where it says anything. */
  async listen(signal: AbortSignal): Promise<void> {
    const followed: Followed = { about: undefined, signal, isResumed: true, isDone: () => false };
    await this.#resume(followed, { lastId: undefined, retryMs: undefined, isAlive: true });
  }

  async #resume(followed: Followed, position: Position): Promise<void> {
    const { client, timers, headers } = this.#options;
    const backOff = new BackOff();
    let isFirst = followed.about === undefined;
    for (let attempt = 0; attempt < MOST_ATTEMPTS && !followed.isDone(); attempt += 1) {
      if (!isFirst) await timers.sleep(waitFor(position, backOff), followed.signal);
      isFirst = false;
      if (followed.signal.aborted || followed.isDone()) return;
      position.isAlive = false;
      const last = position.lastId === undefined ? {} : { 'last-event-id': position.lastId };
      const answer = await client.send({ method: 'GET', headers: { ...headers(), ...last }, signal: followed.signal }).catch(() => undefined);
      if (answer !== undefined && !isStream(answer)) {
        answer.destroy();
        // It has no such stream, or no longer.
        return;
      }
      if (answer !== undefined) await this.#read(answer, followed, position);
      if (position.isAlive) attempt = 0;
    }
  }

  /** Until the stream ends, in whatever way. */
  async #read(answer: IncomingMessage, { about }: Followed, position: Position): Promise<void> {
    const parser = new SseParser({
      maxBytes: this.#options.maxMessageBytes,
      onEvent: (content) => {
        position.isAlive = true;
        this.#options.onContent(content, about);
      },
      onId: (id) => {
        position.lastId = id === '' ? undefined : id;
      },
      onRetry: (milliseconds) => {
        position.retryMs = Math.min(Math.max(milliseconds, LEAST_RETRY_MS), LONGEST_RETRY_MS);
      },
    });
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) parser.push(chunk);
    } catch {
      // It is gone on with, or told as lost, either way.
    }
  }
}

function waitFor({ retryMs }: Position, backOff: BackOff): number {
  return retryMs ?? backOff.delayAfter(0);
}

function isStream({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 200 && headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'text/event-stream';
}
