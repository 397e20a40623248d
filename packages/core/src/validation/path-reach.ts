import path from 'node:path';
import type { ToolPathRules } from '../config/tool-settings.ts';
import { DevsError } from '../errors.ts';
import { foldName, shortStemOf, stemOfShortName } from './fold-name.ts';
import { beginsWith, segmentsBelow, splitPath } from './path-segments.ts';
import { realPath } from './real-path.ts';

type Segments = readonly string[];

interface Blocked {
  /** Folded. */
  readonly names: Segments;
  /** As the configuration has it. */
  readonly entry: string;
}

/** Before every folded name, none of which can hold it: `...` folds to nothing, and must not stand for the root. */
const SEPARATOR = '\0';

/**
 * What the operator's rules leave of a root. Judges places by their resolved segments below it, step by
 * step: who passes through a blocked folder, or by a link that lies outside of what is allowed, is
 * refused there, before anything tells whether the rest of the way exists.
 * @example
 * ```ts
 * import { PathReach } from '@devs/core';
 * const reach = new PathReach({ allowed: ['src'], blocked: ['src/keys'], maxDepth: 20 }, ['/project']);
 * reach.refuseStep(['src', 'main.ts']);
 * try {
 *   reach.refuseStep(['src', 'KEYS', 'id_ed25519']);
 * } catch (error) {
 *   console.log(error.code); // PATH_BLOCKED
 * }
 * ```
 */
export class PathReach {
  readonly #allowed: readonly Segments[] | undefined;
  readonly #blocked: readonly Blocked[];
  /** The entries by their names as one text each. */
  readonly #blockedWays: ReadonlyMap<string, string>;
  readonly #rules: ToolPathRules;

  /** @param roots the spellings of the root, absolute, the one that relative entries are below first */
  constructor(rules: ToolPathRules, roots: readonly string[]) {
    const { allowed, blocked } = rules;
    // An entry that lies elsewhere, or is empty by mistake, allows nothing. It must not leave an empty list, which means all.
    this.#allowed = allowed.length === 0 ? undefined : allowed.flatMap((entry) => (entry === '' ? [] : placesOf(entry, roots)));
    this.#blocked = blocked.flatMap((entry) =>
      [...placesOf(entry, roots), ...realPlacesOf(entry, roots)].map((place) => ({ names: place.map(foldName), entry })),
    );
    this.#blockedWays = new Map(this.#blocked.map(({ names, entry }) => [names.map((name) => `${SEPARATOR}${name}`).join(''), entry]));
    this.#rules = rules;
  }

  /**
   * On a folder to pass through, and on a name before it is looked up: it is what may be reached, or
   * leads there.
   * @throws DevsError PATH_REFUSED (too deep), PATH_BLOCKED, PATH_NOT_ALLOWED
   */
  refuseStep(segments: Segments): void {
    if (this.isTooDeep(segments)) {
      const sentence = `The path is deeper than the ${String(this.#rules.maxDepth)} segments that are allowed.`;
      throw new DevsError('PATH_REFUSED', { sentence, decidedBy: describeRule(this.#rules, 'maxDepth') });
    }
    const entry = this.#blockedBy(segments);
    if (entry !== undefined) throw new DevsError('PATH_BLOCKED', { decidedBy: describeRule(this.#rules, 'blocked', entry) });
    if (!this.#isOnWay(segments)) throw this.#notAllowed();
  }

  /**
   * On the place that is read or written in the end.
   * @throws DevsError as `refuseStep`, and PATH_NOT_ALLOWED for what only leads to it
   */
  refusePlace(segments: Segments): void {
    this.refuseStep(segments);
    if (this.#allowed?.some((entry) => beginsWith(segments, entry)) === false) throw this.#notAllowed();
  }

  /** @throws DevsError PATH_REFUSED: links are not followed here */
  refuseLink(): void {
    if (this.#rules.symlinks === 'inside') return;
    const sentence = 'The path goes through a symbolic link, and links are not followed here.';
    throw new DevsError('PATH_REFUSED', { sentence, decidedBy: describeRule(this.#rules, 'symlinks') });
  }

  /** Whether a listing may show the place. How deep it lies is not asked. */
  isShown(segments: Segments): boolean {
    return this.#blockedBy(segments) === undefined && this.#isOnWay(segments);
  }

  isTooDeep(segments: Segments): boolean {
    return segments.length > this.#rules.maxDepth;
  }

  #isOnWay(segments: Segments): boolean {
    return this.#allowed?.some((entry) => beginsWith(segments, entry) || beginsWith(entry, segments)) !== false;
  }

  #notAllowed(): DevsError {
    return new DevsError('PATH_NOT_ALLOWED', { decidedBy: describeRule(this.#rules, 'allowed') });
  }

  /** The entry that blocks it. */
  #blockedBy(segments: Segments): string | undefined {
    if (this.#blocked.length === 0) return undefined;
    // A Windows disk takes `private\key`, one name here, for two.
    const names = segments.flatMap((segment) => segment.split('\\')).map(foldName);
    if (names.some((name) => stemOfShortName(name) !== undefined)) return this.#blockedByShortName(names);
    let way = '';
    let entry = this.#blockedWays.get(way);
    for (const name of names) {
      if (entry !== undefined) break;
      way += `${SEPARATOR}${name}`;
      entry = this.#blockedWays.get(way);
    }
    return entry;
  }

  #blockedByShortName(names: Segments): string | undefined {
    const found = this.#blocked.find((blocked) =>
      blocked.names.every((blockedName, index) => {
        const name = names[index];
        return name === blockedName || (name !== undefined && stemOfShortName(name) === shortStemOf(blockedName));
      }),
    );
    return found?.entry;
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

/** What a list of folders would fill the log with. */
const MOST_NAMED = 5;

/** The entry of the configuration, as its owner finds it there: `tools.write_file.files.allowed: "src"`. */
function describeRule({ own, ...rules }: ToolPathRules, key: 'allowed' | 'blocked' | 'maxDepth' | 'symlinks', entry?: string): string {
  const ofTool = own?.files[key];
  const isOwn = ofTool !== undefined && (entry === undefined || own?.files.blocked?.includes(entry) === true);
  const value = entry ?? rules[key];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const named = entries.slice(0, MOST_NAMED).map((each) => JSON.stringify(each));
  const more = entries.length > MOST_NAMED ? [`and ${String(entries.length - MOST_NAMED)} more`] : [];
  return `${isOwn ? `tools.${own?.tool ?? ''}.` : ''}files.${key}: ${[...named, ...more].join(', ')}`;
}
