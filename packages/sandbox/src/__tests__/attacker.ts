import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { DevsError } from '@devs/core';
import type { Playground } from './playground.ts';

const MAX_NAIVE_ATTEMPTS = 1_000_000;

/** Starts a process that swaps a folder, and a file, for links to `target`, by default to the outside; until disposed of. */
export async function startAttacker(ground: Playground, ...target: readonly string[]): Promise<AsyncDisposable> {
  const attacker = spawn(process.execPath, [path.join(__dirname, 'swap-attacker.mjs'), ground.root, ...target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(attacker.stdout, 'data');
  return {
    [Symbol.asyncDispose]: async () => {
      const ended = once(attacker, 'exit');
      attacker.kill('SIGKILL');
      await ended;
    },
  };
}

/** What was read, or the code of the refusal. */
export async function outcomeOf(work: Promise<string>): Promise<string> {
  return await work.catch((error: unknown) => {
    if (error instanceof DevsError) return error.code;
    throw error;
  });
}

/** Whether the naive twin of a test is deceived: that shows that the attack is real. */
export function leaksEventually(leaks: () => boolean): boolean {
  for (let attempt = 0; attempt < MAX_NAIVE_ATTEMPTS; attempt += 1) {
    if (leaks()) return true;
  }
  return false;
}
