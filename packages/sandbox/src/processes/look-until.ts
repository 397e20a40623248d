import { setImmediate as next, setTimeout as pause } from 'node:timers/promises';

/** Most of what devs waits for at the end of a box is there within a fraction of a millisecond: no timer is that short. */
const QUICK_LOOKS = 40;
const SLOW_LOOKS = 2_000;
const PAUSE_MS = 1;

/** Looks until it is so, for about two seconds. False when it is not even then. */
export async function lookUntil(isSo: () => boolean): Promise<boolean> {
  for (let look = 0; look < QUICK_LOOKS + SLOW_LOOKS; look += 1) {
    if (isSo()) return true;
    await (look < QUICK_LOOKS ? next() : pause(PAUSE_MS));
  }
  return false;
}
