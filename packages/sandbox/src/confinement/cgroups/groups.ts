import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describeCause } from '@devs/core';
import { readStat } from '../../processes/process-stat.ts';
import { clearAway, Group, removeFolder } from './group.ts';
import { findHierarchies, type GroupLimits, type Hierarchy, type MachineFiles } from './hierarchy.ts';

/** `devs-box-<process>-<when it began>-<number>`: whose it is can be told after a crash. */
const NAME = /^devs-box-(\d{1,10})-(\d{1,20})-\d{1,15}$/;

const TRIED: GroupLimits = { memoryBytes: 67_108_864, processes: 16 };

/** Control groups for boxes, as far as this machine lets this user make any. */
export class Groups {
  readonly #hierarchies: readonly Hierarchy[];
  readonly #prefix: string;
  #number = 0;
  /** Why there is no group, for the operator; empty when there is. */
  readonly obstacle: string;

  constructor(files: MachineFiles = {}) {
    this.#prefix = `devs-box-${String(process.pid)}-${readStat(process.pid)?.start ?? '0'}`;
    const found = findHierarchies(files);
    const tries = found.map((hierarchy) => ({ hierarchy, problem: this.#tryOut(hierarchy) }));
    this.#hierarchies = oneEach(tries.filter(({ problem }) => problem === '').map(({ hierarchy }) => hierarchy));
    this.obstacle = this.isComplete ? '' : (tries.find(({ problem }) => problem !== '')?.problem ?? 'no control group with memory and pids is mounted');
  }

  /** Whether both memory and processes of a box can be counted together. */
  get isComplete(): boolean {
    const controls = this.#hierarchies.flatMap((hierarchy) => hierarchy.controls);
    return controls.includes('memory') && controls.includes('pids');
  }

  /** Undefined when there is nothing to limit with. */
  create(limits: GroupLimits): Group | undefined {
    if (this.#hierarchies.length === 0) return undefined;
    return Group.create(this.#nextName(), this.#hierarchies, limits);
  }

  /** Ends and takes away what a devs left behind that was killed. */
  async sweep(): Promise<void> {
    const left = this.#hierarchies.flatMap(({ folder }) => namesIn(folder).filter(isAbandoned).map((name) => path.join(folder, name)));
    await clearAway(left);
  }

  #nextName(): string {
    this.#number += 1;
    return `${this.#prefix}-${String(this.#number)}`;
  }

  /** Empty when a group can be made there, limited, and taken away again. */
  #tryOut(hierarchy: Hierarchy): string {
    const name = this.#nextName();
    try {
      const { doors } = Group.create(name, [hierarchy], TRIED);
      const isEntered = doors.every(canEnter);
      if (!removeFolder(path.join(hierarchy.folder, name))) return `a control group in ${hierarchy.folder} cannot be taken away`;
      return isEntered ? '' : `no process may enter a control group in ${hierarchy.folder}`;
    } catch (cause) {
      return describeCause(cause);
    }
  }
}

/** Another's group can often be made in, and not be moved out of: a box would not start. */
function canEnter(door: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'echo 0 > "$1"', 'sh', door], { env: {}, stdio: 'ignore' }).status === 0;
}

/** Of each control the first place where it can be had. */
function oneEach(hierarchies: readonly Hierarchy[]): readonly Hierarchy[] {
  const taken = new Set<string>();
  return hierarchies.filter(({ controls }) => {
    const isNew = controls.some((control) => !taken.has(control));
    for (const control of controls) taken.add(control);
    return isNew;
  });
}

/** Its number may be another process's by now, which began at another time. */
function isAbandoned(name: string): boolean {
  const [, pid, start] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  const stat = readStat(Number(pid));
  return stat === undefined || stat.state === 'Z' || stat.start !== start;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
