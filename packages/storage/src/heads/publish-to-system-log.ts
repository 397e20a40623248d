import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import process from 'node:process';
import type { HeadPublisher } from './head-delivery.ts';
import { toHeadLine } from './signed-head.ts';

export interface SystemLogOptions {
  /** Socket of the system log. Default: where the platform has it. */
  readonly socket?: string;
  /** Absolute path of `logger`. Default: looked for in the folders of the system alone. */
  readonly program?: string;
  /** Milliseconds that it may take. Default 3,000. */
  readonly limitMs?: number;
}

/** Not `PATH`: whoever starts devs sets that. */
const PROGRAMS = ['/usr/bin/logger', '/bin/logger', '/run/current-system/sw/bin/logger'];
const LINUX_SOCKET = '/dev/log';
const LIMIT_MS = 3_000;
const MAX_OUTPUT_BYTES = 4_096;

/** What a line of a head begins with, after what the system log puts before it. */
const MARK = 'devs-head';

/** Whether there is one to write to, here and now. */
export function hasSystemLog(options: SystemLogOptions = {}): boolean {
  return findObstacle(options) === undefined;
}

/** Writes each head into the system log, as `devs`, `auth.notice`. */
export function publishToSystemLog(options: SystemLogOptions = {}): HeadPublisher {
  const { socket, program = findProgram(), limitMs = LIMIT_MS } = options;
  return {
    name: 'the system log',
    publish: async (head) => {
      const obstacle = findObstacle(options);
      if (program === undefined || obstacle !== undefined) throw new Error(obstacle);
      const words = ['-t', 'devs', '-p', 'auth.notice', ...(socket === undefined ? [] : ['-u', socket]), '--', `${MARK} ${toHeadLine(head)}`];
      await write({ program, limitMs }, words);
    },
  };
}

function findObstacle({ socket = LINUX_SOCKET, program = findProgram() }: SystemLogOptions): string | undefined {
  if (program === undefined) return 'there is no program "logger" here';
  // logger of Linux says nothing, and succeeds, when nobody listens.
  return process.platform === 'linux' && !isSocket(socket) ? 'there is no system log here' : undefined;
}

function findProgram(): string | undefined {
  return PROGRAMS.find((file) => existsSync(file));
}

interface Logger {
  readonly program: string;
  readonly limitMs: number;
}

async function write(logger: Logger, words: readonly string[]): Promise<void> {
  if (process.platform !== 'linux') return run(logger, words);
  try {
    // Of util-linux: without it a socket that refuses is no failure.
    await run(logger, ['--socket-errors=on', ...words]);
  } catch (cause) {
    // Another logger, such as busybox's, does not know the option; it prints how it is used.
    if (!(cause instanceof Error) || !/option|usage/i.test(cause.message)) throw cause;
    await run(logger, words);
  }
}

/** No shell, and nothing of the environment. */
async function run({ program, limitMs }: Logger, words: readonly string[]): Promise<void> {
  const limits = { env: {}, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true } as const;
  await new Promise<void>((resolve, reject) => {
    const child = execFile(program, [...words], limits, (error, _output, said) => {
      if (error === null) resolve();
      else reject(new Error(said.trim() || (error.killed === true ? 'it took too long' : `logger ended with ${String(error.code)}`)));
    });
    child.stdin?.destroy();
  });
}

function isSocket(file: string): boolean {
  try {
    return statSync(file).isSocket();
  } catch {
    return false;
  }
}
