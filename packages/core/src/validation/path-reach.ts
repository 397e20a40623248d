import path from 'node:path';
import type { PathRules } from '../config/defaults.ts';
import { DevsError } from '../errors.ts';
import { foldName, shortStemOf, stemOfShortName } from './fold-name.ts';
import { beginsWith, segmentsBelow, splitPath } from './path-segments.ts';
import { realPath } from './real-path.ts';

type Segments = readonly string[];

/** Before every folded name, none of which can hold it: `...` folds to nothing, and must not stand for the root. */
const SEPARATOR = '\0';

/**
 * What the operator's rules leave of a root. Judges places by their resolved segments below it, step by
 * step: who passes through a blocked folder, or by a link that lies outside of what is allowed, is
 * refused there, before anything tells whether the rest of the way exists.
 */
export class PathReach {
  readonly #allowed: readonly Segments[] | undefined;
  /** Folded. */
  readonly #blocked: readonly Segments[];
  /** The same, as one text each. */
  readonly #blockedWays: ReadonlySet<string>;
  readonly #maxDepth: number;
  readonly #followsLinks: boolean;

  /** @param roots the spellings of the root, absolute, the one that relative entries are below first */
  constructor({ allowed, blocked, maxDepth, symlinks }: PathRules, roots: readonly string[]) {
    // An entry that lies elsewhere, or is empty by mistake, allows nothing. It must not leave an empty list, which means all.
    this.#allowed = allowed.length === 0 ? undefined : allowed.flatMap((entry) => (entry === '' ? [] : placesOf(entry, roots)));
    const places = blocked.flatMap((entry) => [...placesOf(entry, roots), ...realPlacesOf(entry, roots)]);
    this.#blocked = places.map((place) => place.map(foldName));
    this.#blockedWays = new Set(this.#blocked.map((names) => names.map((name) => `${SEPARATOR}${name}`).join('')));
    this.#maxDepth = maxDepth;
    this.#followsLinks = symlinks === 'inside';
  }

  /**
   * On a folder to pass through, and on a name before it is looked up: it is what may be reached, or
   * leads there.
   * @throws DevsError PATH_REFUSED (too deep), PATH_BLOCKED, PATH_NOT_ALLOWED
   */
  refuseStep(segments: Segments): void {
    if (this.isTooDeep(segments)) throw refused(`The path is deeper than the ${String(this.#maxDepth)} segments that are allowed.`);
    if (this.#isBlocked(segments)) throw new DevsError('PATH_BLOCKED');
    if (!this.#isOnWay(segments)) throw new DevsError('PATH_NOT_ALLOWED');
  }

  /**
   * On the place that is read or written in the end.
   * @throws DevsError as `refuseStep`, and PATH_NOT_ALLOWED for what only leads to it
   */
  refusePlace(segments: Segments): void {
    this.refuseStep(segments);
    if (this.#allowed?.some((entry) => beginsWith(segments, entry)) === false) throw new DevsError('PATH_NOT_ALLOWED');
  }

  /** @throws DevsError PATH_REFUSED: links are not followed here */
  refuseLink(): void {
    if (!this.#followsLinks) throw refused('The path goes through a symbolic link, and links are not followed here.');
  }

  /** Whether a listing may show the place. How deep it lies is not asked. */
  isShown(segments: Segments): boolean {
    return !this.#isBlocked(segments) && this.#isOnWay(segments);
  }

  isTooDeep(segments: Segments): boolean {
    return segments.length > this.#maxDepth;
  }

  #isOnWay(segments: Segments): boolean {
    return this.#allowed?.some((entry) => beginsWith(segments, entry) || beginsWith(entry, segments)) !== false;
  }

  #isBlocked(segments: Segments): boolean {
    if (this.#blocked.length === 0) return false;
    // A Windows disk takes `private\key`, one name here, for two.
    const names = segments.flatMap((segment) => segment.split('\\')).map(foldName);
    if (names.some((name) => stemOfShortName(name) !== undefined)) return this.#isBlockedByShortName(names);
    let way = '';
    if (this.#blockedWays.has(way)) return true;
    return names.some((name) => {
      way += `${SEPARATOR}${name}`;
      return this.#blockedWays.has(way);
    });
  }

  #isBlockedByShortName(names: Segments): boolean {
    return this.#blocked.some((entry) =>
      entry.every((blocked, index) => {
        const name = names[index];
        return name === blocked || (name !== undefined && stemOfShortName(name) === shortStemOf(blocked));
      }),
    );
  }
}

/** The entry as segments below the root; none at all for a folder around the root, nothing for what lies elsewhere. */
function placesOf(entry: string, roots: readonly string[]): Segments[] {
  const [root = '/'] = roots;
  const place = path.posix.resolve(root, entry);
  const below = segmentsBelow(place, roots);
  if (below !== undefined) return [below];
  return roots.some((one) => beginsWith(splitPath(one), splitPath(place))) ? [[]] : [];
}

/**
 * Where a blocked entry leads when there is a link in it: its owner means what lies there. Not for what
 * is allowed: a link that a project brings along must not move the border.
 */
function realPlacesOf(entry: string, roots: readonly string[]): Segments[] {
  const [root = '/'] = roots;
  return placesOf(realPath(path.posix.resolve(root, entry)), roots);
}

function refused(sentence: string): DevsError {
  return new DevsError('PATH_REFUSED', { sentence });
}
