import { cutWords, describeCause, DevsError, type JsonObject, type StructuredLogger } from '@devs/core';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { Connection } from './connection.ts';
import { BackOff, type Timers } from './timers.ts';
import type { ClientSide, ServerInfo, Upstream, UpstreamAnswer, UpstreamRequest } from '../../protocol/upstream.ts';

export interface LiveUpstreamOptions {
  readonly name: string;
  /** Starts and greets the server. Rejects with `DevsError`; what it has started is gone then. */
  readonly open: (stop: AbortSignal) => Promise<Connection>;
  readonly client: ClientSide;
  readonly logger: StructuredLogger;
  readonly timers: Timers;
  readonly random: () => number;
  /** How the last life ended, for the log. */
  readonly describeEnd: () => string;
}

const MOST_FAILED_STARTS = 5;

/** The server has forgotten the session that a request was for: it has done nothing of it. */
export class SessionGone extends Error {}

/** Whether a request that was rejected may be made again at once, in a session that the server knows. */
export function isSessionGone(cause: unknown): boolean {
  return DevsError.is(cause) && cause.cause instanceof SessionGone;
}

/** The server is busy, not broken. */
export class ServerBusy extends Error {}

/**
 * Keeps one server there for one client: started when it is first asked for, started again after it died,
 * left alone when it cannot be started. A request waits for a start that is under way, and for no other.
 */
export class LiveUpstream implements Upstream {
  readonly name: string;
  readonly #options: LiveUpstreamOptions;
  readonly #breaker: CircuitBreaker;
  readonly #backOff: BackOff;
  readonly #stop = new AbortController();
  #connection: Connection | undefined;
  #starting: Promise<Connection> | undefined;
  /** How long its last life was; undefined before the first. */
  #lastLifeMs: number | undefined;
  #lastFailure = '';
  #hasAnswered = false;

  constructor(options: LiveUpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    const { timers, random } = options;
    this.#breaker = new CircuitBreaker({ timers, random, mostFailures: MOST_FAILED_STARTS });
    this.#backOff = new BackOff(random);
  }

  get info(): ServerInfo | undefined {
    return this.#connection?.info;
  }

  async ready(signal: AbortSignal): Promise<ServerInfo> {
    return (this.#connection ?? (await this.#reach(signal))).info;
  }

  async request(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const connection = this.#connection ?? (await this.#reach(request.signal));
    try {
      const answer = await connection.request(request);
      this.#hasAnswered = true;
      return answer;
    } catch (cause) {
      if (!isSessionGone(cause)) throw cause;
      await connection.end();
      // A server that was put in the place of another forgets sessions, too: whoever calls a tool must look at the tools first.
      if (request.method === 'tools/call' || request.continuation !== undefined) throw cause;
      // It has said that it has not looked at the request: once more, in a session that it knows.
      return (await this.#reach(request.signal)).request(request);
    }
  }

  notify(method: string, params: JsonObject): void {
    this.#connection?.notify(method, params);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    const starting = this.#starting?.catch(() => undefined);
    await this.#connection?.end();
    await starting;
  }

  async #reach(signal: AbortSignal): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    if (signal.aborted) throw new DevsError('CALL_CANCELLED');
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(new DevsError('CALL_CANCELLED'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([this.#start(), promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** One start at a time, however many wait for it. */
  async #start(): Promise<Connection> {
    if (this.#stop.signal.aborted) throw ended();
    this.#starting ??= this.#open().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #open(): Promise<Connection> {
    const { waitMs } = this.#breaker;
    if (waitMs > 0) throw this.#leftAlone(waitMs);
    const { open, timers } = this.#options;
    const stop = this.#stop.signal;
    if (this.#lastLifeMs !== undefined && this.#breaker.failures < MOST_FAILED_STARTS) await timers.sleep(this.#delay(this.#lastLifeMs), stop);
    if (stop.aborted) throw ended();
    try {
      const connection = await open(stop);
      if (stop.aborted) {
        await connection.end();
        throw ended();
      }
      this.#breaker.noteSuccess();
      this.#adopt(connection);
      return connection;
    } catch (cause) {
      this.#noteFailure(cause);
      throw DevsError.is(cause) ? cause : new DevsError('UPSTREAM_UNAVAILABLE', { cause });
    }
  }

  #delay(lifeMs: number): number {
    const restartInMs = Math.round(this.#backOff.delayAfter(lifeMs));
    const { logger, name, describeEnd } = this.#options;
    logger.warn('UPSTREAM_ENDED', { source: name, exit: describeEnd(), restartInMs });
    return restartInMs;
  }

  #adopt(connection: Connection): void {
    const { timers, client } = this.#options;
    const startedAt = timers.monotonicMs();
    this.#connection = connection;
    this.#hasAnswered = false;
    void connection.closed.then(() => {
      this.#connection = undefined;
      this.#lastLifeMs = timers.monotonicMs() - startedAt;
      if (this.#stop.signal.aborted) return;
      client.onEvent({ kind: 'lost' });
      // Whoever has used it hears of its changes; one that nobody has used is started when it is asked for.
      if (this.#hasAnswered) void this.#start().catch(() => undefined);
    });
  }

  #noteFailure(cause: unknown): void {
    if (this.#stop.signal.aborted) return;
    const isBusy = DevsError.is(cause) && cause.cause instanceof ServerBusy;
    this.#lastLifeMs = 0;
    this.#lastFailure = DevsError.is(cause) ? cause.sentence : '';
    if (!isBusy) this.#breaker.noteFailure();
    const { logger, name } = this.#options;
    logger.warn('UPSTREAM_START_FAILED', { source: name, error: cutWords(describeCause(cause), 500) });
  }

  #leftAlone(waitMs: number): DevsError {
    const seconds = Math.ceil(waitMs / 1_000);
    const sentence = `The server of this tool could not be started ${this.#breaker.failures} times in a row; devs tries again in ${seconds} seconds. ${this.#lastFailure}`;
    return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: sentence.trimEnd(), suggestion: `Go on without it, or call again in ${seconds} seconds.` });
  }
}

function ended(): DevsError {
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: 'The server of this tool has been ended.', suggestion: 'Go on without it.' });
}
