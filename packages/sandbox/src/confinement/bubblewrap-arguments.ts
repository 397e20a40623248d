import { statSync } from 'node:fs';
import type { ConfinedRequest, Mount } from '@devs/core';
import { isWithin } from '../files/is-within.ts';
import { closingArguments, systemArguments } from './system-view.ts';

/** Descriptors that bwrap is started with, beside the three that everybody has. */
export const FD = Object.freeze({ channel: 3, args: 4, seccomp: 5, status: 6, gate: 7, firstMount: 8 });

/** A mount of which the source is open: whoever swaps a link into its place afterwards is too late. */
export interface PinnedMount extends Mount {
  /** As bwrap has it. Undefined: nobody in a box can write where the source lies. */
  readonly fd: number | undefined;
}

const ISOLATION = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  // No second user namespace within: half of all holes of the kernel begin with one.
  '--disable-userns',
  // Without this, root in the box could mount the machine's disk.
  '--cap-drop', 'ALL',
  // Alone each of the two leaves processes behind; together none.
  '--die-with-parent',
  '--new-session',
  '--hostname', 'sandbox',
] as const;

/** All flags of bwrap, in their order. They go to it through a file: environments hold secrets, and command lines are for all to see. */
export function toBubblewrapArguments({ env, cwd }: ConfinedRequest, mounts: readonly PinnedMount[]): readonly string[] {
  return [
    ...ISOLATION,
    '--clearenv',
    ...Object.entries(completeEnvironment(env)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...systemArguments(),
    ...allMountArguments(mounts),
    ...closingArguments(),
    '--chdir', cwd,
    '--seccomp', String(FD.seccomp), '--json-status-fd', String(FD.status),
  ];
}

/** What every process finds in its environment, and what it was given. */
export function completeEnvironment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...env };
}

function allMountArguments(mounts: readonly PinnedMount[]): readonly string[] {
  const closed = new Map<number, readonly string[]>();
  for (const [index, { source, access, target = source }] of mounts.entries()) {
    if (access !== 'hidden' || !isFolder(source)) continue;
    const last = lastWithin(target, mounts, index);
    closed.set(last, [...(closed.get(last) ?? []), '--remount-ro', target]);
  }
  return mounts.flatMap((mount, index) => [...mountArguments(mount), ...(closed.get(index) ?? [])]);
}

/** What is mounted in an empty folder needs a place to be made there, so the folder is closed after it; not once something lies over it. */
function lastWithin(folder: string, mounts: readonly PinnedMount[], index: number): number {
  const targets = mounts.slice(index + 1).map(({ source, target = source }) => target);
  const covering = targets.findIndex((target) => isWithin(folder, target));
  const reached = covering === -1 ? targets : targets.slice(0, covering);
  return index + 1 + reached.findLastIndex((target) => isWithin(target, folder));
}

function mountArguments({ source, target = source, access, optional = false, fd }: PinnedMount): readonly string[] {
  if (access === 'hidden') return hidingArguments(source, target);
  const bind = access === 'read' ? '--ro-bind' : '--bind';
  if (fd !== undefined) return [`${bind}-fd`, String(fd), target];
  return [optional ? `${bind}-try` : bind, source, target];
}

/** An empty folder, still to be closed, or a file that cannot be opened. */
function hidingArguments(source: string, target: string): readonly string[] {
  return isFolder(source) ? ['--perms', '0555', '--size', '4096', '--tmpfs', target] : ['--ro-bind', '/dev/null', target];
}

function isFolder(source: string): boolean {
  return statSync(source, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * The first that runs in a box: it asks whether devs is there, and goes on when devs says so. A devs that is killed while
 * it starts a box leaves one that nothing ends yet, since bwrap's own ties to it are knotted one after the other: what asks
 * here has all of them, and nobody answers for a devs that is gone.
 */
export const GATE = `printf x >&${String(FD.gate)} && read -r _ <&${String(FD.gate)} && exec ${String(FD.gate)}<&- && exec "$@"`;

/** `prlimit`, the gate and the command: the part of the command line that everybody on the machine can read. */
export function toCommandLine({ argv, limits }: ConfinedRequest, prlimit: string): readonly string[] {
  const { wallMs, memoryBytes, processes, fileBytes, openFiles } = limits;
  return [
    prlimit,
    '--core=0',
    `--nofile=${String(openFiles)}`,
    `--fsize=${String(fileBytes)}`,
    // Within the box it counts the box's processes; outside it would count all of the user's.
    `--nproc=${String(processes)}`,
    // Not the address space: V8 and WebAssembly reserve terabytes of it, and use little.
    `--data=${String(Math.max(memoryBytes, LEAST_DATA_BYTES))}`,
    ...(Number.isFinite(wallMs) ? [`--cpu=${String(Math.ceil(wallMs / 1_000) * CORES_AT_ONCE)}`] : []),
    '--',
    '/bin/sh', '-c', GATE, 'sh',
    ...argv,
  ];
}

/** Below this Node 26 does not start. */
const LEAST_DATA_BYTES = 2_147_483_648;

/** Seconds of processor time for each second of the clock: a build may use all of a machine. */
const CORES_AT_ONCE = 64;
