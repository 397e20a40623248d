import { chmodSync, chownSync } from 'node:fs';

/** Any user without privileges: `nobody` on Linux. */
const UNPRIVILEGED = 65_534;

/** As a user whom permissions bind, with a folder that this user may not enter: root is bound by none. */
export async function asUnprivileged(base: string, closed: string, work: () => Promise<void>): Promise<void> {
  chmodSync(base, 0o755);
  chmodSync(closed, 0o000);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) {
    chownSync(closed, UNPRIVILEGED, UNPRIVILEGED);
    process.seteuid?.(UNPRIVILEGED);
  }
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(closed, 0o755);
  }
}
