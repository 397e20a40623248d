import { DevsError, type MovedAside } from '@devs/core';
import { quotePath } from '../files/errno.ts';
import { ASIDE_MARK } from '../files/protected-patterns.ts';
import { inFolder } from './disk-folder.ts';
import type { SeenFolder } from './folder-scan.ts';
import type { Unmoved } from './left-behind.ts';
import { readLinkedNames } from './linked-files.ts';
import { descriptorPath, fromRaw, toRaw } from './raw-names.ts';
import { takeOut, type NameChanges } from './take-out.ts';

/** Characters: what tells the user which folder it was, and is not as long as a name may be. */
const SHOWN_NAME = 100;

interface StrangeParts {
  /** Raw, absolute. */
  readonly root: string;
  /** Keys of the folders that were kept by the folder around them before the command. */
  readonly known: ReadonlySet<string>;
  readonly createId: () => string;
  readonly changes: NameChanges | undefined;
}

/**
 * Folders that hold what has to be mounted, and that no mount can name, because a name on the way is no UTF-8. A command can
 * make any folder such a one by `mv`, and every later command would be refused.
 */
export class StrangeFolders {
  readonly #parts: StrangeParts;
  /** By their paths below the root, raw: the names in them. */
  readonly #found = new Map<string, readonly string[]>();
  readonly #inPieces = new Set<string>();

  constructor(parts: StrangeParts) {
    this.#parts = parts;
  }

  /** To be shown every folder once nothing of the command runs, without what was planted. */
  async see(folder: SeenFolder, pause: () => Promise<void>): Promise<void> {
    if (!isStrange(folder) || this.#parts.known.has(strangeKey(folder))) return;
    if (keptIn(folder).length === 0 && !(await this.#holdsLinked(folder, pause))) return;
    const { names } = folder;
    for (const [index, name] of names.entries()) {
      const place = names.slice(0, index + 1);
      if (!isText(name)) this.#found.set(place.join('/'), place);
    }
  }

  /** Of a folder in pieces all is read with the first. */
  async #holdsLinked({ path, isInPieces }: SeenFolder, pause: () => Promise<void>): Promise<boolean> {
    if (this.#inPieces.has(path)) return false;
    if (isInPieces) this.#inPieces.add(path);
    return (await readLinkedNames(path, pause)).length > 0;
  }

  /** Gives each a name that a mount can say: the deepest first, for the paths to the others to hold. */
  rename(unmoved: Unmoved, tell: (moved: MovedAside) => void): void {
    for (const names of [...this.#found.values()].toSorted((one, other) => other.length - one.length)) {
      const path = names.map(fromRaw).join('/');
      try {
        const to = this.#rename(names);
        if (to !== undefined) tell({ path, to });
      } catch (cause) {
        unmoved.addStrange(path, cause);
      }
    }
  }

  /** Undefined: it is gone. */
  #rename(names: readonly string[]): string | undefined {
    const { root, createId, changes } = this.#parts;
    const [above, name = ''] = [names.slice(0, -1), names.at(-1)];
    const aside = `${asciiOf(name)}${ASIDE_MARK}${createId()}`;
    return inFolder([root, ...above].join('/'), (descriptor) => {
      const to = takeOut({ folder: descriptorPath(descriptor), name, aside, createId, changes });
      return to === undefined ? undefined : [...above, to].map(fromRaw).join('/');
    });
  }
}

export function isStrange({ names }: Pick<SeenFolder, 'names'>): boolean {
  return !names.every(isText);
}

export function strangeKey({ identity }: Pick<SeenFolder, 'identity'>): string {
  return `strange:${identity}`;
}

/** Names, from the root, of what has to be mounted. */
export function keptIn(folder: SeenFolder): readonly (readonly string[])[] {
  const { names, guarded } = folder;
  const kept = guarded.filter(({ isLink }) => !isLink).map(({ name }) => [...names, name]);
  return [...(isOpenedByOwner(folder) ? [names] : []), ...kept];
}

/** A command could open it, change what is in it, and close it again. Mounted read-only, it keeps its mode. */
function isOpenedByOwner({ isClosed, stats }: SeenFolder): boolean {
  return isClosed && stats.uid === process.geteuid?.();
}

/** A mount is named by text. @throws DevsError COMMAND_REFUSED */
export function toText(raw: string): string {
  if (isText(raw)) return fromRaw(raw);
  throw new DevsError('COMMAND_REFUSED', {
    sentence: `What is protected lies in ${quotePath(fromRaw(raw))}, a name that is no UTF-8: devs cannot keep it from being changed. Someone has to rename that.`,
  });
}

function isText(raw: string): boolean {
  return toRaw(fromRaw(raw)) === raw;
}

/** Also without what a disk or a program could take for a separator: the name must not come to be a protected one. */
function asciiOf(raw: string): string {
  return raw.replaceAll(/[^\w.-]/g, '_').slice(0, SHOWN_NAME);
}
