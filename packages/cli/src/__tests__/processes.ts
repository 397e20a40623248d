import { readFileSync } from 'node:fs';

/** A process that is there and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    return false;
  }
}

export async function untilGone(pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(isAlive));
}

/** Rejects after four minutes: a loop that goes on behind a failed test would keep the test run alive. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not come to be so within four minutes');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
