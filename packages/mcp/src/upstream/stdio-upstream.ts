import { DevsError, silentLogger, type Enforcement, type JsonObject, type StructuredLogger } from '@devs/core';
import { ChildServer, toSpawnFailure, type ChildExit, type ServerCommand, type ServerProcess } from './child-server.ts';
import { ChildWire } from './child-wire.ts';
import type { Connection } from './connection.ts';
import { EraMemory } from './era-memory.ts';
import { Confused, greet, greetAgain, type GreetingOptions } from './greeting.ts';
import { withDeadline } from './health.ts';
import { LegacyConnection } from './legacy-connection.ts';
import { LiveUpstream } from './live-upstream.ts';
import { ModernConnection } from './modern-connection.ts';
import { Noise } from './noise.ts';
import { Peer, type PeerLimits } from './peer.ts';
import { describeExit, toStartFailure } from './start-failure.ts';
import { systemTimers, type Timers } from './timers.ts';
import type { ClientSide, ServerHello, Upstream, UpstreamAnswer, UpstreamRequest } from './types.ts';
import { toLimits } from './upstream-limits.ts';

/** Starts a process of a server: as it is, or confined. May reject with `DevsError`. */
export type SpawnServer = (command: ServerCommand, timers: Timers) => ServerProcess | Promise<ServerProcess>;

export interface StdioUpstreamOptions {
  /** As the configuration names it, and as the log shows it. */
  readonly name: string;
  readonly command: ServerCommand;
  readonly client: ClientSide;
  /** Default: a process with the rights of devs, in a group of its own. */
  readonly spawn?: SpawnServer;
  readonly logger?: StructuredLogger;
  /** Largest message from the server, in bytes. Default 33,554,432. */
  readonly maxMessageBytes?: number;
  /** Milliseconds that the server gets to start and to be greeted. Default 60,000. */
  readonly startTimeoutMs?: number;
  readonly timers?: Timers;
  /** Between 0 and 1, for waits that many must not end at once. Default `Math.random`. */
  readonly random?: () => number;
  /** Shared by all connections to the server: what it speaks is found out once. */
  readonly eras?: EraMemory;
  readonly limits?: Partial<PeerLimits>;
}

/** One server that devs starts and speaks to over its standard input and output. */
export class StdioUpstream implements Upstream {
  readonly name: string;
  readonly #options: StdioUpstreamOptions;
  readonly #live: LiveUpstream;
  readonly #timers: Timers;
  readonly #noise: Noise;
  readonly #eras: EraMemory;
  readonly #startTimeoutMs: number;
  readonly #maxMessageBytes: number;
  #lastExit: ChildExit | undefined;
  #enforcement: Enforcement | undefined;

  constructor(options: StdioUpstreamOptions) {
    const { name, client, logger = silentLogger, timers = systemTimers, random = Math.random } = options;
    this.name = name;
    this.#options = options;
    this.#timers = timers;
    this.#noise = new Noise(logger, name, timers);
    this.#eras = options.eras ?? new EraMemory();
    this.#startTimeoutMs = options.startTimeoutMs ?? 60_000;
    this.#maxMessageBytes = options.maxMessageBytes ?? 33_554_432;
    const describeEnd = () => (this.#lastExit === undefined ? '' : describeExit(this.#lastExit));
    this.#live = new LiveUpstream({ name, client, logger, timers, random, describeEnd, open: async (stop) => this.#open(stop) });
  }

  get hello(): ServerHello | undefined {
    return this.#live.hello;
  }

  get enforcement(): Enforcement | undefined {
    return this.#enforcement;
  }

  /** How the last process ended; undefined before. */
  get lastExit(): ChildExit | undefined {
    return this.#lastExit;
  }

  async ready(signal: AbortSignal): Promise<ServerHello> {
    return this.#live.ready(signal);
  }

  async request(request: UpstreamRequest): Promise<UpstreamAnswer> {
    return this.#live.request(request);
  }

  notify(method: string, params: JsonObject): void {
    this.#live.notify(method, params);
  }

  async end(): Promise<void> {
    await this.#live.end();
  }

  /** Within the time of a start, which a second process does not begin anew. */
  async #open(stop: AbortSignal): Promise<Connection> {
    return withDeadline(this.#timers, this.#startTimeoutMs, async (late) => {
      const signal = AbortSignal.any([stop, late]);
      try {
        return await this.#greetOne(greet, signal);
      } catch (cause) {
        if (!(cause instanceof Confused) || signal.aborted) throw cause instanceof Confused ? this.#explain(undefined, cause.cause) : cause;
        const connection = await this.#greetOne(greetAgain, signal);
        if (connection.hello.era === 'legacy') this.#eras.learn('modern', false);
        return connection;
      }
    });
  }

  /** Starts a process and greets it. It is gone when that fails. */
  async #greetOne(greeting: (options: GreetingOptions) => Promise<ServerHello>, signal: AbortSignal): Promise<Connection> {
    const process = await this.#spawn();
    const { client, limits } = this.#options;
    const timers = this.#timers;
    const wireOptions = { process, maxMessageBytes: this.#maxMessageBytes, timers };
    const peer = new Peer({
      client,
      timers,
      limits: toLimits(limits, this.#maxMessageBytes),
      onNoise: (problem) => this.#noise.hear(problem),
      openWire: (listener) => new ChildWire(wireOptions, listener),
    });
    try {
      const hello = await greeting({ peer, client: client.hello, eras: this.#eras, timers, signal });
      if (hello.era === 'legacy') return new LegacyConnection(peer, hello, timers);
      return new ModernConnection({ peer, hello, client, timers, headers: undefined });
    } catch (cause) {
      throw await this.#giveUp(process, cause);
    }
  }

  async #spawn(): Promise<ServerProcess> {
    const { command, spawn = spawnChild } = this.#options;
    try {
      const process = await spawn(command, this.#timers);
      this.#enforcement = process.enforcement;
      void process.exited.then((exit) => {
        this.#lastExit = exit;
      });
      return process;
    } catch (cause) {
      if (DevsError.is(cause)) throw cause;
      this.#lastExit = toSpawnFailure(cause);
      throw this.#explain(this.#lastExit, cause);
    }
  }

  async #giveUp(process: ServerProcess, cause: unknown): Promise<Error> {
    const exitBefore = process.exit;
    const ended = await process.end();
    const neverStarted = ended.kind !== 'ended' && ended.kind !== 'killed';
    if (cause instanceof Confused && !neverStarted) return cause;
    return this.#explain(neverStarted ? ended : exitBefore, cause);
  }

  #explain(exit: ChildExit | undefined, cause: unknown): DevsError {
    const { command } = this.#options.command;
    return toStartFailure({ command, exit, timeoutMs: this.#startTimeoutMs, cause });
  }
}

function spawnChild(command: ServerCommand, timers: Timers): ServerProcess {
  return new ChildServer(command, timers);
}
