import { cutWords, describeCause, DevsError, silentLogger, type JsonObject, type RawToolResult, type StructuredLogger } from '@devs/core';
import type { ClientHello } from '../client-hello.ts';
import { ChildServer, toSpawnFailure, type ChildExit, type ServerCommand } from './child-server.ts';
import type { ListedTool } from './listed-tools.ts';
import { Noise } from './noise.ts';
import { describeExit, toStartFailure } from './start-failure.ts';
import { BackOff, systemTimers, type Timers } from './timers.ts';
import { ToolRefresh } from './tool-refresh.ts';
import { UpstreamSession } from './upstream-session.ts';

export interface UpstreamServerOptions extends ServerCommand {
  /** What the server is called in the log. */
  readonly source: string;
  /** Given what the server lists: at its start, after each restart, and when it says that its tools changed. */
  readonly onTools: (listed: readonly ListedTool[]) => Promise<void>;
  readonly logger?: StructuredLogger;
  /** Largest message from the server, in bytes. Default 33,554,432. */
  readonly maxMessageBytes?: number;
  /** Milliseconds that the server gets to start and list its tools; later, for each page of a list. Default 60,000. */
  readonly startTimeoutMs?: number;
  readonly timers?: Timers;
}

const MAX_MESSAGE_BYTES = 33_554_432;
const START_TIMEOUT_MS = 60_000;

/**
 * One stdio MCP server behind devs: started when a client says hello, started again when it dies. A
 * call is answered or fails; none waits for a server that is not there.
 */
export class UpstreamServer {
  readonly #options: UpstreamServerOptions;
  readonly #logger: StructuredLogger;
  readonly #timers: Timers;
  readonly #noise: Noise;
  readonly #startTimeoutMs: number;
  readonly #stop = new AbortController();
  #child: ChildServer | undefined;
  /** The one that answers calls; undefined while there is none. */
  #session: UpstreamSession | undefined;
  #supervision: Promise<void> | undefined;
  #lastExit: ChildExit | undefined;

  constructor(options: UpstreamServerOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#timers = options.timers ?? systemTimers;
    this.#noise = new Noise(this.#logger, options.source, this.#timers);
    this.#startTimeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
  }

  /** Resolves when the tools are listed. Rejects with `UPSTREAM_UNAVAILABLE` and the reason when there is no server to be had. */
  async start(hello: ClientHello): Promise<void> {
    const session = await this.#open(hello);
    this.#supervision = this.#supervise(session, hello);
  }

  /** Rejects with `UPSTREAM_UNAVAILABLE`, `UPSTREAM_LOST` or `UPSTREAM_ANSWER_REFUSED`. */
  async call(name: string, args: JsonObject, signal: AbortSignal): Promise<RawToolResult> {
    if (this.#session === undefined) throw new DevsError('UPSTREAM_UNAVAILABLE');
    return this.#session.call(name, args, signal);
  }

  /** Ends the server for good. Resolves when it is gone, with how its last process ended; undefined when there was none. */
  async end(): Promise<ChildExit | undefined> {
    this.#stop.abort();
    await this.#child?.end();
    await this.#supervision;
    return this.#lastExit;
  }

  /** Starts a process, greets it and lists its tools. Only then does it answer calls. */
  async #open(hello: ClientHello): Promise<UpstreamSession> {
    const child = this.#spawn();
    const startedAt = this.#timers.monotonicMs();
    let timeLeft = () => Math.max(1, this.#startTimeoutMs - (this.#timers.monotonicMs() - startedAt));
    const refresh = new ToolRefresh({
      list: async () => this.#options.onTools(await session.listTools(() => timeLeft())),
      pause: async (milliseconds) => this.#timers.sleep(milliseconds, this.#stop.signal),
      onFailure: (cause) => this.#warn('UPSTREAM_LIST_FAILED', cause),
    });
    const session = new UpstreamSession(child, hello, {
      maxMessageBytes: this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      timers: this.#timers,
      onNoise: (problem) => this.#noise.hear(problem),
      onToolsChanged: () => refresh.request(),
    });
    try {
      await session.connect(this.#startTimeoutMs);
      await refresh.first();
    } catch (cause) {
      throw await this.#giveUp(child, cause);
    }
    timeLeft = () => this.#startTimeoutMs;
    this.#session = session;
    return session;
  }

  #spawn(): ChildServer {
    if (this.#stop.signal.aborted) throw new DevsError('SERVER_STOPPING');
    try {
      const child = new ChildServer(this.#options, this.#timers);
      this.#child = child;
      void child.exited.then((exit) => {
        this.#lastExit = exit;
      });
      return child;
    } catch (cause) {
      this.#lastExit = toSpawnFailure(cause);
      throw toStartFailure({ command: this.#options.command, exit: this.#lastExit, timeoutMs: this.#startTimeoutMs, cause });
    }
  }

  async #giveUp(child: ChildServer, cause: unknown): Promise<DevsError> {
    const exitBefore = child.exit;
    const ended = await child.end();
    const neverStarted = ended.kind !== 'ended' && ended.kind !== 'killed';
    const exit = neverStarted ? ended : exitBefore;
    return toStartFailure({ command: this.#options.command, exit, timeoutMs: this.#startTimeoutMs, cause });
  }

  /** Ends when `end` is called; until then a server that dies is followed by another. */
  async #supervise(first: UpstreamSession, hello: ClientHello): Promise<void> {
    const backOff = new BackOff();
    let session: UpstreamSession | undefined = first;
    while (session !== undefined) {
      const startedAt = this.#timers.monotonicMs();
      await session.closed;
      this.#session = undefined;
      session = await this.#reopen(hello, { backOff, lifeMs: this.#timers.monotonicMs() - startedAt });
    }
  }

  async #reopen(hello: ClientHello, { backOff, lifeMs }: { readonly backOff: BackOff; readonly lifeMs: number }) {
    const { source } = this.#options;
    for (let life = lifeMs; ; life = 0) {
      if (this.#stop.signal.aborted) return undefined;
      const restartInMs = backOff.delayAfter(life);
      const exit = this.#lastExit === undefined ? '' : describeExit(this.#lastExit);
      this.#logger.warn('UPSTREAM_ENDED', { source, exit, restartInMs });
      await this.#timers.sleep(restartInMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return undefined;
      try {
        return await this.#open(hello);
      } catch (cause) {
        this.#warn('UPSTREAM_START_FAILED', cause);
      }
    }
  }

  #warn(event: string, cause: unknown): void {
    this.#logger.warn(event, { source: this.#options.source, error: cutWords(describeCause(cause), 500) });
  }
}
