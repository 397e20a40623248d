import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';
import { EXIT } from './exit-codes.ts';
import { WATCHER } from './watched.ts';

export interface WatchOptions {
  /** The script that is run, with `args`. Default: the one that runs now. */
  readonly script?: string;
  /** How long the reader may be silent whatever it reads. Default 30,000. */
  readonly silenceMs?: number;
  /** How long it may be silent once it was asked to stop. Default 2,000; as long as otherwise where it changes the log. */
  readonly graceMs?: number;
  readonly stdio?: Extract<StdioOptions, string>;
  readonly environment?: NodeJS.ProcessEnv;
}

/** What they do between two looks at a signal is whole or not done, so killing them loses nothing; but they are asked to say what was done. */
const WRITING: ReadonlySet<string> = new Set(['archive', 'adopt']);
/** What is read beside that: the slowest disk that is allowed for. */
const BYTES_PER_MS = 2_097;
const CHECK_MS = 100;
/** Ctrl-C reaches all processes of a terminal: a reader that has heard it hears it once more, by another way. */
const HEARD_MS = 50;

/**
 * Runs a command that reads a log in a process of its own, and gives what it ends with. A file that was made to keep SQLite
 * busy keeps the process busy that reads it, in the middle of one statement: no signal is heard, no timer runs, and a worker
 * thread cannot be ended there either. So somebody else listens, and kills the reader when it is silent for longer than
 * reading such a file takes, or when it is to stop and does not.
 */
export async function runWatched(args: readonly string[], options: WatchOptions = {}): Promise<number> {
  const { script = process.argv[1] ?? '', silenceMs = 30_000, graceMs = WRITING.has(args[1] ?? '') ? silenceMs : 2_000, stdio = 'inherit', environment = process.env } = options;
  const env = { ...environment, [WATCHER]: String(process.pid) };
  const reader = spawn(process.execPath, [...process.execArgv, script, ...args], { stdio: [stdio, stdio, stdio, 'ipc'], env });
  using watch = new Watch(reader, { silenceMs, graceMs });
  const { code, signal } = await endOf(reader);
  if (watch.isStopped && code === null) return EXIT.interrupted;
  if (watch.isSilent) return sayEndless(args, watch.allowedMs);
  return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}

async function endOf(reader: ChildProcess): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    reader.on('close', (code, signal) => resolve({ code, signal }));
    reader.on('error', reject);
  });
}

/** Of `verify`, nothing is said of the log; any other command could not use it. */
function sayEndless(args: readonly string[], allowedMs: number): number {
  const advice = args[1] === 'verify' ? 'Nothing is said of it.' : '`devs logs verify` may show more.';
  process.stderr.write(`devs: devs stopped reading the call log: no answer in ${Math.round(allowedMs / 1_000)} s. Its file is damaged, was made to keep its reader busy, or its disk does not answer. ${advice}\n`);
  return args[1] === 'verify' ? 2 : EXIT.configuration;
}

class Watch implements Disposable {
  readonly #reader: ChildProcess;
  readonly #graceMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #onExit = () => void this.#reader.kill('SIGKILL');
  readonly #onSignal = () => this.#stop();
  #lastBeat = performance.now();
  #lastCheck = performance.now();
  allowedMs: number;
  isStopped = false;
  isSilent = false;

  constructor(reader: ChildProcess, { silenceMs, graceMs }: { readonly silenceMs: number; readonly graceMs: number }) {
    this.#reader = reader;
    this.#graceMs = graceMs;
    this.allowedMs = silenceMs;
    reader.on('message', (beat) => {
      this.#lastBeat = performance.now();
      const bytes = typeof beat === 'object' && 'bytes' in beat ? Number(beat.bytes) : 0;
      if (bytes > 0) this.allowedMs = silenceMs + bytes / BYTES_PER_MS;
    });
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    for (const name of SIGNALS) process.on(name, this.#onSignal);
    process.on('exit', this.#onExit);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const name of SIGNALS) process.removeListener(name, this.#onSignal);
    process.removeListener('exit', this.#onExit);
  }

  #check(): void {
    const now = performance.now();
    // Whoever was stopped (Ctrl-Z), or got no time, has heard nobody either.
    if (now - this.#lastCheck > 10 * CHECK_MS) this.#lastBeat = now;
    this.#lastCheck = now;
    if (now - this.#lastBeat <= (this.isStopped ? this.#graceMs : this.allowedMs)) return;
    this.isSilent = true;
    this.#reader.kill('SIGKILL');
  }

  /** The first time it is asked, the second time it is ended. */
  #stop(): void {
    if (this.isStopped) {
      this.#reader.kill('SIGKILL');
      return;
    }
    this.isStopped = true;
    this.#lastBeat = performance.now();
    setTimeout(() => {
      if (this.#reader.connected) this.#reader.send({ stop: true }, () => undefined);
    }, HEARD_MS).unref();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
