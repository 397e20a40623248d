import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { Account } from './bubblewrap-confinement.ts';

const READ = 0o4;
const ENTER = 0o1;

/** Whom the kernel takes a box for, outside of it. */
export interface BoxAccount extends Account {
  /** Beside its own. */
  readonly groups?: readonly number[];
}

/**
 * As whom boxes reach the files of the machine, where that is less than devs: an account of their own, or root, which in a box
 * has no right to the files of others. Undefined: as devs does.
 */
export function boxAccount(account: Account | undefined): BoxAccount | undefined {
  if (account !== undefined || process.geteuid?.() !== 0) return account;
  return { uid: 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] };
}

/** Whether an account may read what lies at an absolute path, by the modes of it and of every folder on the way. */
export function mayReach(place: string, account: Account): boolean {
  const folders = ancestorsOf(place);
  try {
    return folders.every((folder) => allows(statSync(folder), account, ENTER)) && allows(statSync(place), account, READ);
  } catch {
    return false;
  }
}

/**
 * Whether a place lies in a folder that an account may not enter, nor open to itself. bwrap, which runs as the account,
 * could mount nothing there and would make no box; and the account reaches nothing there without a mount either.
 */
export function isBeyond(place: string, account: BoxAccount): boolean {
  const folders = ancestorsOf(place).flatMap((folder) => statSync(folder, { throwIfNoEntry: false }) ?? []);
  const closed = folders.find((stats) => !allows(stats, account, ENTER));
  return closed !== undefined && closed.uid !== account.uid;
}

function ancestorsOf(place: string): readonly string[] {
  const parent = path.dirname(place);
  return parent === place ? [] : [...ancestorsOf(parent), parent];
}

/** As the kernel asks: the owner's bits for the owner, the group's for the group, and the others' for nobody of them. */
function allows({ mode, uid, gid }: Stats, account: BoxAccount, bit: number): boolean {
  if (uid === account.uid) return ((mode >> 6) & bit) !== 0;
  return (([account.gid, ...(account.groups ?? [])].includes(gid) ? mode >> 3 : mode) & bit) !== 0;
}
