import type { ChildProcess } from 'node:child_process';
import type { BoxStatus } from './box-status.ts';
import { readStat } from '../processes/process-stat.ts';

/**
 * Ends a box, at whatever point of its life. Its first process takes all others with it, and bwrap, which waits for it, ends
 * when nothing of them is left.
 */
export function killBox({ pid, exitCode, signalCode }: ChildProcess, status: BoxStatus): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  const first = status.firstProcess;
  if (first !== undefined) {
    // Once bwrap has waited for it, its number may be somebody else's.
    if (readStat(first)?.parent === pid) kill(first);
    return;
  }
  // What is to become the first process ends with bwrap only later in its life: a killed bwrap alone would leave it behind,
  // and it would go on to run the command. Until then it is one group with bwrap, and bwrap has not let it begin.
  kill(-pid);
  const late = status.firstProcess;
  if (late !== undefined) kill(late);
}

/** Asks the program of a box to end. It is in the group of the box's first process, which as such is deaf to it. */
export function askBoxToEnd({ pid }: ChildProcess, status: BoxStatus): void {
  const first = status.firstProcess;
  const stat = first === undefined ? undefined : readStat(first);
  if (first !== undefined && stat !== undefined && stat.parent === pid && stat.group === first) kill(-first, 'SIGTERM');
}

function kill(pid: number, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself meanwhile.
  }
}
