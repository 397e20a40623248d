import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DevsError, isRecord } from '@devs/core';

/** Milliseconds between two looks at whether another devs is through. */
const LOOK_MS = 25;

/**
 * One command at a time in a project, of all devs of an account. While one box works, another cannot be started safely on
 * the same files: what the first has planted would be taken for old by the second; and a folder that is renamed while bwrap
 * mounts what must not change in it leaves that open.
 *
 * Between processes it is a name in Linux's abstract namespace of sockets: it goes with whoever holds it, and no box, each
 * of which has a network namespace of its own, can see it.
 */
export class ProjectLock {
  readonly #name: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param root absolute, real */
  constructor(root: string) {
    const { dev, ino } = statSync(root, { bigint: true });
    this.#name = `\0devs-project-${String(process.geteuid?.() ?? 0)}-${String(dev)}-${String(ino)}`;
  }

  /**
   * Does the work when everything before it is done.
   * @throws the signal's reason, if that comes first: then the work is not begun; what the work throws
   */
  async hold<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    try {
      await untilAborted(before, signal);
      const held = await this.#take(signal);
      try {
        return await work();
      } finally {
        await release(held);
      }
    } finally {
      // Whoever comes next waits for those before this one too, should this one have given up its turn.
      void before.then(() => turn.resolve());
    }
  }

  async #take(signal: AbortSignal): Promise<Server | undefined> {
    if (process.platform !== 'linux') return undefined;
    for (;;) {
      signal.throwIfAborted();
      const held = await bind(this.#name);
      if (held !== undefined) return held;
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Undefined when another one has it. */
async function bind(name: string): Promise<Server | undefined> {
  // Whoever connects is sent away: the name is all that it is for.
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (isRecord(error) && error['code'] === 'EADDRINUSE') resolve(undefined);
      else reject(new DevsError('COMMAND_REFUSED', { sentence: 'The project cannot be locked for a command; nothing was run.', cause: error }));
    });
    server.listen(name, () => resolve(server));
  });
}

async function release(held: Server | undefined): Promise<void> {
  if (held !== undefined) await new Promise<void>((resolve) => held.close(() => resolve()));
}

async function untilAborted(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([before, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
