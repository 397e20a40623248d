import path from 'node:path';
import { commitRefused } from './commit-refused.ts';
import { formatGitConfig, isTrue, lastValue, parseGitConfig, type ConfigEntry } from './git-config.ts';
import type { Repository } from './find-repository.ts';

const MOST_BYTES = 1_048_576;

/** What of `core` says how files become objects. Nothing that names a program, a folder or another file. */
const CORE_KEYS: ReadonlySet<string> = new Set([
  'abbrev',
  'autocrlf',
  'checkstat',
  'commentchar',
  'eol',
  'filemode',
  'ignorecase',
  'precomposeunicode',
  'quotepath',
  'safecrlf',
  'symlinks',
  'trustctime',
  'whitespace',
]);

/** Sections that only what runs within the box reads: filters (LFS), and what hooks ask for. */
const SECTIONS: ReadonlySet<string> = new Set(['filter', 'lfs', 'hooks']);

export interface ShadowConfig {
  /** For the box in which hooks and filters run. */
  readonly text: string;
  readonly format: 'sha1' | 'sha256';
  /** Absolute. */
  readonly hooks: string;
  /** False when the repository does not want a log of its branches. */
  readonly logs: boolean;
  /** The repository wants commits to be signed, and devs has no key. */
  readonly wantsSigning: boolean;
}

/**
 * The configuration of a repository, as far as a commit may go by it. What devs does not know of it leaves out; what it
 * would have to know to write the repository correctly it refuses.
 * @throws DevsError COMMIT_REFUSED
 */
export function readShadowConfig(repository: Repository, root: string): ShadowConfig {
  const entries = readEntries(repository);
  const format = readFormat(entries);
  refuseUnsupported(entries);
  const hooks = hooksOf(entries, repository, root);
  const kept = entries.filter(({ section, subsection, key }) =>
    (section === 'core' && subsection === undefined ? CORE_KEYS.has(key) : SECTIONS.has(section)));
  return {
    text: formatGitConfig([...formatEntries(format), ...kept, plain('core', 'hookspath', hooks), ...QUIET]),
    format,
    hooks,
    logs: isTrue(lastValue(entries, 'core', 'logallrefupdates')?.replace(/^always$/i, 'true') ?? 'true'),
    wantsSigning: isTrue(lastValue(entries, 'commit', 'gpgsign')),
  };
}

/** A configuration for a git folder of which only the objects are used. */
export function bareConfig(format: ShadowConfig['format']): string {
  return formatGitConfig([...formatEntries(format), plain('core', 'bare', 'true'), ...QUIET]);
}

/** No daemon, no repacking: both would go on when the commit is done. */
const QUIET: readonly ConfigEntry[] = [
  plain('gc', 'auto', '0'),
  plain('maintenance', 'auto', 'false'),
  plain('core', 'fsmonitor', 'false'),
  plain('core', 'untrackedcache', 'false'),
  plain('core', 'splitindex', 'false'),
  plain('commit', 'gpgsign', 'false'),
];

function plain(section: string, key: string, value: string): ConfigEntry {
  return { section, subsection: undefined, key, value };
}

function formatEntries(format: ShadowConfig['format']): readonly ConfigEntry[] {
  const version = plain('core', 'repositoryformatversion', format === 'sha1' ? '0' : '1');
  return format === 'sha1' ? [version] : [version, plain('extensions', 'objectformat', format)];
}

function readEntries({ own, common }: Repository): ConfigEntry[] {
  const entries = parseGitConfig(common.read('config', MOST_BYTES)?.toString() ?? '');
  if (!isTrue(lastValue(entries, 'extensions', 'worktreeconfig'))) return entries;
  return [...entries, ...parseGitConfig(own.read('config.worktree', MOST_BYTES)?.toString() ?? '')];
}

/** Extensions that change nothing about what devs writes. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set(['objectformat', 'worktreeconfig', 'noop', 'noop-v1', 'preciousobjects']);

function readFormat(entries: readonly ConfigEntry[]): ShadowConfig['format'] {
  const version = lastValue(entries, 'core', 'repositoryformatversion') ?? '0';
  const extensions = entries.filter(({ section, key, value }) => section === 'extensions' && !KNOWN_EXTENSIONS.has(key) && !(key === 'refstorage' && value === 'files'));
  if (!['0', '1'].includes(version) || extensions.length > 0) {
    throw commitRefused('the repository is of a kind that git_commit does not write: a partial clone, reftable, or one of a later git.');
  }
  const format = version === '0' ? 'sha1' : (lastValue(entries, 'extensions', 'objectformat') ?? 'sha1');
  if (format === 'sha1' || format === 'sha256') return format;
  throw commitRefused('the objects of the repository have names of a kind that devs does not know.');
}

function refuseUnsupported(entries: readonly ConfigEntry[]): void {
  const has = (key: string) => isTrue(lastValue(entries, 'core', key));
  if (has('bare')) throw commitRefused('the repository is a bare one: it has no files.');
  // The files of another folder would be committed.
  if (lastValue(entries, 'core', 'worktree') !== undefined) throw commitRefused('the repository names another folder as its work tree.');
  if (has('sparsecheckout')) throw commitRefused('the repository has a sparse checkout, which git_commit does not know.');
  // Both keep content outside of git's objects, where a commit would not bring it.
  if (entries.some(({ section, key }) => section === 'annex' || (section === 'lfs' && key === 'storage'))) {
    throw commitRefused('the repository keeps content where git_commit does not bring it (git-annex, lfs.storage).');
  }
  if (entries.some(({ section, key }) => section === 'remote' && key === 'partialclonefilter')) {
    throw commitRefused('the repository is a partial clone, which lacks objects.');
  }
}

/** A hook that is a check of the user's must not be passed over in silence because it lies where the box does not see it. */
function hooksOf(entries: readonly ConfigEntry[], { common }: Repository, root: string): string {
  const named = lastValue(entries, 'core', 'hookspath');
  if (named === undefined || named === '') return path.join(common.path, 'hooks');
  const hooks = path.resolve(root, named);
  if (!named.startsWith('~') && [root, common.path].some((folder) => hooks.startsWith(`${folder}${path.sep}`))) return hooks;
  throw commitRefused('the hooks of the repository lie outside the project (core.hooksPath), where git_commit does not run them.');
}
