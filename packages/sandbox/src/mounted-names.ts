import { readFileSync } from 'node:fs';
import path from 'node:path';
import { followLinks } from './closed-folders.ts';
import { isWithin } from './files/is-within.ts';

/** One line of `/proc/self/mountinfo`. */
interface MountLine {
  /** The file system, as `major:minor`. */
  readonly device: string;
  /** The folder of the file system that is mounted. */
  readonly root: string;
  /** Where it is mounted. */
  readonly at: string;
}

/**
 * The folders and every other path under which the machine shows them: a folder that is mounted a second time (a bind
 * mount, a volume of a container, a subvolume) is the same folder under a path that no comparison of paths recognizes.
 * @param folders absolute; they need not exist
 * @param table as `/proc/self/mountinfo` has it
 */
export function withMountedNames(folders: readonly string[], table = readMountTable()): readonly string[] {
  const mounts = table.split('\n').flatMap(parseLine);
  return [...new Set(folders.flatMap((folder) => [folder, ...otherNames(followLinks(folder).real, mounts)]))];
}

/** Where something is mounted. */
export function mountPlaces(table: string): readonly string[] {
  return table.split('\n').flatMap(parseLine).map(({ at }) => at);
}

function otherNames(place: string, mounts: readonly MountLine[]): readonly string[] {
  // Of several mounts on one folder the last one is seen.
  const own = mounts.filter(({ at }) => isWithin(place, at)).reduce<MountLine | undefined>((best, mount) => (best !== undefined && best.at.length > mount.at.length ? best : mount), undefined);
  if (own === undefined) return [];
  const inner = path.join(own.root, path.relative(own.at, place));
  const names = mounts.filter(({ device }) => device === own.device).flatMap(({ root, at }) => nameUnder(inner, root, at));
  return names.filter((name) => name !== place);
}

function nameUnder(inner: string, root: string, at: string): readonly string[] {
  if (isWithin(inner, root)) return [path.join(at, path.relative(root, inner))];
  // Only a part of the folder is mounted there.
  return isWithin(root, inner) ? [at] : [];
}

function parseLine(line: string): readonly MountLine[] {
  const [, , device, root, at] = line.split(' ');
  if (device === undefined || root === undefined || at === undefined) return [];
  return [{ device, root: unescape(root), at: unescape(at) }];
}

/** The kernel writes spaces, tabs, line ends and backslashes in octal. */
function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Empty where the system has no such table. */
export function readMountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}
