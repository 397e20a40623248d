import { readdirSync, readFileSync } from 'node:fs';
import { lookUntil } from './look-until.ts';

/** Of a process, by the machine's numbers. See proc_pid_stat(5). */
export interface ProcessStat {
  /** `Z`: it has ended, and nobody has asked how. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** When it began, in ticks since the machine did: with its number it names it for good. */
  readonly start: string;
}

/** Undefined when it is not there. */
export function readStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is its name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), group: Number(fields[2]), start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/**
 * Waits until the first process of a box has ended, which the kernel lets it only after all others. bwrap does not: it ends
 * as soon as the command has, while what the command left behind is still being killed, and may still write.
 * @returns false when it does not end, as a process does that waits for a broken disk
 */
export async function whenGone(pid: number): Promise<boolean> {
  return lookUntil(() => hasEnded(pid));
}

/** The same of a group of processes, which somebody has killed. */
export async function whenGroupGone(leader: number): Promise<boolean> {
  return lookUntil(() => !isGroupThere(leader));
}

function hasEnded(pid: number): boolean {
  const state = readStat(pid)?.state;
  return state === undefined || state === 'Z' || state === 'X';
}

/** One that has ended counts for the kernel until its parent, who may take seconds, has asked how. */
function isGroupThere(leader: number): boolean {
  try {
    process.kill(-leader, 0);
  } catch {
    return false;
  }
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && readStat(Number(name))?.group === leader && !hasEnded(Number(name)));
}
