import { lstatSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { DevsError, errnoOf, type MendedLink, type MovedAside } from '@devs/core';
import { followLinks } from '../closed-folders.ts';
import { quotePath } from '../files/errno.ts';
import { isWithin } from '../files/is-within.ts';
import { ASIDE_MARK } from '../files/protected-patterns.ts';
import { spelledPlaces } from '../files/real-places.ts';
import { identityOf, inFolder } from '../repository/disk-folder.ts';
import { descriptorPath, toRaw } from '../repository/raw-names.ts';
import { takeOut, withAccess } from '../repository/take-out.ts';
import { Turn } from '../repository/turn.ts';

/** Characters of a name that its new name begins with. */
const SHOWN_NAME = 100;

interface BlockedLinksParts {
  /** Absolute and real. */
  readonly root: string;
  /** As the rules have them, of every tool. */
  readonly entries: readonly string[];
  /** Another one each time: letters, digits and `-`. */
  readonly createId: () => string;
}

interface KnownLink {
  readonly identity: string;
  readonly leadsTo: Buffer;
}

/**
 * Keeps a command from widening what is blocked. Where a link leads from a blocked name is blocked as well, so after
 * `ln -s . secrets` no tool could reach anything, and a devs that is started anew takes the link for the user's own.
 */
export class BlockedLinks {
  readonly #parts: BlockedLinksParts;
  /** By their places: the links by which entries led somewhere before the command. */
  readonly #known: Map<string, KnownLink>;

  constructor(parts: BlockedLinksParts) {
    this.#parts = parts;
    this.#known = new Map(this.#trails().flat().flatMap((place) => {
      const link = readLink(place);
      return link === undefined ? [] : [[place, link]];
    }));
  }

  /**
   * To be called when nothing of the command is left. Moves new links aside, and puts back those that are gone.
   * @throws DevsError PROJECT_UNSAFE: one stays
   */
  async mend(onLink: (link: MendedLink) => void): Promise<readonly MovedAside[]> {
    const moved: MovedAside[] = [];
    const turn = new Turn();
    // Behind a link that is put back, another one may be new.
    for (let places = this.#newLinks(); places.length > 0; places = this.#newLinks()) {
      for (const place of places) {
        moved.push(...this.#moveAside(place));
        await turn.pause();
      }
      this.#putBack(onLink);
    }
    this.#putBack(onLink);
    return moved;
  }

  /** Of each way the first: what lies behind it is not on the way any more when it is gone. */
  #newLinks(): readonly string[] {
    const isNew = (place: string) => {
      const link = readLink(place);
      return link !== undefined && link.identity !== this.#known.get(place)?.identity;
    };
    const first = (links: readonly string[]) => links.find(isNew);
    return [...new Set(this.#trails().flatMap((links) => first(links) ?? []))];
  }

  /** The links on the way of each entry, which commands can change. */
  #trails(): readonly (readonly string[])[] {
    const { root, entries } = this.#parts;
    const places = new Set(entries.flatMap(prefixesOf).flatMap((entry) => spelledPlaces(entry, root)));
    return [...places].map((place) => followLinks(place).links.filter((link) => isWithin(link, root)));
  }

  /** Nothing where it had to be removed, for want of room. */
  #moveAside(place: string): readonly MovedAside[] {
    const { root, createId } = this.#parts;
    const name = path.basename(place);
    const shown = (last: string) => path.relative(root, path.join(path.dirname(place), last));
    const aside = `${name.replaceAll(/[^\w.-]/g, '_').slice(0, SHOWN_NAME)}${ASIDE_MARK}${createId()}`;
    try {
      const to = inFolder(toRaw(path.dirname(place)), (descriptor) => takeOut({ folder: descriptorPath(descriptor), name: toRaw(name), aside, createId }));
      return to === undefined ? [] : [{ path: shown(name), to: shown(to) }];
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return []; // Another program was quicker.
      const sentence = `The command has run, and made ${quotePath(shown(name))} a link, by which "files.blocked" would block more. It could not be moved aside. Remove it before anything else.`;
      throw new DevsError('PROJECT_UNSAFE', { sentence, cause });
    }
  }

  #putBack(onLink: (link: MendedLink) => void): void {
    for (const [place, { leadsTo }] of this.#known) {
      if (isThere(place)) continue;
      const identity = makeAnew(place, leadsTo);
      if (identity === undefined) this.#known.delete(place);
      else this.#known.set(place, { identity, leadsTo });
      onLink({ path: path.relative(this.#parts.root, place), leadsTo: leadsTo.toString(), isBack: identity !== undefined });
    }
  }
}

/** The entry and the folders on its way: one that leads elsewhere is followed also while nothing is there. */
function prefixesOf(entry: string): readonly string[] {
  const above = path.dirname(path.normalize(entry));
  return above === '.' || above === '/' ? [entry] : [entry, ...prefixesOf(above)];
}

/** Undefined: another program has removed or replaced it since it was followed. */
function readLink(place: string): KnownLink | undefined {
  try {
    return { identity: identityOf(lstatSync(place)), leadsTo: readlinkSync(place, 'buffer') };
  } catch {
    return undefined;
  }
}

function isThere(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Undefined: the folder that it was in is gone, or takes no link. */
function makeAnew(place: string, leadsTo: Buffer): string | undefined {
  try {
    return inFolder(toRaw(path.dirname(place)), (descriptor) => {
      const link = path.join(descriptorPath(descriptor), path.basename(place));
      withAccess(descriptorPath(descriptor), () => {
        symlinkSync(leadsTo, link);
      });
      return identityOf(lstatSync(link));
    });
  } catch {
    return undefined;
  }
}
