import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '@devs/core';
import { isWithin } from '../files/is-within.ts';
import { isOfSystem, ownPlacesInSystem } from '../files/system-folders.ts';
import { partsOfInstallation } from './installations.ts';

export interface ToolchainPlace {
  /** As `PATH` has it. */
  readonly searchPath: string;
  /** The home folder of whoever runs devs. */
  readonly home: string;
  /** Absolute, real: what lies there is mounted anyway. */
  readonly root: string;
  /** Folders of devs's own: no mount holds one, or lies in one. */
  readonly closed: readonly string[];
}

/** Programs that a user has installed beside the system's, and what they have to know to find themselves. */
export interface Toolchains {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
}

interface Family {
  /** Where its programs lie, below the home folder: it counts when `PATH` leads there. */
  readonly programs: readonly string[];
  /** What they need, below the home folder. Never a whole dot folder that has a place for credentials. */
  readonly needs: readonly string[];
  /** Where it looks for itself: `HOME` is elsewhere in a box. Below the home folder. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Known by where they put themselves. The others are judged by what lies around their programs. */
const FAMILIES: readonly Family[] = [
  { programs: ['.nvm/versions'], needs: ['.nvm/versions', '.nvm/alias'] },
  { programs: ['.volta/bin'], needs: ['.volta/bin', '.volta/tools'], env: { VOLTA_HOME: '.volta' } },
  { programs: ['.local/share/fnm', '.fnm'], needs: ['.local/share/fnm', '.fnm'] },
  { programs: ['.local/share/pnpm'], needs: ['.local/share/pnpm'] },
  { programs: ['.local/share/mise', '.local/share/rtx'], needs: ['.local/share/mise', '.local/share/rtx'], env: { MISE_DATA_DIR: '.local/share/mise' } },
  { programs: ['.asdf'], needs: ['.asdf'], env: { ASDF_DIR: '.asdf', ASDF_DATA_DIR: '.asdf' } },
  { programs: ['.pyenv'], needs: ['.pyenv'], env: { PYENV_ROOT: '.pyenv' } },
  { programs: ['.rbenv'], needs: ['.rbenv'], env: { RBENV_ROOT: '.rbenv' } },
  { programs: ['.local/bin'], needs: ['.local/bin', '.local/share/uv/tools', '.local/share/uv/python', '.local/share/pipx/venvs', '.local/pipx/venvs'] },
  // Not config.toml and not credentials.toml: there lie the tokens of registries.
  {
    programs: ['.cargo/bin'],
    needs: ['.cargo/bin', '.cargo/registry', '.cargo/git', '.rustup/toolchains', '.rustup/settings.toml'],
    env: { CARGO_HOME: '.cargo', RUSTUP_HOME: '.rustup' },
  },
  { programs: ['go/bin'], needs: ['go/bin', 'go/pkg/mod'], env: { GOMODCACHE: 'go/pkg/mod' } },
  { programs: ['.bun/bin'], needs: ['.bun/bin', '.bun/install/cache'] },
  { programs: ['.deno/bin'], needs: ['.deno/bin'] },
  { programs: ['.sdkman/candidates'], needs: ['.sdkman/candidates'], env: { SDKMAN_DIR: '.sdkman' } },
];

/** Makes what `PATH` leads to outside of the system's own folders readable in a box. */
export function findToolchains(named: ToolchainPlace): Toolchains {
  // What `PATH` leads to is compared with these by where it really is: a home behind a link must not pass for an installation.
  const place = { ...named, home: toPlace(named.home), closed: named.closed.map(toPlace) };
  const folders = place.searchPath.split(path.delimiter).flatMap((folder) => toReal(folder));
  const families = FAMILIES.filter(({ programs }) => folders.some(({ real }) => programs.some((each) => isWithin(real, path.join(place.home, each)))));
  const known = families.flatMap(({ needs }) => needs.map((need) => path.join(place.home, need)));
  const hidden = ownPlacesInSystem(place);
  const isThere = (real: string, mounted: readonly string[]) => isOfSystem(real, hidden) || [place.root, ...mounted].some((folder) => isWithin(real, folder));
  const others = folders.filter(({ real }) => !isThere(real, known)).flatMap(({ real }) => installationOf(real, place));
  const sources = [...new Set([...known.flatMap((folder) => toReal(folder).map(({ real }) => real)), ...others])].filter((source) => isOpen(source, place));
  return {
    mounts: sources.map((source) => ({ source, access: 'read' })),
    env: { PATH: searchPathOf(folders.filter(({ real }) => isThere(real, sources))), ...environmentOf(families, place) },
  };
}

interface Folder {
  readonly named: string;
  readonly real: string;
}

/** None for what is not there, or is not absolute: `.` in `PATH` is wherever one happens to stand. */
function toReal(named: string): readonly Folder[] {
  if (!path.isAbsolute(named)) return [];
  try {
    return [{ named, real: realpathSync.native(named) }];
  } catch {
    return [];
  }
}

function toPlace(named: string): string {
  return toReal(named)[0]?.real ?? named;
}

/** What a box is shown of the installation that a folder of programs is of. Absolute paths; none where nothing may be shown. */
export function installationOf(programs: string, { home }: Pick<ToolchainPlace, 'home'>): readonly string[] {
  const isShared = (folder: string) => folder === '/' || isWithin(home, folder) || path.dirname(folder) === '/' || folder === path.join(home, '.local');
  return partsOfInstallation(programs, isShared);
}

/** The home folder, or one around devs's own, is no installation. */
export function isOpen(source: string, { home, root, closed }: ToolchainPlace): boolean {
  return !isWithin(home, source) && !isWithin(root, source) && closed.every((folder) => !isWithin(folder, source) && !isWithin(source, folder));
}

/** In the order of the user, what is there in the box; after it the system's, which a user may have left out. */
function searchPathOf(folders: readonly Folder[]): string {
  return [...new Set([...folders.map(({ real }) => real), '/usr/local/bin', '/usr/bin', '/bin'])].join(path.delimiter);
}

function environmentOf(families: readonly Family[], { home }: ToolchainPlace): Readonly<Record<string, string>> {
  const variables = families.flatMap(({ env = {} }) => Object.entries(env).map(([name, below]): [string, string] => [name, path.join(home, below)]));
  return Object.fromEntries(variables.filter(([, folder]) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true));
}
