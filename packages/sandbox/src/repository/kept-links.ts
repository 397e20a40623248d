import { lstatSync, symlinkSync } from 'node:fs';
import type { MendedLink } from '@devs/core';
import { identityOf, inFolder, readLinkAt } from './disk-folder.ts';
import type { SeenFolder } from './folder-scan.ts';
import type { Unmoved } from './left-behind.ts';
import { descriptorPath, fromRaw, rawPath } from './raw-names.ts';
import { withAccess } from './take-out.ts';
import { Turn } from './turn.ts';

/** A protected link that was there before a command. A mount goes to what a link leads to, so none keeps the link itself. */
export interface KeptLink {
  /** Of the folder that it is in. */
  readonly identity: string;
  /** Of it and the folders above it, from the root. */
  readonly names: readonly string[];
  readonly name: string;
  /** As it is written in the link, raw. */
  readonly leadsTo: string;
}

interface LinkPlace {
  readonly folder: string;
  readonly link: KeptLink;
}

export function linksIn({ identity, names, guarded }: SeenFolder): readonly KeptLink[] {
  return guarded.flatMap(({ name, leadsTo }) => (leadsTo === undefined ? [] : [{ identity, names: [...names, name], name, leadsTo }]));
}

/** Makes anew what a command has removed: without `~/.gitconfig`, which is often a link, no setting in it holds any more. */
export class KeptLinks {
  readonly #links: readonly KeptLink[];
  readonly #identities: ReadonlySet<string>;
  readonly #folders = new Map<string, Pick<SeenFolder, 'path' | 'names'>>();

  constructor(links: readonly KeptLink[]) {
    this.#links = links;
    this.#identities = new Set(links.map(({ identity }) => identity));
  }

  /** To be shown every folder once nothing of the command runs: it may be called otherwise by now. */
  see({ identity, path, names }: SeenFolder): void {
    if (this.#identities.has(identity)) this.#folders.set(identity, { path, names });
  }

  /**
   * To be called when what was planted in their place is out of it.
   * @returns the keys of the new links
   */
  async putBack(unmoved: Unmoved, onLink: (link: MendedLink) => void): Promise<readonly string[]> {
    const turn = new Turn();
    const keys: string[] = [];
    for (const link of this.#links) {
      const folder = this.#folders.get(link.identity);
      const names = folder === undefined ? link.names : [...folder.names, link.name];
      const told = { path: names.map(fromRaw).join('/'), leadsTo: fromRaw(link.leadsTo) };
      try {
        const made = folder === undefined ? 'gone' : makeAnew({ folder: folder.path, link });
        if (made !== 'there') onLink({ ...told, isBack: made !== 'gone' });
        if (made !== 'there' && made !== 'gone') keys.push(made);
      } catch (cause) {
        unmoved.addLost(told, cause);
      }
      await turn.pause();
    }
    return keys;
  }
}

/** `there`: it has never gone. `gone`: nor is its folder there. Else the key of the new one. */
function makeAnew({ folder, link }: LinkPlace): string {
  return inFolder(folder, (descriptor) => {
    const place = `${descriptorPath(descriptor)}/${link.name}`;
    if (readLinkAt(place) === link.leadsTo) return 'there';
    withAccess(descriptorPath(descriptor), () => symlinkSync(rawPath(link.leadsTo), rawPath(place)));
    return `${link.identity}/${link.name}/${identityOf(lstatSync(rawPath(place)))}`;
  }) ?? 'gone';
}
