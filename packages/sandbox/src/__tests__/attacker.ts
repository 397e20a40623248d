import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { DevsError } from '@devs/core';
import type { Playground } from './playground.ts';

const MAX_ATTEMPTS = 1_000_000;

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
async function outcomeOf(work: Promise<string>): Promise<string> {
  return await work.catch((error: unknown) => {
    if (error instanceof DevsError) return error.code;
    throw error;
  });
}

export interface Attacked {
  /** One call under attack: what came of it, in words with blanks between them. */
  readonly call: (round: number) => Promise<string>;
  /** At least so many calls. */
  readonly rounds: number;
  /** Words that must come of some call. */
  readonly awaited: readonly string[];
}

/**
 * All words that came of the calls. Which side is faster is up to the machine: there are more calls than `rounds` until
 * each awaited word was met.
 */
export async function outcomesUnderAttack({ call, rounds, awaited }: Attacked): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const isOpen = () => awaited.some((word) => !seen.has(word));
  for (let round = 0; round < rounds || (round < MAX_ATTEMPTS && isOpen()); round += 1) {
    for (const word of (await outcomeOf(call(round))).split(' ')) seen.add(word);
  }
  return seen;
}

/** Whether the naive twin of a test is deceived: that shows that the attack is real. */
export function leaksEventually(leaks: () => boolean): boolean {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (leaks()) return true;
  }
  return false;
}
