import { readdirSync, readFileSync } from 'node:fs';

/** A process that is there and is no zombie. */
export function isAlive(pid: number): boolean {
  return stateOf(pid)?.state !== 'Z' && stateOf(pid) !== undefined;
}

/** Rejects after four minutes: a loop that goes on behind a failed test would keep the test run alive. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(isAlive));
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not come to be so within four minutes');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Those of the group that are alive. */
export function aliveInGroup(group: number): readonly number[] {
  return everyPid().filter((pid) => isAlive(pid) && stateOf(pid)?.group === group);
}

/** Those that would end the group if devs were killed. */
export function reapersOf(group: number): readonly number[] {
  return everyPid().filter((pid) => read(pid, 'cmdline')?.endsWith(`devs-reaper\u0000${group}\u0000`));
}

function everyPid(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function stateOf(pid: number): { readonly state: string; readonly group: number } | undefined {
  const stat = read(pid, 'stat');
  if (stat === undefined) return undefined;
  const [state = '', , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, group: Number(group) };
}

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
