import { existsSync, readdirSync, realpathSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../files/is-within.ts';

interface Kind {
  /** What tells an installation of this kind, below its folder. Absent: every installation. */
  readonly marker?: string;
  /** What belongs to it beside its programs, by name. */
  readonly parts: readonly string[];
  /** It is a clone of a repository, and no project of the user for that. */
  readonly isClone?: boolean;
}

/** Nothing else beside a folder of programs is shown: what lies there may be anything. */
const KINDS: readonly Kind[] = [
  { parts: ['lib', 'lib32', 'lib64', 'libexec', 'share', 'include', 'pyvenv.cfg'] },
  { marker: 'go.env', parts: ['src', 'pkg', 'VERSION', 'go.env'] },
  { marker: 'lib/modules', parts: ['conf', 'jmods', 'release'] },
  { marker: 'jre/lib/rt.jar', parts: ['jre', 'release'] },
  { marker: 'boot', parts: ['boot', 'conf'] },
  { marker: 'Cellar', parts: ['Cellar', 'opt'] },
  { marker: 'conda-meta', parts: ['conda-meta', 'ssl', 'compiler_compat', 'x86_64-conda-linux-gnu', 'aarch64-conda-linux-gnu'] },
  { marker: 'nvvm', parts: ['nvvm', 'targets'] },
  { marker: 'libexec/pyenv', parts: ['bin', 'shims', 'versions', 'version', 'plugins', 'pyenv.d'], isClone: true },
  { marker: 'libexec/rbenv', parts: ['bin', 'shims', 'versions', 'version', 'plugins', 'rbenv.d'], isClone: true },
];

/** By these a folder is the work of somebody, not an installed program. */
const OF_PROJECTS =
  /^(?:\.git|\.hg|\.svn|\.jj|\.vscode|\.idea|\.github|\.devcontainer|\.venv|package\.json|deno\.jsonc?|pyproject\.toml|setup\.py|requirements\.txt|Pipfile|manage\.py|Cargo\.toml|go\.mod|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|Package\.swift|Makefile|CMakeLists\.txt|Dockerfile|(?:docker-)?compose\.ya?ml)$/;

/** `settings.xml` is Maven's, with the passwords of its registries; a certificate without a key is none. */
const OF_CREDENTIALS =
  /^(?:\.env(?:\..*)?|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.netrc|\.git-credentials|\.aws|\.azure|\.kube|\.docker|\.ssh|\.gnupg|credentials(?:\..*)?|secrets?(?:\..*)?|auth\.json|settings\.xml|service-account.*\.json|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:key|p12|pfx|kdbx|jks|keystore)|.*key\.pem)$/i;

/** A folder with more folders in it is not one of programs. */
const MOST_FOLDERS = 64;

/**
 * What a box needs of an installation, by a folder of programs of it: that folder, and what belongs to it by its name.
 * Never the folder around it, in which keys may lie, now or later. Nothing where the folder looks like a project, holds
 * credentials, or holds a folder that does.
 * @param programs absolute, real
 * @param isShared whether the folder around it belongs to more than one program
 */
export function partsOfInstallation(programs: string, isShared: (folder: string) => boolean): readonly string[] {
  const parent = path.dirname(programs);
  if (path.basename(programs) === '.bin' && path.basename(parent) === 'node_modules') return isPrivate(parent) ? [] : [parent];
  if (holdsPrivate(programs)) return [];
  if (isShared(parent)) return [programs];
  const kinds = KINDS.filter(({ marker }) => marker === undefined || existsSync(path.join(parent, marker)));
  if (isPrivate(parent) && !kinds.some(({ isClone = false }) => isClone)) return [programs];
  const parts = kinds.flatMap((kind) => kind.parts.map((name) => path.join(parent, name)).filter((part) => isShown(part, kind)));
  return [...new Set([programs, ...parts.filter((part) => liesIn(parent, part))])];
}

/** What a known kind names is what it says, also where it looks like a project: the sources of Go are a module. */
function isShown(part: string, { marker }: Kind): boolean {
  return !holds(part, OF_CREDENTIALS) && (marker !== undefined || !holds(part, OF_PROJECTS));
}

/** A link in an installation may lead to anything of the machine. */
function liesIn(folder: string, part: string): boolean {
  try {
    return isWithin(realpathSync.native(part), folder);
  } catch {
    return false;
  }
}

function holdsPrivate(folder: string): boolean {
  const folders = entriesOf(folder).filter((entry) => entry.isDirectory());
  return isPrivate(folder) || folders.length > MOST_FOLDERS || folders.some(({ name }) => isPrivate(path.join(folder, name)));
}

function isPrivate(folder: string): boolean {
  return holds(folder, OF_PROJECTS) || holds(folder, OF_CREDENTIALS);
}

function holds(folder: string, names: { test(name: string): boolean }): boolean {
  return entriesOf(folder).some(({ name }) => names.test(name));
}

/** None of a file, and of what may not be read: a box cannot read that either. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
