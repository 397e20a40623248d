import { lchownSync, lstatSync, mkdirSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { describeCause, splitPath } from '@devs/core';
import { refuseObstacle, type BoxObstacle } from './box-obstacle.ts';
import { isWithin } from './files/is-within.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** What a box shows, as absolute real paths. */
export interface ShownFolders {
  readonly written: readonly string[];
  readonly read: readonly string[];
}

/**
 * The folders of devs itself: its state, its configuration, its keys. devs trusts what it finds in them, so a box must
 * neither read them nor bring one into being that does not exist yet.
 */
export class ClosedFolders {
  readonly #folders: readonly string[];

  /** @param folders absolute; they need not exist */
  constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => path.resolve(folder));
  }

  /** Each folder as it is named and as it really is now: no mount may lie in one. */
  get places(): readonly string[] {
    return [...new Set(this.#folders.flatMap((folder) => [folder, followLinks(folder).real]))];
  }

  /**
   * To be called before each box: the real paths to hide in it. A folder that does not exist cannot be mounted over, and a
   * command could make it, so it is made here first, empty and for its owner alone.
   * @throws DevsError COMMAND_REFUSED: there is an obstacle
   */
  secure(shown: ShownFolders): readonly string[] {
    const { hidden, obstacle } = this.#close(shown);
    if (obstacle !== undefined) throw refuseObstacle(obstacle);
    return hidden;
  }

  /** Why no box can be had that shows these folders. Makes what is missing, as `secure` does. */
  findObstacle(shown: ShownFolders): BoxObstacle | undefined {
    return this.#close(shown).obstacle;
  }

  #close(shown: ShownFolders): Closed {
    const hidden = new Set<string>();
    for (const folder of this.#folders) {
      const closed = closeFolder(folder, shown);
      if (closed.obstacle !== undefined) return closed;
      for (const place of closed.hidden) hidden.add(place);
    }
    return { hidden: [...hidden] };
  }
}

interface Closed {
  /** Real paths. */
  readonly hidden: readonly string[];
  readonly obstacle?: BoxObstacle;
}

function closeFolder(folder: string, { written, read }: ShownFolders): Closed {
  const isIn = (place: string, folders: readonly string[]) => folders.some((each) => isWithin(place, each));
  const { real, links } = followLinks(folder);
  const replaceable = links.find((link) => isIn(link, written));
  if (replaceable !== undefined) return { hidden: [], obstacle: replaceableLink(replaceable, folder) };
  if (isIn(real, written)) return makeFolder(folder, real);
  return { hidden: isIn(real, read) && isMade(real) ? [real] : [] };
}

interface Trail {
  /** Where the path leads, as far as it can be followed. */
  readonly real: string;
  /** The links on the way; each is a real folder and a name. */
  readonly links: readonly string[];
}

/** As `realpath`, and also for what is not there. */
export function followLinks(folder: string): Trail {
  const links: string[] = [];
  const rest = splitPath(folder).toReversed();
  let real = '/';
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    const place = name === '..' ? path.dirname(real) : path.join(real, name);
    const target = links.length < MAX_LINKS && lookAt(place)?.isSymbolicLink() === true ? readlinkSync(place) : undefined;
    if (target === undefined) {
      real = place;
    } else {
      links.push(place);
      rest.push(...splitPath(target).toReversed());
      if (path.isAbsolute(target)) real = '/';
    }
  }
  return { real, links };
}

function lookAt(place: string): Stats | undefined {
  try {
    return lstatSync(place);
  } catch {
    return undefined; // Not there, or closed to devs and so to its boxes.
  }
}

/** In a box that only reads it matters only that devs could have made the folder later, in the middle of a command. */
function isMade(real: string): boolean {
  try {
    makeFolders(real);
    return true;
  } catch {
    return false;
  }
}

function makeFolder(folder: string, real: string): Closed {
  try {
    makeFolders(real);
  } catch (cause) {
    return { hidden: [], obstacle: unmakeable(folder, cause) };
  }
  // Followed again: somebody may have put a link on the way meanwhile.
  const now = followLinks(folder);
  return now.real === real ? { hidden: [real] } : { hidden: [], obstacle: replaceableLink(now.links.at(-1) ?? real, folder) };
}

/** Not `recursive: true`: below /proc, Node's own never ends. */
function makeFolders(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  if (stats === undefined) makeFolders(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
    giveToOwner(folder);
  } catch (cause) {
    if (lookAt(folder)?.isDirectory() !== true) throw cause;
  }
}

/** What root makes in the home of another account is that one's, whose own devs has to use it. */
function giveToOwner(folder: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = lstatSync(path.dirname(folder));
  lchownSync(folder, uid, gid);
}

/** A mount cannot cover a link: a command could put a folder of its own in the link's place. */
function replaceableLink(link: string, folder: string): BoxObstacle {
  return {
    sentence: `Nothing is run: ${JSON.stringify(link)} is a link that a command could replace, and devs trusts what lies in ${JSON.stringify(folder)}.`,
    fix: 'put a folder in the place of the link, or serve a folder that does not hold it',
  };
}

function unmakeable(folder: string, cause: unknown): BoxObstacle {
  return {
    sentence: `Nothing is run: a command could make ${JSON.stringify(folder)}, which devs would take for its own, and devs cannot make it first (${describeCause(cause)}).`,
    fix: `make ${JSON.stringify(folder)} a folder of yours with mode 0700, or serve a folder that does not hold it`,
    cause,
  };
}
