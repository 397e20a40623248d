import { readdirSync, readFileSync } from 'node:fs';
import { GATE } from './bubblewrap-arguments.ts';

/**
 * Ends what is left of boxes whose devs was killed before they were made: the first process of one, which waits for a word
 * of a bwrap that is gone. It runs nothing, but it would wait for ever. Boxes of a devs that lives are known by their bwrap.
 */
export function endStranded(): void {
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (Number.isInteger(pid) && isStranded(pid)) end(pid);
  }
}

/** It is the first of its namespace, on its way into a box, and no bwrap is above it. */
function isStranded(pid: number): boolean {
  if (!isBox(pid)) return false;
  const status = read(pid, 'status');
  const [parent, inner] = [/^PPid:\s*(\d+)/m, /^NSpid:\s*(?:\d+\s+)+(\d+)$/m].map((line) => line.exec(status)?.[1]);
  return parent !== undefined && inner === '1' && !isBox(Number(parent));
}

function isBox(pid: number): boolean {
  return read(pid, 'cmdline').split('\0').includes(GATE);
}

/** Nothing of one that is gone meanwhile, or of another account. */
function read(pid: number, file: 'cmdline' | 'status'): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile, or another account's: its own devs ends it.
  }
}
