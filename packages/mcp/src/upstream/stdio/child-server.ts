import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { errnoOf, type Enforcement } from '@devs/core';
import type { ChildExit } from '../../protocol/upstream.ts';
import type { Timers } from '../protocol/timers.ts';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A process of a server, with all that it has started: as `ChildServer` starts it, or whoever confines it. */
export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when the process is gone, or could not be started. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Set once the process is gone. */
  readonly exit: ChildExit | undefined;
  /** What holds it. Absent: nothing. */
  readonly enforcement?: Enforcement;
  /** Ends it, and all that it has started. */
  end(): Promise<ChildExit>;
}

/** Milliseconds that a process gets to go by itself, and then once more after it was asked to. */
const GRACE_MS = 2_000;

/** The group that it is told about, killed when its standard input ends: devs is gone, whatever took it. */
const REAPER = 'read -r _; kill -s KILL -- "-$1"';

/**
 * One process of a server behind devs, in a process group of its own, so that all it started can be
 * ended with it. When it is gone, its group is gone: `npx` and shells leave children that hold the pipes.
 */
export class ChildServer implements ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when the process is gone, or could not be started. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Set once the process is gone. */
  exit: ChildExit | undefined;
  readonly #process: ChildProcess;
  readonly #timers: Timers;
  #ending: Promise<ChildExit> | undefined;

  /** Starts the process. Throws what `spawn` throws at once; other failures are told by `exited`. */
  constructor({ command, args, cwd, env }: ServerCommand, timers: Timers) {
    this.#timers = timers;
    const child: ChildProcess = spawn(command, [...args], { stdio: ['pipe', 'pipe', 'inherit'], detached: true, cwd, env });
    this.#process = child;
    // Without a file descriptor left there are no pipes; `exited` then says why.
    this.input = child.stdin ?? new PassThrough();
    this.output = child.stdout ?? new PassThrough();
    const reaper = child.pid === undefined ? undefined : startReaper(child.pid);
    this.exited = this.#watch().finally(() => {
      this.#signal('SIGKILL');
      // After the group, and at once: later, another process could have the number.
      reaper?.kill('SIGKILL');
    });
  }

  /** Asks the process to go by closing its input, then by SIGTERM, then ends it and its group. */
  async end(): Promise<ChildExit> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<ChildExit> {
    this.input.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#goesInTime()) break;
      this.#signal(signal);
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

  async #watch(): Promise<ChildExit> {
    const { promise, resolve } = Promise.withResolvers<ChildExit>();
    this.#process.once('exit', (code, signal) => {
      resolve(signal === null ? { kind: 'ended', code: code ?? 0 } : { kind: 'killed', signal });
    });
    // Also what `kill` has to say; once the process runs, its end is told by `exit` alone.
    this.#process.on('error', (cause) => {
      if (this.#process.pid === undefined) resolve(toSpawnFailure(cause));
    });
    this.exit = await promise;
    return this.exit;
  }

  /** The group, and the process in case it has left its group. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Nobody is left in the group.
    }
    this.#process.kill(signal);
  }
}

/** Not in the group of the child, nor of the terminal: it must outlive both. */
function startReaper(group: number): ChildProcess {
  const reaper: ChildProcess = spawn('/bin/sh', ['-c', REAPER, 'devs-reaper', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: {},
  });
  // Where there is no shell, a devs that is killed leaves its server behind; nothing else is lost.
  reaper.on('error', () => undefined);
  reaper.stdin?.on('error', () => undefined);
  return reaper;
}

export function toSpawnFailure(cause: unknown): ChildExit {
  const code = errnoOf(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'not found', cause };
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOEXEC') return { kind: 'not executable', cause };
  return { kind: 'not started', cause };
}

/** Resolves when all that the process has written is read, or when whoever still holds its pipe has had a moment. */
export async function untilDrained(output: Readable, timers: Timers): Promise<void> {
  if (output.closed || output.readableEnded) return;
  const stop = new AbortController();
  const closed = once(output, 'close', { signal: stop.signal }).catch(() => undefined);
  await Promise.race([closed, timers.sleep(GRACE_MS, stop.signal)]);
  stop.abort();
}
