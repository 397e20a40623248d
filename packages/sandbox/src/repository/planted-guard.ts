import path from 'node:path';
import { DevsError, errnoOf, type MendedLink, type MovedAside } from '@devs/core';
import { ASIDE_MARK } from '../files/protected-patterns.ts';
import type { Protection } from '../files/protection.ts';
import { inFolder, unlock } from './disk-folder.ts';
import { FolderScan, type GuardedName, type FolderScanParts, type SeenFolder } from './folder-scan.ts';
import { KeptLinks, linksIn, type KeptLink } from './kept-links.ts';
import { LeftBehind, Unmoved } from './left-behind.ts';
import { LeftNote, type WriteAt } from './left-note.ts';
import { LinkedPlaces } from './linked-places.ts';
import { descriptorPath, fromRaw, toRaw } from './raw-names.ts';
import { isStrange, keptIn, StrangeFolders, strangeKey, toText } from './strange-folders.ts';
import { takeOut, type NameChanges } from './take-out.ts';

/** Each is a mount of every box. */
const MAX_EXISTING = 512;
/** Of what was moved aside: a flood of it must not fill the memory before all of it is. */
const MOST_TOLD = 10_000;
/** Characters: what names a rule, and is not as long as a name may be. */
const SHOWN_RULE = 100;

export interface PlantedGuardOptions {
  /** Absolute and real. */
  readonly root: string;
  /** @see FolderScanParts.above */
  readonly above?: FolderScanParts['above'];
  readonly protection: Protection;
  /** Letters, digits and `-`; another one each time. */
  readonly createId: () => string;
  /** Milliseconds of the clock by which files are dated. Default `Date.now`. */
  readonly now?: () => number;
  /** Asks a folder, by its raw path, for its time. Default: as it is on the disk. */
  readonly lookAt?: FolderScanParts['lookAt'];
  readonly disks?: FolderScanParts['disks'];
  /** What can be guarded. Default: what memory is there for. */
  readonly most?: FolderScanParts['most'];
  /** Default: on the disk. */
  readonly changes?: NameChanges;
  /** Absolute file, in a folder that no box and no tool reaches, for what is left. Default: it is kept in memory alone. */
  readonly noteFile?: string | undefined;
  /** Default: on the disk. */
  readonly writeNote?: WriteAt;
}

/** What commands must not change, by absolute paths. */
export interface KeptPlaces {
  /** What is protected and there. */
  readonly existing: readonly string[];
  /** What holds files that have names outside of the project too. */
  readonly linked: readonly string[];
}

/** What was there before a command ran. */
export interface Snapshot {
  /** Absolute paths of what must not be changed and is there: to be mounted read-only, and so it stays as it is. */
  readonly existing: readonly string[];
  /** Keys of what is guarded, of folders that git takes for a repository, and of closed ones. */
  readonly known: ReadonlySet<string>;
  /** Protected links, which no mount keeps: `after` puts them back. */
  readonly links?: readonly KeptLink[];
  /** What an earlier command had left, and could be moved aside only now: `after` tells it too. */
  readonly moved?: readonly MovedAside[];
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
  readonly #linked: LinkedPlaces;
  /** What the calls that are under way know. */
  readonly #underWay = new Map<ReadonlySet<string>, Set<string>>();
  readonly #left: LeftBehind;

  constructor(options: PlantedGuardOptions) {
    const { noteFile, writeNote } = options;
    this.#options = options;
    this.#left = new LeftBehind(noteFile === undefined ? undefined : new LeftNote(noteFile, writeNote));
    this.#scan = new FolderScan({ ...options, now: options.now ?? Date.now });
    this.#linked = new LinkedPlaces(options.root, this.#scan);
  }

