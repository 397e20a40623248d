import type { ChildProcess } from 'node:child_process';
import { PassThrough, type Duplex, type Readable, type Writable } from 'node:stream';
import type { ConfinedProcess, Enforcement, ProcessExit, ProcessLimits } from '@devs/core';
import type { Reason } from './process-end.ts';

/** Milliseconds from the end of a tree in which all that it wrote has been there long since. */
const CUT_OFF_MS = 2_000;

/** Devs's ends of the three streams that every process has. */
export interface TreeStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** A started tree, as whoever has started it knows it. */
export interface Started {
  readonly child: ChildProcess;
  readonly streams: TreeStreams;
  readonly channel: Duplex | undefined;
  readonly enforcement: Enforcement;
  readonly limits: Pick<ProcessLimits, 'wallMs' | 'outputBytes'>;
  /** Ends all of it, at once. May be called again. */
  kill(): void;
  /** SIGTERM for the program and its group. */
  askToEnd(): void;
  /** What it has ended with, once nothing of it is left; the reason, where devs has ended it. Takes away what was made for it. */
  conclude(reason: Reason | undefined): Promise<ProcessExit>;
}

/** One running process tree: holds it to its time and its output, and says how it ended. */
export class RunningTree implements ConfinedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly channel: Duplex | undefined;
  readonly enforcement: Enforcement;
  readonly exit: Promise<ProcessExit>;
  readonly #started: Started;
  readonly #timer: NodeJS.Timeout | undefined;
  #outputBytes = 0;
  #reason: Reason | undefined;
  #hasEnded = false;

  constructor(started: Started) {
    const { streams, channel, enforcement, limits } = started;
    this.#started = started;
    this.channel = channel;
    this.enforcement = enforcement;
    this.stdin = streams.stdin;
    // A process that has ended takes no more input; that is no fault of whoever writes.
    for (const stream of [this.stdin, channel]) stream?.on('error', ignore);
    this.stdout = this.#count(streams.stdout);
    this.stderr = this.#count(streams.stderr);
    // A timer of more milliseconds than it can count would be over at once.
    this.#timer = Number.isFinite(limits.wallMs) ? setTimeout(() => this.#end({ kind: 'limit', limit: 'wall' }), limits.wallMs) : undefined;
    this.exit = this.#watch();
  }

  kill(): void {
    this.#end({ kind: 'cancelled' });
  }

  askToEnd(): void {
    if (!this.#hasEnded) this.#started.askToEnd();
  }

  /**
   * Nothing is left that could write. Whoever still holds the other end has got out of the tree, and must not keep a call
   * from being answered, too.
   */
  #cutOff(): void {
    const { stdout, stderr } = this.#started.streams;
    const look = setTimeout(() => {
      for (const [source, counted] of [[stdout, this.stdout], [stderr, this.stderr]] as const) {
        const isWaiting = !source.readableEnded && source.readableFlowing === true && source.readableLength === 0;
        if (isWaiting) for (const stream of [source, counted]) stream.destroy();
      }
    }, CUT_OFF_MS);
    look.unref();
  }

  /** Passes on what comes, and counts it. Whoever does not read it makes the process wait. */
  #count(source: Readable): Readable {
    const counted = new PassThrough();
    const most = this.#started.limits.outputBytes;
    source.on('data', (chunk: Buffer) => {
      this.#outputBytes += chunk.length;
      if (this.#outputBytes > most) this.#end({ kind: 'limit', limit: 'output' });
    });
    source.on('error', ignore);
    return source.pipe(counted);
  }

  /** What ends it first is what it has ended by. */
  #end(reason: Reason): void {
    if (this.#hasEnded) return;
    this.#reason ??= reason;
    this.#started.kill();
  }

  async #watch(): Promise<ProcessExit> {
    const { child } = this.#started;
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    // Nobody reads it any more; an open one would keep devs from ending.
    this.stdin.destroy();
    const exit = await this.#started.conclude(this.#reason);
    this.#cutOff();
    return exit;
  }
}

function ignore(): void {
  // The other end has gone.
}
