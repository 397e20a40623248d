import { DevsError, type Enforcement } from '@devs/core';
import type { ChildExit } from '../../protocol/upstream.ts';
import type { Connection } from '../protocol/connection.ts';
import { Confused, greet, greetAgain } from '../protocol/greeting.ts';
import type { Timers } from '../protocol/timers.ts';
import type { Greeter, Greeting, UpstreamTransport } from '../protocol/upstream-transport.ts';
import { ChildServer, toSpawnFailure, type ServerCommand, type ServerProcess } from './child-server.ts';
import { ChildWire } from './child-wire.ts';
import { describeExit, toStartFailure } from './start-failure.ts';

/** Starts a process of a server: as it is, or confined. May reject with `DevsError`. */
export type SpawnServer = (command: ServerCommand, timers: Timers) => ServerProcess | Promise<ServerProcess>;

export interface StdioTransportOptions {
  readonly command: ServerCommand;
  /** Default: a process with the rights of devs, in a group of its own. */
  readonly spawn?: SpawnServer;
}

/** Starts the server, and speaks to it over its standard input and output. */
export class StdioTransport implements UpstreamTransport {
  readonly #options: StdioTransportOptions;
  readonly #greeter: Greeter;
  #lastExit: ChildExit | undefined;
  #enforcement: Enforcement | undefined;

  constructor(options: StdioTransportOptions, greeter: Greeter) {
    this.#options = options;
    this.#greeter = greeter;
  }

  get enforcement(): Enforcement | undefined {
    return this.#enforcement;
  }

  get lastExit(): ChildExit | undefined {
    return this.#lastExit;
  }

  describeEnd(): string {
    return this.#lastExit === undefined ? '' : describeExit(this.#lastExit);
  }

  /** Within the time of a start, which a second process does not begin anew. */
  async open(signal: AbortSignal): Promise<Connection> {
    try {
      return await this.#greetBy(greet, signal);
    } catch (cause) {
      if (!(cause instanceof Confused) || signal.aborted) throw cause instanceof Confused ? this.#explain(undefined, cause.cause) : cause;
    }
    const connection = await this.#greetBy(greetAgain, signal);
    if (connection.info.era === 'legacy') this.#greeter.eras.learn('modern', false);
    return connection;
  }

  /** Starts a process and greets it. It is gone when that fails. */
  async #greetBy(greeting: Greeting['greet'], signal: AbortSignal): Promise<Connection> {
    const process = await this.#spawn();
    const { timers, maxMessageBytes } = this.#greeter;
    return this.#greeter.greet({
      openWire: (listener) => new ChildWire({ process, maxMessageBytes, timers }, listener),
      greet: greeting,
      headers: undefined,
      signal,
      giveUp: async (_peer, cause) => this.#giveUp(process, cause),
    });
  }

  async #spawn(): Promise<ServerProcess> {
    const { command, spawn = spawnChild } = this.#options;
    try {
      const process = await spawn(command, this.#greeter.timers);
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
    const isConfined = this.#enforcement !== undefined && this.#enforcement.by !== 'none';
    return toStartFailure({ command, exit, timeoutMs: this.#greeter.startTimeoutMs, isConfined, cause });
  }
}

function spawnChild(command: ServerCommand, timers: Timers): ServerProcess {
  return new ChildServer(command, timers);
}
