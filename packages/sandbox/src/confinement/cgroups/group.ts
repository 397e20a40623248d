import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errnoOf } from '@devs/core';
import { lookUntil } from '../../processes/look-until.ts';
import { OPTIONAL_LIMITS, type GroupLimits, type Hierarchy } from './hierarchy.ts';

/** What the limits of a group have done. */
export interface GroupEvents {
  readonly killed: boolean;
  readonly refused: boolean;
}

/** A group's folder in one hierarchy. */
interface Member {
  readonly folder: string;
  readonly hierarchy: Hierarchy;
}

/** One box's group: a folder in each hierarchy that limits something. */
export class Group {
  readonly #folders: readonly Member[];

  private constructor(folders: readonly Member[]) {
    this.#folders = folders;
  }

  /** @throws what the system says: a limit that was not taken is none */
  static create(name: string, hierarchies: readonly Hierarchy[], limits: GroupLimits): Group {
    const made: Member[] = [];
    try {
      for (const hierarchy of hierarchies) {
        const folder = path.join(hierarchy.folder, name);
        mkdirSync(folder);
        made.push({ folder, hierarchy });
        for (const [file, value] of hierarchy.dialect.limits(limits)) writeLimit(path.join(folder, file), value);
      }
      return new Group(made);
    } catch (cause) {
      for (const { folder } of made) removeFolder(folder);
      throw cause;
    }
  }

  /** The files into which a process writes 0 to become a member. */
  get doors(): readonly string[] {
    return this.#folders.map(({ folder, hierarchy }) => path.join(folder, hierarchy.dialect.door));
  }

  get events(): GroupEvents {
    const counts = (pick: (hierarchy: Hierarchy) => readonly [string, string]) =>
      this.#folders.some(({ folder, hierarchy }) => {
        const [file, key] = pick(hierarchy);
        return file !== '' && readCount(path.join(folder, file), key) > 0;
      });
    return { killed: counts(({ dialect }) => dialect.killed), refused: counts(({ dialect }) => dialect.refused) };
  }

  /** Ends whatever is still in it, and takes it away. False when something in it cannot be ended. */
  async dispose(): Promise<boolean> {
    return clearAway(this.#folders.map(({ folder }) => folder));
  }
}

/** Ends what is in these groups, and takes them away. False when something in one cannot be ended. */
export async function clearAway(folders: readonly string[]): Promise<boolean> {
  return lookUntil(() => {
    const left = folders.filter((folder) => !removeFolder(folder));
    left.forEach(killMembers);
    return left.length === 0;
  });
}

/** True when it is gone. */
export function removeFolder(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/** Each by itself: `cgroup.kill` is not everywhere, and what is in a box cannot make more than its limit. */
function killMembers(folder: string): void {
  for (const line of readLines(path.join(folder, 'cgroup.procs'))) {
    const pid = Number(line);
    if (!Number.isSafeInteger(pid) || pid <= 1) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function writeLimit(file: string, value: string): void {
  try {
    writeFileSync(file, value);
  } catch (error) {
    if (!OPTIONAL_LIMITS.has(path.basename(file))) throw error;
  }
}

function readCount(file: string, key: string): number {
  const line = readLines(file).find((each) => each.startsWith(`${key} `));
  return line === undefined ? 0 : Number(line.slice(key.length + 1));
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