  /**
   * Each is to be given to `after`.
   * @throws DevsError COMMAND_REFUSED: too many folders, or too much that is protected; PROJECT_UNSAFE: something that an
   * earlier command left is still there, and can still not be moved aside, or cannot be noted
   */
  async before(): Promise<Snapshot> {
    const existing: string[] = [];
    const known = new Set<string>();
    const linked = this.#linked.begin();
    const links: KeptLink[] = [];
    const walk = new Walk();
    this.#left.load();
    const asked = this.#left.all();
    // From now on: what another call's end moves aside while this looks must not be taken for known.
    this.#underWay.set(known, known);
    try {
      await this.#scan.visit(async (found, pause) => {
        const left = this.#leftIn(found);
        const folder = left.length === 0 ? found : this.#readAgain(found, await this.#moveAll(found, left, { walk, pause }));
        // From the reading to this nothing may pause: what another call moves aside in between would be taken for known.
        for (const { key } of folder.guarded) known.add(key);
        existing.push(...this.#toMount(folder));
        for (const link of linksIn(folder)) links.push(link);
        if (folder.heads.length > 0) known.add(folder.identity);
        if (folder.isClosed) known.add(closedKey(folder));
        const looked = await linked.look(folder, pause);
        if (isStrange(looked) && looked.linked?.length !== 0) known.add(strangeKey(looked));
        return looked;
      });
      this.#forget(asked, walk);
      const isNoted = this.#left.save();
      if (!walk.unmoved.isEmpty) throw walk.unmoved.toError('An earlier command', isNoted);
      existing.push(...(await this.#linked.find(linked, existing)));
      if (existing.length > MAX_EXISTING) throw tooManyProtected();
      return { existing, known, links, moved: walk.moved };
    } catch (error) {
      this.#underWay.delete(known);
      throw error;
    }
  }

  /** The same, for who runs nothing. @throws DevsError as `before` */
  async look(): Promise<KeptPlaces> {
    const existing: string[] = [];
    const linked = this.#linked.begin();
    await this.#scan.visit((folder, pause) => {
      existing.push(...this.#toMount(folder));
      return linked.look(folder, pause);
    });
    return { existing, linked: await this.#linked.find(linked, existing) };
  }

  #toMount(folder: SeenFolder): readonly string[] {
    return keptIn(folder).map((place) => path.join(this.#options.root, ...place.map(toText)));
  }

  #newStrange(known: ReadonlySet<string>): StrangeFolders {
    const { root, createId, changes } = this.#options;
    return new StrangeFolders({ root: toRaw(root), known, createId, changes });
  }

  /**
   * To be called when nothing of the command is left. Moves aside what was not there before, and says what and where to:
   * `.git` to `.git.devs-aside-<id>`, and of a folder that git takes for a repository its `HEAD`, without which it is none.
   * @param onLink is told of each protected link that is not there any more
   * @throws DevsError PROJECT_UNSAFE: something could not be moved or put back, or not all could be looked at
   */
  async after({ known, links = [], moved = [] }: Snapshot, onLink: (link: MendedLink) => void = () => undefined): Promise<readonly MovedAside[]> {
    const walk = new Walk(moved);
    const kept = new KeptLinks(links);
    const strange = this.#newStrange(known);
    let failure: DevsError | undefined;
    try {
      await this.#scan.visit(async (found, pause) => {
        const folder = this.#opened(found, known);
        kept.see(folder);
        const planted = plantedIn(folder, known);
        const cleared = planted.length === 0 ? folder : this.#readAgain(folder, await this.#moveAll(folder, planted, { walk, pause }));
        await strange.see(cleared, pause);
        return cleared;
        // A flood of folders must not hide what was planted beside it.
      }, { toEnd: true });
    } catch (cause) {
      // The command has run: a refusal would say, in the log too, that it had not.
      failure = toUnsafe(cause);
    }
    await this.#putBack(kept, walk, onLink);
    // Last: the paths that the walk has found hold until now.
    strange.rename(walk.unmoved, walk.tell);
    this.#underWay.delete(known);
    const isNoted = this.#left.save();
    if (!walk.unmoved.isEmpty) throw walk.unmoved.toError('The command has run, and', isNoted);
    if (failure !== undefined) throw failure;
    return walk.moved;
  }

  async #putBack(kept: KeptLinks, { unmoved }: Walk, onLink: (link: MendedLink) => void): Promise<void> {
    const made = await kept.putBack(unmoved, onLink);
    // For the other calls it is the user's, too.
    for (const known of this.#underWay.values()) for (const key of made) known.add(key);
  }

  #leftIn(folder: SeenFolder): readonly Planted[] {
    return this.#left.size === 0 ? [] : guardedIn(folder).filter(({ key }) => this.#left.has(key));
  }

  /** What a walk did not find is gone, unless a command that still runs could have moved it from where it was looked for. */
  #forget(asked: readonly string[], { unmoved }: Walk): void {
    if (this.#underWay.size === 1) this.#left.forget(asked, unmoved);
  }

  /**
   * One that cannot be moved must not save the others: a command can fill the disk, and would keep all by the first. Nor must a
   * flood of them hold up all other calls.
   * @returns what the moved ones are called now
   */
  async #moveAll(folder: SeenFolder, planted: readonly Planted[], { walk, pause }: { readonly walk: Walk; readonly pause: () => Promise<void> }): Promise<readonly string[]> {
    const aside: string[] = [];
    for (const each of planted) {
      const name = this.#moveAside(folder, each, walk);
      if (name !== undefined) aside.push(name);
      await pause();
    }
    return aside;
  }

  #readAgain(folder: SeenFolder, aside: readonly string[]): SeenFolder {
    return folder.isInPieces ? this.#scan.again(folder, aside) : (this.#scan.read(folder.path) ?? folder);
  }

  /** A folder that was closed to its owner meanwhile could hide anything, until someone opens it. */
  #opened(folder: SeenFolder, known: ReadonlySet<string>): SeenFolder {
    if (!folder.isClosed || known.has(closedKey(folder)) || !unlock(folder.path)) return folder;
    return this.#scan.read(folder.path) ?? folder;
  }

  #moveAside({ path: place, names }: SeenFolder, { name, rule, key }: Planted, { unmoved, tell }: Walk): string | undefined {
    // A call that began meanwhile has found it there, and could make it anew.
    for (const known of this.#underWay.values()) known.delete(key);
    const { createId, changes } = this.#options;
    const aside = toRaw(`${asideName(rule)}${ASIDE_MARK}${createId()}`);
    const below = (last: string) => [...names, last].map(fromRaw).join('/');
    try {
      return inFolder(place, (descriptor) => {
        const to = takeOut({ folder: descriptorPath(descriptor), name, aside, createId, changes });
        if (to === undefined) unmoved.addRemoved(below(name));
        else tell({ path: below(name), to: below(to) });
        return to;
      });
    } catch (cause) {
      // The guard of another call, which ended in the same moment, was quicker.
      if (errnoOf(cause) === 'ENOENT') return undefined;
      unmoved.addStuck(key, below(name), cause);
      // At once: a call may begin before this walk ends.
      this.#left.add(key);
      return undefined;
    }
  }
}

