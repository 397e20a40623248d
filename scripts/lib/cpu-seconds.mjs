import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Linux counts in these, whatever its kernel was built with. */
const TICKS_A_SECOND = 100;
/** `utime`, `stime`, `cutime` and `cstime`, counted from the state, which is the first field after the name. */
const [FIRST, LAST] = [11, 14];

/** CPU seconds of a process and of the children that it has waited for, by the text of its `/proc/<pid>/stat`. */
export function cpuSecondsOf(stat) {
  // The name stands in parentheses and may hold spaces and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(FIRST, LAST + 1).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_A_SECOND;
}

/** What this process has used until now: CPU seconds, or seconds on the clock where there is no `/proc`. */
export function secondsUsed() {
  try {
    return { unit: 'CPU', seconds: cpuSecondsOf(readFileSync('/proc/self/stat', 'utf8')) };
  } catch {
    return { unit: 'wall', seconds: performance.now() / 1_000 };
  }
}
