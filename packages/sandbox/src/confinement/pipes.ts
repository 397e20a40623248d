import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Descriptors, O_PATH } from './descriptors.ts';
import { ShortFolder } from './short-folder.ts';

const run = promisify(execFile);

/** Made by one call of mkfifo, which costs as much as three. */
const AT_ONCE = 36;

/** Both ends of a pipe, open here. Whoever takes it closes both. */
export interface Pipe {
  /** Of devs: never waits. */
  readonly ours: number;
  /** Of the process that is started with it. */
  readonly theirs: number;
}

/**
 * Real pipes. Node starts processes with socket pairs, and a socket cannot be opened by its name: `/dev/stdout` and
 * `/dev/stderr` would not work in a box. Each is used once: none carries words from one box to the next.
 */
export class Pipes {
  readonly #mkfifo: string;
  /** Pipes that have lost their names, by descriptors that neither read nor write. */
  readonly #spare: number[] = [];
  #filling: Promise<void> | undefined;

  /** @param mkfifo the program, absolute */
  constructor(mkfifo: string) {
    this.#mkfifo = mkfifo;
  }

  /** Whether so many are there now. Who has waited for more asks again: another one may have taken them meanwhile. */
  has(count: number): boolean {
    return this.#spare.length >= count;
  }

  async makeMore(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => (this.#filling = undefined));
    await this.#filling;
  }

  /** A pipe that devs reads from. */
  take(): Pipe {
    const spare = this.#spare.pop();
    if (spare === undefined) throw new RangeError('A pipe is taken that nobody made.');
    using opened = new Descriptors();
    const named = `/proc/self/fd/${String(spare)}`;
    const ours = opened.keep(openSync(named, constants.O_RDONLY | constants.O_NONBLOCK));
    const theirs = openSync(named, constants.O_WRONLY);
    opened.release();
    closeSync(spare);
    return { ours, theirs };
  }

  async #fill(): Promise<void> {
    using folder = new ShortFolder('pipes');
    const names = Array.from({ length: AT_ONCE }, (_, index) => path.join(folder.path, String(index)));
    // Whoever a box runs as opens its output by name; the folder is closed to all others.
    await run(this.#mkfifo, ['-m', '0666', ...names], { env: {}, cwd: '/' });
    for (const name of names) this.#spare.push(openSync(name, O_PATH | constants.O_NOFOLLOW));
  }
}

/** What comes out of devs's end. The stream owns the descriptor. */
export function streamFrom(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false });
}
