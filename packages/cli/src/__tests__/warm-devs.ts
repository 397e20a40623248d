import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll } from '@jest/globals';
import { isRecord } from '@devs/core';

const SCRIPT = path.join(__dirname, 'warm-devs.mjs');
/** These go on until they are told to end, or start another devs. */
const LASTING: ReadonlySet<string | undefined> = new Set(['serve', 'run', 'demo']);

interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One for each file of tests. */
let warm: Promise<ChildProcess> | undefined;
let last: Promise<unknown> = Promise.resolve();

afterAll(async () => {
  const child = await warm;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
});

/** Whether a command can share a process with others. */
export function canShare(args: readonly string[]): boolean {
  return !LASTING.has(args[0]);
}

/** Runs a command of devs, one after the other, in a process that is already there. What reads a log is not watched there. */
export async function runWarm(command: Command): Promise<Ended> {
  const work = last.then(async () => ask(await (warm ??= start()), command));
  last = work.catch(() => undefined);
  return work;
}

async function start(): Promise<ChildProcess> {
  const child = fork(SCRIPT, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  await untilEnded(child);
  return child;
}

async function ask(child: ChildProcess, command: Command): Promise<Ended> {
  const told = untilEnded(child);
  child.send(command);
  const { code, stdout, stderr } = await told;
  return { code: Number(code), stdout: String(stdout), stderr: String(stderr) };
}

/** What it tells of the end of a command. Commands that read logs tell their watcher other things meanwhile. */
async function untilEnded(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      if (!isRecord(message) || !isRecord(message['ended'])) return;
      settle();
      resolve(message['ended']);
    };
    const onExit = (code: number | null, signal: string | null) => {
      settle();
      reject(new Error(`The process of the commands has ended: ${String(code ?? signal)}`));
    };
    const settle = () => child.off('message', onMessage).off('exit', onExit);
    child.on('message', onMessage).on('exit', onExit);
  });
}
