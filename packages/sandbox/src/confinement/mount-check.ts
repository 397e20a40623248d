import path from 'node:path';
import type { Confinement, Mount, ProcessLimits } from '@devs/core';
import type { BoxObstacle } from '../box-obstacle.ts';
import { DISKS, type Disks } from '../disks/disks.ts';
import { findOtherNames, type OtherName } from '../disks/other-names.ts';
import { isWithin } from '../files/is-within.ts';
import { SYSTEM } from '../files/system-folders.ts';

export interface MountCheckParts {
  /** Of the boxes that are checked. */
  readonly confinement: Pick<Confinement, 'exec'>;
  /** Default: those of this machine. */
  readonly disks?: Disks | undefined;
}

const LIMITS: ProcessLimits = { wallMs: 30_000, outputBytes: 65_536, memoryBytes: 2_147_483_648, processes: 64, fileBytes: 1_048_576, openFiles: 256 };

/** Whether both names lead to the same: the mount over the second one, then. */
const IS_SAME = '[ "$1" -ef "$2" ]';

/**
 * Finds mounts that do not keep what they are there to keep. A mount lies over one name, as the kernel knows it. Where a disk
 * gives the same file under another name and the kernel does not know that, the other name leads past the mount.
 */
export class MountCheck {
  readonly #confinement: Pick<Confinement, 'exec'>;
  readonly #disks: Disks;
  /** Disks of which a mount was seen to cover the other names too. */
  readonly #covered = new Set<string>();

  constructor({ confinement, disks = DISKS }: MountCheckParts) {
    this.#confinement = confinement;
    this.#disks = disks;
  }

  /** Undefined: every mount holds. On most disks this asks for one name or two of each mount, and no more. */
  async findObstacle(mounts: readonly Mount[]): Promise<BoxObstacle | undefined> {
    for (const place of keptPlaces(mounts)) {
      if (this.#disks.kindOf(path.dirname(place)) === 'renaming') return renaming(place);
      for (const name of findOtherNames(place, this.#disks)) {
        if (!(await this.#covers(place, name))) return uncovered(place, name.other);
      }
    }
    return undefined;
  }

  /** Tried out in a box, on the disk itself: some file systems of the kernel know that both names are one. */
  async #covers(place: string, { other, kind }: OtherName): Promise<boolean> {
    const folder = path.dirname(place);
    const key = `${this.#disks.deviceOf(folder)} ${kind} ${String(this.#disks.list(place) !== undefined)}`;
    if (this.#covered.has(key)) return true;
    const request = {
      argv: ['/bin/sh', '-c', IS_SAME, 'sh', other, place] as const,
      cwd: '/',
      env: {},
      mounts: [{ source: folder, access: 'read' }, { source: place, access: 'hidden' }] as const,
      hosts: [],
      limits: LIMITS,
    };
    const { exit } = await this.#confinement.exec(request, { signal: new AbortController().signal, keepBytes: 0 });
    if (exit.kind !== 'code' || exit.code !== 0) return false;
    this.#covered.add(key);
    return true;
  }
}

/**
 * Every name that a mount rests on: of what is hidden, or only to be read where the rest may be written, its own name and
 * those of the folders around it, as far as a box shows them. Absolute paths, each once.
 */
function keptPlaces(mounts: readonly Mount[]): ReadonlySet<string> {
  // What is only to be read under a name of its own keeps nothing where it lies.
  const own = mounts.filter(({ source, access, target = source }) => access === 'hidden' || target === source);
  const written = outermost(mounts.filter(({ access }) => access === 'write').map(({ source }) => source));
  const shown = outermost([...SYSTEM, ...mounts.filter(({ access }) => access !== 'hidden').map(({ source }) => source)]);
  const places = new Set<string>();
  for (const { source, access } of own) {
    const around = access === 'write' ? [] : access === 'read' ? written : shown;
    const start = around.find((folder) => folder !== source && isWithin(source, folder));
    for (let place = source; start !== undefined && place !== start; place = path.dirname(place)) places.add(place);
  }
  return places;
}

function outermost(places: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const place of places.toSorted((one, other) => one.length - other.length)) {
    if (!found.some((folder) => isWithin(place, folder))) found.push(place);
  }
  return found;
}

const MOVE = 'move it to a disk on which each file has one name: ext4, XFS or Btrfs; with Docker Desktop a volume, in WSL a folder below /home';

function uncovered(place: string, other: string): BoxObstacle {
  return {
    sentence: `Nothing is run: ${JSON.stringify(place)} must be kept from commands, but its disk also gives it the name ${JSON.stringify(other)}, where no sandbox can guard it.`,
    fix: MOVE,
  };
}

function renaming(place: string): BoxObstacle {
  return {
    sentence: `Nothing is run: ${JSON.stringify(place)} must be kept from commands, but on its disk, NTFS or exFAT over FUSE, a command can give it another name, where no sandbox can guard it.`,
    fix: MOVE,
  };
}
