import { chmodSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { DevsError, type MovedAside } from '@devs/core';
import { errnoOf, quotePath } from '../errno.ts';
import type { Protection } from '../protection.ts';
import { FolderScan, type SeenFolder } from './folder-scan.ts';
import { fromRaw, rawPath, toRaw } from './raw-names.ts';

/** Each is a mount of every box. */
const MAX_EXISTING = 512;
/** Characters: what names a rule, and is not as long as a name may be. */
const SHOWN_RULE = 100;

export interface PlantedGuardOptions {
  /** Absolute and real. */
  readonly root: string;
  readonly protection: Protection;
  /** Letters, digits and `-`; another one each time. */
  readonly createId: () => string;
  /** Milliseconds of the clock by which files are dated. Default `Date.now`. */
  readonly now?: () => number;
}

/** What was there before a command ran. */
export interface Snapshot {
  /** Absolute paths of what is protected and there: to be mounted read-only, and so it stays as it is. */
  readonly existing: readonly string[];
  /** Folder and name, or a folder alone which git takes for a repository. */
  readonly known: ReadonlySet<string>;
}

/**
 * Finds what a command has made that others obey: a repository at any depth (git runs what its configuration names as soon as
 * anyone asks for a status in it), and protected files, which cannot be mounted while they are not there. It is moved aside
 * once nothing of the command runs any more.
 *
 * What was there is known by its folder's identity and its name, not by its path: a mounted name cannot be taken out of its
 * folder, but the folder can be renamed and another one put in its place.
 */
export class PlantedGuard {
  readonly #options: PlantedGuardOptions;
  readonly #scan: FolderScan;

  constructor(options: PlantedGuardOptions) {
    this.#options = options;
    this.#scan = new FolderScan({ root: options.root, protection: options.protection, now: options.now ?? Date.now });
  }

  /** @throws DevsError COMMAND_REFUSED: too many folders, or too much that is protected */
  async before(): Promise<Snapshot> {
    const existing: string[] = [];
    const known = new Set<string>();
    await this.#scan.visit((folder) => {
      for (const name of folder.protectedNames) {
        known.add(keyOf(folder, name));
        existing.push(path.join(this.#options.root, ...folder.names.map(fromRaw), fromRaw(name)));
      }
      if (folder.heads.length > 0 || folder.isClosed) known.add(folder.identity);
      return folder;
    });
    if (existing.length > MAX_EXISTING) throw tooManyProtected();
    return { existing, known };
  }

  /**
   * To be called when nothing of the command is left. Moves aside what was not there before, and says what and where to:
   * `.git` to `.git.devs-aside-<id>`, and of a folder that git takes for a repository its `HEAD`, without which it is none.
   * @throws DevsError COMMAND_REFUSED: something could not be moved, or too many folders
   */
  async after({ known }: Snapshot): Promise<readonly MovedAside[]> {
    const moved: MovedAside[] = [];
    await this.#scan.visit((found) => {
      const folder = this.#opened(found, known);
      if (folder.protectedNames.length + folder.heads.length === 0) return folder;
      const { names } = folder;
      const planted = folder.protectedNames.filter((name) => !known.has(keyOf(folder, name)));
      const heads = known.has(folder.identity) ? [] : folder.heads;
      if (planted.length + heads.length === 0) return folder;
      for (const name of planted) moved.push(this.#moveAside(names, name, this.#scan.ruleOf(name) ?? name));
      for (const name of heads) moved.push(this.#moveAside(names, name, 'HEAD'));
      return this.#scan.read(names) ?? folder;
    });
    return moved;
  }

  /** A folder that was closed to its owner meanwhile could hide anything, until someone opens it. */
  #opened(folder: SeenFolder, known: ReadonlySet<string>): SeenFolder {
    if (!folder.isClosed || known.has(folder.identity) || !this.#scan.unlock(folder.names)) return folder;
    return this.#scan.read(folder.names) ?? folder;
  }

  #moveAside(names: readonly string[], name: string, rule: string): MovedAside {
    const aside = toRaw(`${rule.slice(0, SHOWN_RULE)}.devs-aside-${this.#options.createId()}`);
    const place = (last: string) => [...names, last].map(fromRaw).join('/');
    try {
      this.#scan.within(names, (folder) => {
        renameIn(folder, name, aside);
      });
    } catch (cause) {
      throw new DevsError('COMMAND_REFUSED', {
        sentence: `The command left ${quotePath(place(name))}, which could not be moved aside. Remove it before anything else.`,
        cause,
      });
    }
    return { path: place(name), to: place(aside) };
  }
}

/** Who may not write a folder may still not keep in it what devs has to take out: the mode is put back. */
function renameIn(folder: string, name: string, aside: string): void {
  const rename = () => {
    renameSync(rawPath(`${folder}/${name}`), rawPath(`${folder}/${aside}`));
  };
  try {
    rename();
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
    const mode = statSync(folder).mode & 0o7777;
    chmodSync(folder, mode | 0o700);
    try {
      rename();
    } finally {
      chmodSync(folder, mode);
    }
  }
}

function keyOf(folder: SeenFolder, name: string): string {
  return `${folder.identity}/${name}`;
}

function tooManyProtected(): DevsError {
  return new DevsError('COMMAND_REFUSED', {
    sentence: `The project holds more than ${String(MAX_EXISTING)} protected files and folders: devs cannot guard them all.`,
  });
}
