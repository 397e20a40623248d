import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { splitPath, type Mount } from '@devs/core';
import { boxView } from '../box-view.ts';
import { isWithin } from '../files/is-within.ts';
import { showsKernel } from '../files/kernel-folders.ts';
import type { Protection } from '../files/protection.ts';
import { toRealPath, type BlockedPlaces } from '../files/real-places.ts';
import { refuseBox, type ServerOrder } from './server-order.ts';

export interface ShownPlaces {
  /** The project, absolute and real. */
  readonly root: string;
  /** The folders of devs itself, as named and as they are, also those of other projects. */
  readonly closed: readonly string[];
  /** Where devs keeps what lives for a moment, absolute and real. */
  readonly privateFolder: string;
  /** What `files.blocked` names. */
  readonly blocked: readonly string[];
  /** What no tool writes. */
  readonly protection: Protection;
  /** Whether no box comes there, nor could have it opened: what is to be hidden there cannot be mounted, and need not be. */
  readonly isBeyond: (place: string) => boolean;
  /** What it means, and has meant. */
  readonly places: BlockedPlaces;
}

/** The mounts that the user of a server has named, judged. @throws DevsError UPSTREAM_UNAVAILABLE: one that would open what stays closed */
export function namedMounts(order: ServerOrder, shown: ShownPlaces): readonly Mount[] {
  return [
    ...order.readWrite.map((named): Mount => ({ source: judge(named, order, { ...shown, access: 'write' }), access: 'write', pinned: true })),
    ...order.readOnly.map((named): Mount => ({ source: judge(named, order, { ...shown, access: 'read' }), access: 'read', pinned: true })),
  ];
}

/** The folders in which what is protected is to be looked for: those of the project that are to be written. */
export function writtenInRoot(mounts: readonly Mount[], root: string): readonly string[] {
  const written = mounts.filter(({ access }) => access === 'write').map(({ source }) => source);
  if (written.some((source) => isWithin(root, source))) return [root];
  return written.filter((source) => isWithin(source, root) && !written.some((other) => other !== source && isWithin(source, other)));
}

/**
 * All of them in the order in which they have to be made: what lies deeper lies over what is around it, what is only to be
 * read over what is to be written at the same place, and what is hidden over all.
 * @param existing what is protected in the project, and there
 */
export function arrange(mounts: readonly Mount[], existing: readonly string[], { root, closed, blocked, protection, places, isBeyond }: ShownPlaces): readonly Mount[] {
  const allowed = writtenInRoot(mounts, root);
  const view = allowed.length === 0 ? [] : boxView({ root, rules: { allowed, blocked }, closed, readOnly: existing, protection, places });
  const isShown = (place: string) => mounts.some(({ source }) => isWithin(place, source));
  const hidden = [...closed.filter((place) => existsSync(place)).map(toRealPath), ...places.of(blocked)].filter((place) => isShown(place) && !isBeyond(place));
  const all = [...mounts, ...view.filter(({ source, access }) => access !== 'hidden' && !isBeyond(source))];
  const rank = ({ source, access }: Mount) => source.length * 2 + (access === 'read' ? 1 : 0);
  return [...all.toSorted((one, other) => rank(one) - rank(other)), ...outermost(hidden).map((source): Mount => ({ source, access: 'hidden' }))];
}

interface Judging extends ShownPlaces {
  readonly access: 'read' | 'write';
}

function judge(named: string, order: ServerOrder, { access, ...shown }: Judging): string {
  const { root, closed, privateFolder, blocked, places } = shown;
  const place = path.resolve(named);
  const refuse = (problem: string, suggestion: string) => refuseBox(order, `its mount ${JSON.stringify(named)} ${problem}.`, suggestion);
  if (!existsSync(place)) throw refuse('is not there', 'Make it, or take it out of "sandbox": {"mounts": …}.');
  const real = realpathSync.native(place);
  // A link can be planted by whoever may write where it lies, and would show what it leads to.
  if (real !== place) throw refuse(`leads through a link to ${JSON.stringify(real)}`, 'Write the path that it leads to, if that is what you mean.');
  if (isWithin(privateFolder, place)) throw refuse('holds the folder for temporary files, where devs works', 'Name the folders in it that the server needs.');
  if (showsKernel(place)) throw refuse('is the kernel’s', 'Remove it: a sandbox has its own.');
  if (closed.some((folder) => isWithin(place, folder))) throw refuse('is devs’s own', 'Take it out.');
  if (access === 'write' && closed.some((folder) => isWithin(folder, place))) throw refuse('holds what is devs’s own', 'Name the folders in it that the server needs.');
  if (access === 'write' && isProtected(place, shown)) throw refuse('is a protected file or folder of the project, or lies in one', 'Show it to be read, or name the folders beside it that the server needs.');
  if (isWithin(place, root) && places.of(blocked).some((folder) => isWithin(place, folder))) throw refuse('is blocked by "files": {"blocked": …}', 'Take it out of one of the two.');
  return place;
}

/** What is judged in a mount are the names below it, so its own name is judged here. */
function isProtected(place: string, { root, protection }: Pick<ShownPlaces, 'root' | 'protection'>): boolean {
  const segments = isWithin(place, root) ? splitPath(path.relative(root, place)) : [];
  return segments.some((segment, index) => protection.protectedBy(segment, segments.slice(0, index)) !== undefined);
}

function outermost(places: readonly string[]): readonly string[] {
  return [...new Set(places)].filter((place, _, all) => !all.some((other) => other !== place && isWithin(place, other)));
}
