import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** A disk of one megabyte at a folder, seen by nobody but those who are started inside; gone with its keeper. */
export interface SmallDisk extends AsyncDisposable {
  /** A command that runs where the disk is. */
  inside(command: readonly string[]): readonly string[];
  /** Runs it there to its end. @throws what it said when it fails */
  run(...command: readonly string[]): string;
}

const MOUNT = 'mount -t tmpfs -o size=1m,mode=700 devs-test "$0" && echo ready && exec cat';

/**
 * In a mount namespace of its own, where the kernel allows one: to root, or to anybody within a user namespace.
 * Undefined where it does not, as in many a container.
 */
export async function createSmallDisk(folder: string): Promise<SmallDisk | undefined> {
  const isRoot = process.getuid?.() === 0;
  const rights = isRoot ? [] : ['--user', '--map-root-user'];
  const keeper = spawn('unshare', [...rights, '--mount', '--propagation', 'private', 'sh', '-c', MOUNT, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
  // One that cannot be started, and one that fails, end without a word.
  keeper.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => keeper.on('close', () => resolve()));
  const said = await Promise.race([once(keeper.stdout, 'data').then(String), ended]);
  if (said === undefined) return undefined;
  const enter = ['nsenter', '--target', String(keeper.pid), '--mount', ...(isRoot ? [] : ['--user', '--preserve-credentials'])];
  const inside = (command: readonly string[]) => [...enter, ...command];
  return {
    inside,
    run: (...command) => runToEnd(inside(command)),
    [Symbol.asyncDispose]: async () => {
      keeper.stdin.end();
      await ended;
    },
  };
}

/** Runs a command to its end. @throws what it said when it fails */
export function runToEnd([program = '', ...args]: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr || String(error)}`);
  return stdout;
}
