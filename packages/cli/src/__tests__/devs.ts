import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { isRecord } from '@devs/core';
import { canShare, runWarm } from './warm-devs.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project folder with a file in it, and a state folder of its own. Gone when disposed. */
export interface Project extends AsyncDisposable {
  readonly root: string;
  readonly outside: string;
  readonly state: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams;
  /** `devs logs list --json`, parsed, oldest first. */
  log(): Promise<readonly Record<string, unknown>[]>;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** Default: the project. */
  readonly cwd?: string;
  /** In a process of its own, as a person starts it. Default: in one that other commands have run in, if it can be. */
  readonly alone?: boolean;
}

export async function createProject(): Promise<Project> {
  if (!existsSync(MAIN)) throw new Error('These tests run the built command: build first (`pnpm run build`).');
  const place = await mkdtemp(path.join(os.tmpdir(), 'devs-cli-'));
  const [root, outside, state] = [path.join(place, 'project'), path.join(place, 'outside'), path.join(place, 'state')];
  await mkdir(root);
  await mkdir(outside);
  await writeFile(path.join(root, 'hello.txt'), 'hello\n');
  await writeFile(path.join(outside, 'secret.txt'), 'the secret\n');
  // Whoever runs the tests may have a configuration of their own.
  const own = { DEVS_STATE_DIR: state, XDG_CONFIG_HOME: path.join(place, 'config') };
  const started: ChildProcessWithoutNullStreams[] = [];
  const launch = (args: readonly string[], { env = {}, nodeArgs = [], cwd = root }: RunOptions = {}) => {
    const child = spawn(process.execPath, [...nodeArgs, MAIN, ...args], { cwd, env: { ...process.env, ...own, ...env } });
    started.push(child);
    return child;
  };
  const run = async (args: readonly string[], options: RunOptions = {}) => {
    const { input = '', env = {}, nodeArgs, cwd = root, alone = false } = options;
    if (alone || nodeArgs !== undefined || !canShare(args)) return end(launch(args, options), input);
    return runWarm({ args, cwd, input, env: { ...process.env, ...own, ...env } });
  };
  return {
    root,
    outside,
    state,
    run,
    start: (args, env = {}) => launch(args, { env }),
    log: async () => parseLines((await run(['logs', 'list', '--json', '--limit', '1000'])).stdout).reverse(),
    [Symbol.asyncDispose]: async () => {
      // One that still writes, its key or its log, would have a folder back that is being taken away.
      await Promise.all(started.map(async (child) => endAtOnce(child)));
      await rm(place, { recursive: true, force: true });
    },
  };
}

async function endAtOnce(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function end(child: ChildProcessWithoutNullStreams, input: string): Promise<Ended> {
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

export function parseLines(text: string): Record<string, unknown>[] {
  const values: unknown[] = text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return values.filter(isRecord);
}

/** Resolves when the child has written a line that `pattern` fits, on standard error. */
export async function untilSaid(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<RegExpExecArray> {
  let said = '';
  for await (const chunk of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const match = pattern.exec(said);
    if (match !== null) return match;
  }
  throw new Error(`the command ended without saying ${String(pattern)}; it said: ${said}`);
}
