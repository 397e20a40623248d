import type { Readable, Writable } from 'node:stream';
import type { ConfinedProcess, Enforcement, ProcessExit } from '@devs/core';

/** How a server ended, or why there never was one. */
export type ServerExit =
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not started'; readonly cause: unknown };

/** The part of a clock that ends servers. */
export interface ServerTimers {
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Milliseconds that a server gets to go by itself, and then once more after it was asked to. */
const GRACE_MS = 2_000;

/** A server in its box, as long as it is there. Whoever has it speaks to it over its pipes. */
export class BoxedServer {
  readonly input: Writable;
  readonly output: Readable;
  /** What holds it. */
  readonly enforcement: Enforcement;
  /** Resolves when nothing of it is left. Never rejects. */
  readonly exited: Promise<ServerExit>;
  /** Set once nothing of it is left. */
  exit: ServerExit | undefined;
  readonly #running: ConfinedProcess;
  readonly #timers: ServerTimers;
  #ending: Promise<ServerExit> | undefined;

  /** @param errors told what it says on its standard error, as it is */
  constructor(running: ConfinedProcess, { timers, errors }: { readonly timers: ServerTimers; readonly errors: Writable }) {
    this.#running = running;
    this.#timers = timers;
    this.input = running.stdin;
    this.output = running.stdout;
    this.enforcement = running.enforcement;
    running.stderr.pipe(errors, { end: false });
    this.exited = running.exit.then((exit) => (this.exit = toServerExit(exit)));
  }

  /** Asks it to go by closing its input, then by SIGTERM, then ends its box. */
  async end(): Promise<ServerExit> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<ServerExit> {
    this.input.end();
    if (!(await this.#goesInTime())) {
      this.#running.askToEnd();
      if (!(await this.#goesInTime())) this.#running.kill();
    }
    return this.exited;
  }

  async #goesInTime(): Promise<boolean> {
    const stop = new AbortController();
    const passed = this.#timers.sleep(GRACE_MS, stop.signal).then(() => false);
    const isGone = await Promise.race([this.exited.then(() => true), passed]);
    stop.abort();
    return isGone;
  }
}

function toServerExit(exit: ProcessExit): ServerExit {
  switch (exit.kind) {
    case 'code':
      return { kind: 'ended', code: exit.code };
    case 'signal':
      return { kind: 'killed', signal: exit.signal as NodeJS.Signals };
    case 'setup':
      return { kind: 'not started', cause: new Error(exit.detail) };
    default:
      return { kind: 'killed', signal: 'SIGKILL' };
  }
}
