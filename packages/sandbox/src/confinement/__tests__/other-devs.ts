import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Configuration } from './box-scene.ts';

/** Starts a devs of its own process. */
export function startOther(argv: readonly string[], options: OtherOptions): ChildProcess {
  const node = ['-C', 'devs-source', ...['run-source.mjs', options.runner ?? 'box-runner.ts'].map((name) => path.join(__dirname, name))];
  const { account } = options.configuration;
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...(options.descriptors ?? [])];
  return spawn(process.execPath, [...node, options.root, account === undefined ? '' : String(account.uid), ...argv], { stdio, env: { ...process.env, TMPDIR: options.temporary ?? tmpdir() } });
}

export interface OtherOptions {
  /** Default `box-runner.ts`. */
  readonly runner?: 'box-runner.ts' | 'killed-runner.ts' | 'worker-runner.ts';
  readonly configuration: Configuration;
  /** Its project. */
  readonly root: string;
  /** Where it puts its temporary files. */
  readonly temporary?: string;
  /** What it is started with, from 3 on. */
  readonly descriptors?: readonly (number | 'ignore')[];
}

/** The next thing that it prints. Rejects when it ends without a word. */
export async function hear({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('A devs is started with a pipe.');
  const ended = once(stdout, 'end').then(() => Promise.reject(new Error('The devs has ended without a word.')));
  const [chunk]: unknown[] = await Promise.race([once(stdout, 'data'), ended]);
  return String(chunk);
}
