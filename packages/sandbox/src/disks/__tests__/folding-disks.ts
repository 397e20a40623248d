import path from 'node:path';
import { DISKS, type Disks } from '../disks.ts';

/** The disks of this machine, as if they took upper and lower case for the same and the kernel did not know. */
export const FOLDING: Disks = {
  ...DISKS,
  has: (place) => DISKS.has(place) || (DISKS.list(path.dirname(place)) ?? []).some((name) => name.toLowerCase() === path.basename(place).toLowerCase()),
  kindOf: () => 'other',
};

/** The same, as if a command could give any file one more name. */
export const RENAMING: Disks = { ...DISKS, kindOf: () => 'renaming' };
