import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** How one version of control groups says what devs needs. */
export interface Dialect {
  /** The file that makes a process a member that writes 0 into it. */
  readonly door: string;
  /** Files of a group with the limit that goes into each. */
  limits(limits: GroupLimits): readonly (readonly [file: string, value: string])[];
  /** Counts of processes that the limits have killed or refused: file and key. */
  readonly killed: readonly [file: string, key: string];
  readonly refused: readonly [file: string, key: string];
}

export interface GroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

/** One folder below which devs can make groups, and what groups there can limit. */
export interface Hierarchy {
  readonly folder: string;
  readonly controls: readonly ('memory' | 'pids')[];
  readonly dialect: Dialect;
}

const NEVER: readonly [string, string] = ['', ''];

/** Takes single threads, of which a shell is one, and does without the lock of all of the machine's forks: that one costs a millisecond or ten. */
const DOOR_1 = 'tasks';

const MEMORY_1: Dialect = {
  door: DOOR_1,
  limits: ({ memoryBytes }) => [
    ['memory.limit_in_bytes', String(memoryBytes)],
    // Else what does not fit goes to the swap. Not there where the kernel does not count that.
    ['memory.memsw.limit_in_bytes', String(memoryBytes)],
  ],
  killed: ['memory.oom_control', 'oom_kill'],
  refused: NEVER,
};

const PIDS_1: Dialect = {
  door: DOOR_1,
  limits: ({ processes }) => [['pids.max', String(processes)]],
  killed: NEVER,
  refused: ['pids.events', 'max'],
};

const UNIFIED: Dialect = {
  door: 'cgroup.procs',
  limits: ({ memoryBytes, processes }) => [
    ['memory.max', String(memoryBytes)],
    ['memory.swap.max', '0'],
    // All of a box goes at once: half of a build helps nobody.
    ['memory.oom.group', '1'],
    ['pids.max', String(processes)],
  ],
  killed: ['memory.events', 'oom_kill'],
  refused: ['pids.events', 'max'],
};

/** Limits that a machine may not have, without which the others hold all the same. */
export const OPTIONAL_LIMITS: ReadonlySet<string> = new Set(['memory.memsw.limit_in_bytes', 'memory.swap.max', 'memory.oom.group']);

/** What of /proc and /sys says how a machine counts. */
export interface MachineFiles {
  /** Default `/proc/self/cgroup`. */
  readonly membership?: string;
  /** Default `/proc/self/mountinfo`. */
  readonly mounts?: string;
}

/** Where devs might make groups, the likeliest first. Whether it may is found out by trying. */
export function findHierarchies({ membership = '/proc/self/cgroup', mounts = '/proc/self/mountinfo' }: MachineFiles = {}): readonly Hierarchy[] {
  const own = parseMembership(readText(membership));
  const mounted = parseMounts(readText(mounts));
  return mounted.flatMap(({ point, root, type, controllers }) => {
    if (type === 'cgroup2') return unifiedHierarchies(folderOf(point, root, own.get('')));
    return (['memory', 'pids'] as const)
      .filter((control) => controllers.includes(control))
      .flatMap((control) => {
        const folder = folderOf(point, root, own.get(control));
        return folder === undefined ? [] : [{ folder, controls: [control], dialect: control === 'memory' ? MEMORY_1 : PIDS_1 }];
      });
  });
}

/**
 * A group of version 2 that holds processes cannot have limited groups below it: so beside devs's own comes first, where a
 * service manager has left the parent to this user.
 */
function unifiedHierarchies(own: string | undefined): readonly Hierarchy[] {
  if (own === undefined) return [];
  return [path.dirname(own), own].flatMap((folder) => {
    const available = readText(path.join(folder, 'cgroup.subtree_control')).split(/\s+/);
    const controls = (['memory', 'pids'] as const).filter((control) => available.includes(control));
    return controls.length === 0 ? [] : [{ folder, controls, dialect: UNIFIED }];
  });
}

/** By controller; under the empty name the unified one's. */
function parseMembership(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, controllers, group] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
      return controllers === undefined || group === undefined ? [] : controllers.split(',').map((name): [string, string] => [name, group]);
    }),
  );
}

interface MountedHierarchy {
  readonly point: string;
  /** What of the hierarchy is mounted there. */
  readonly root: string;
  readonly type: string;
  readonly controllers: readonly string[];
}

/** See proc_pid_mountinfo(5). */
function parseMounts(text: string): readonly MountedHierarchy[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ');
    const [type = '', , options = ''] = after.split(' ');
    return type === 'cgroup' || type === 'cgroup2' ? [{ point, root, type, controllers: options.split(',') }] : [];
  });
}

/** The folder of a group as it is seen here; undefined when it lies outside of what is mounted. */
function folderOf(point: string, root: string, group: string | undefined): string | undefined {
  if (group === undefined) return undefined;
  const below = path.posix.relative(root, group);
  const folder = path.join(point, below.startsWith('..') ? '' : below);
  return existsSync(folder) ? folder : undefined;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