/** What one walk has moved aside, and what not. */
class Walk {
  readonly moved: MovedAside[];
  readonly unmoved = new Unmoved();

  constructor(moved: readonly MovedAside[] = []) {
    this.moved = [...moved];
  }

  readonly tell = (moved: MovedAside): void => {
    if (this.moved.length < MOST_TOLD) this.moved.push(moved);
  };
}

/** What it is protected as, and not its own name, which may be as long as a name may be. */
function asideName(rule: string): string {
  return rule.slice(rule.lastIndexOf('/') + 1).replaceAll(/[*$]/g, '_').slice(0, SHOWN_RULE);
}

type Planted = Pick<GuardedName, 'name' | 'rule' | 'key'>;

/** Of a repository that was not there its `HEAD` alone: without it nobody obeys the rest. */
function plantedIn(folder: SeenFolder, known: ReadonlySet<string>): readonly Planted[] {
  const isNew = folder.heads.length > 0 && !known.has(folder.identity);
  return guardedIn(folder).filter((each) => !known.has(each.key) && !(isNew && each.isObeyedByGit));
}

/** With the files that make a repository of the folder itself. */
function guardedIn({ heads, guarded, identity }: SeenFolder): readonly (Planted & Pick<GuardedName, 'isObeyedByGit'>)[] {
  return heads.length === 0 ? guarded : [...heads.map((name) => ({ name, rule: 'HEAD', key: identity, isObeyedByGit: false })), ...guarded];
}

function closedKey({ identity }: SeenFolder): string {
  return `closed:${identity}`;
}

function toUnsafe(cause: unknown): DevsError {
  if (!DevsError.is(cause)) return new DevsError('PROJECT_UNSAFE', { cause });
  return cause.code === 'PROJECT_UNSAFE' ? cause : new DevsError('PROJECT_UNSAFE', { sentence: `The command has run, and what it left could not be looked for. ${cause.sentence}`, cause });
}

function tooManyProtected(): DevsError {
  return new DevsError('COMMAND_REFUSED', {
    sentence: `The project holds more than ${String(MAX_EXISTING)} protected files and folders: devs cannot guard them all.`,
  });
}
