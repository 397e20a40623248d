import path from 'node:path';
import type { ErrorCode } from '../error-codes.ts';
import { DevsError } from '../errors.ts';
import { PathReach } from './path-reach.ts';
import { beginsWith, findUnusable, joinSegments, splitPath } from './path-segments.ts';
import { followPath, type Anchor, type Guide } from './path-trail.ts';
import { realPath } from './real-path.ts';

/** Seed 004, and `base`. Entries are folders or files, absolute or relative to `base`. */
export interface PathValidationOptions {
  /** False: no link below the allowed folder, or below `base`, is followed. Else one is as long as it stays inside what is allowed. */
  readonly allowSymlinks?: boolean;
  /** Only what lies in one of these. Absent or empty: everything. */
  readonly allowedPaths?: readonly string[];
  /** Nothing that lies in one of these, whatever is allowed; whatever its case, as some file systems fold it. */
  readonly blockedPaths?: readonly string[];
  /** Most segments below the allowed folder, or below `base`. Absent: any number. */
  readonly maxDepth?: number;
  /** The folder that relative paths start at. Default: the current one. */
  readonly base?: string;
}

export interface PathValidation {
  readonly valid: boolean;
  /** Valid: where the path leads, links followed, absolute. Else what was asked for, by its spelling; empty for what is no path. */
  readonly resolved: string;
  /** What is wrong and what would be right. Holds no path that was found on the way. */
  readonly error?: string;
  readonly code?: ErrorCode;
}

/**
 * Whether a path, absolute or relative to `base`, may be used: where it leads now, links followed and
 * with the deepest folder that exists decided. What does not exist may be valid, for a write. Never throws.
 *
 * A check before the use, which a link that is swapped meanwhile gets past: use it for what another
 * program will open. What devs opens itself goes through an `FsRoot`, which judges what is open.
 */
export async function validatePath(inputPath: string, options: PathValidationOptions = {}): Promise<PathValidation> {
  let resolved = '';
  try {
    refuseUnusable(inputPath);
    const rules = readOptions(options);
    resolved = path.posix.resolve(rules.base, inputPath);
    return { valid: true, resolved: joinSegments(await judge(inputPath, rules)) };
  } catch (cause) {
    const { code, sentence, suggestion = '' } = DevsError.is(cause) ? cause : new DevsError('PATH_REFUSED');
    return { valid: false, resolved, error: `${sentence} ${suggestion}`.trim(), code };
  }
}

/**
 * Whether an absolute path lies in one of the allowed folders, or is one of them, by whole segments:
 * `/allowed-evil` is not inside `/allowed`. Nothing allowed is everything (seed 004). Looks at the spelling
 * alone; `validatePath` looks where it leads.
 */
export function isWithinAllowed(inputPath: string, allowed?: readonly string[]): boolean {
  if (allowed === undefined || allowed.length === 0) return true;
  const segments = splitPath(path.posix.resolve(inputPath));
  return allowed.some((entry) => entry !== '' && beginsWith(segments, splitPath(path.posix.resolve(entry))));
}

/** @throws DevsError PATH_REFUSED, with what is wrong */
export function refuseUnusable(value: unknown): asserts value is string {
  const problem = typeof value === 'string' ? findUnusable(value) : 'is not a text';
  if (problem !== undefined) throw new DevsError('PATH_REFUSED', { sentence: `The path ${problem}.` });
}

/**
 * Where a path leads: as the system goes, and as a program goes that first strikes out `name/..`. Where
 * `name` is a link these are two places, and nobody knows which of them the program that opens it means.
 * @throws DevsError as `followPath`, and PATH_REFUSED when the places differ
 */
export async function followBothWays(asked: string, base: string, guide: Guide): Promise<readonly string[]> {
  const place = await followPath(splitPath(asked.startsWith('/') ? asked : `${base}/${asked}`), guide);
  if (!splitPath(asked).includes('..')) return place;
  const other = await followPath(splitPath(path.posix.resolve(base, asked)), guide);
  if (joinSegments(other) === joinSegments(place)) return place;
  throw new DevsError('PATH_REFUSED', {
    sentence: 'The path goes through a symbolic link and back by "..", which programs understand differently.',
  });
}

/** The folder by both its paths. */
export function toAnchor(folder: string): Anchor {
  return { spelled: splitPath(folder), real: splitPath(realPath(folder)) };
}

interface Rules {
  readonly base: string;
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  readonly maxDepth: number;
  readonly symlinks: 'inside' | 'refuse';
}

function readOptions({ base = '.', allowedPaths = [], blockedPaths = [], ...options }: PathValidationOptions): Rules {
  const { maxDepth = Number.POSITIVE_INFINITY, allowSymlinks = true } = options;
  // An empty entry is a mistake, which must not allow the whole base.
  if ([base, ...allowedPaths, ...blockedPaths].some((entry) => findUnusable(entry) !== undefined)) {
    throw new DevsError('PATH_REFUSED', { sentence: 'The rules for paths cannot be used.', suggestion: 'Tell the operator.' });
  }
  const folder = path.posix.resolve(base);
  const inFolder = (entry: string) => path.posix.resolve(folder, entry);
  return {
    base: folder,
    allowed: allowedPaths.map(inFolder),
    blocked: blockedPaths.map(inFolder),
    maxDepth,
    symlinks: allowSymlinks ? 'inside' : 'refuse',
  };
}

async function judge(asked: string, rules: Rules): Promise<readonly string[]> {
  const { base, allowed, blocked, symlinks } = rules;
  const anchors = [base, ...allowed].map(toAnchor);
  const everywhere = { allowed: [], blocked, maxDepth: Number.POSITIVE_INFINITY, symlinks };
  // As it is spelled too: the names on the way to the base, which are not walked, may be blocked in another case.
  new PathReach(everywhere, ['/']).refuseStep(splitPath(path.posix.resolve(base, asked)));
  // The real folders: an allowed one that is itself a link is its owner's word.
  const reach = new PathReach({ ...everywhere, allowed: allowed.map(realPath) }, ['/']);
  let links = 0;
  const guide = {
    anchors,
    onStep: (step: readonly string[]) => reach.refuseStep(step),
    onLink: () => {
      links += 1;
      reach.refuseLink();
    },
  };
  try {
    const place = await followBothWays(asked, base, guide);
    reach.refusePlace(place);
    refuseTooDeep(place, allowed.length === 0 ? anchors : anchors.slice(1), rules.maxDepth);
    return place;
  } catch (cause) {
    throw DevsError.is(cause) && cause.code === 'PATH_NOT_ALLOWED' ? notAllowed(asked, links) : cause;
  }
}

function notAllowed(asked: string, links: number): DevsError {
  const back = splitPath(asked).includes('..');
  const why = back ? 'Path traversal detected: the path' : links > 0 ? 'A symlink on the path' : 'The path';
  return new DevsError('PATH_NOT_ALLOWED', {
    sentence: `${why} points outside allowed paths.`,
    suggestion: 'Use a path inside an allowed folder.',
  });
}

/** Counted below the allowed folder that is nearest: each of them lets in so deep. */
function refuseTooDeep(place: readonly string[], anchors: readonly Anchor[], maxDepth: number): void {
  const depths = anchors.filter(({ real }) => beginsWith(place, real)).map(({ real }) => place.length - real.length);
  // Asked so that a depth that is no number lets nothing through.
  if (Math.min(place.length, ...depths) <= maxDepth) return;
  throw new DevsError('PATH_REFUSED', {
    sentence: `The path is deeper than ${String(maxDepth)} segments.`,
    suggestion: 'Use a path nearer to the allowed folder.',
  });
}
