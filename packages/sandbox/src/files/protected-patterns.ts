import { DevsError, foldName, shortStemOf, splitPath, stemOfShortName } from '@devs/core';
import { PROTECTED_FILES, variableOf, type ProtectedFiles } from './protected-files.ts';

/** A pattern, taken apart. */
interface Rule {
  readonly pattern: string;
  /** Folded; a `*` at the start or the end of the last one is taken off. */
  readonly names: readonly string[];
  readonly wildcard: 'none' | 'start' | 'end';
  /** The folders below which alone it counts: absolute, folded. Undefined: at any depth. */
  readonly around: readonly (readonly string[])[] | undefined;
}

export interface PatternPlace {
  /** Where the root really is, as segments from `/`. A pattern may begin above it. */
  readonly root: readonly string[];
  /** Home folders in the same way. */
  readonly homes: readonly (readonly string[])[];
}

/** Which patterns hold, and where. */
export interface PatternList {
  readonly anywhere: readonly string[];
  readonly atHome: readonly string[];
  /** Those of folders that `PATH` leads to. */
  readonly onPath?: readonly string[];
  /** Those that begin with another variable. */
  readonly byVariable?: readonly string[];
  /** Places at which a pattern counts as well, wherever they lie. */
  readonly placed?: readonly PlacedPattern[];
  /** Plain names that an operator has added: `*` is a character of them. */
  readonly names?: readonly string[];
  /** The first names of what the operator has lifted: no pattern that ends in a `*` takes them back. */
  readonly spared?: readonly string[];
}

export interface PlacedPattern {
  readonly pattern: string;
  /** What it protects, as segments from `/`. */
  readonly place: readonly string[];
  /** Whether it is every name that begins with the last one. Default: that name alone. */
  readonly isBeginning?: boolean;
}

/** Files and folders that the user's environment names: absolute. */
export interface NamedFolders {
  /** In the place of `.config` in a home folder: `XDG_CONFIG_HOME`. */
  readonly settings?: readonly string[];
  /** In the place of `.local/share`: `XDG_DATA_HOME`. */
  readonly data?: readonly string[];
  /** Of `PATH`. */
  readonly programs?: readonly string[];
  /** Files and folders by the name of the variable that leads to them. */
  readonly byVariable?: ReadonlyMap<string, readonly string[]>;
}

/** Stands in the name of what a command had planted, and that was moved aside: no program looks for such a name. */
export const ASIDE_MARK = '.devs-aside-';
/** Such a name as devs makes it, with process and 64 random bits. Another one a command may have made up. */
const ASIDE = /\.devs-aside-[0-9]+-[0-9a-f]{16}$/;

const NOWHERE: PatternPlace = { root: [], homes: [] };

/** Finds the pattern that a place falls under, in every spelling that some file system takes for the same name. */
export class ProtectedPatterns {
  readonly #byLast = new Map<string, Rule[]>();
  readonly #byShortStem = new Map<string, Rule[]>();
  readonly #wildcards: readonly Rule[];
  readonly #spared: ReadonlySet<string>;
  readonly #root: readonly string[];
  /** The folders above the last names of these patterns: undefined when each is of one name. */
  readonly #foldersAbove: ProtectedPatterns | undefined;

  /** @throws DevsError CONFIG_INVALID: a name of the operator is empty, or is not one name */
  constructor({ anywhere, atHome, placed = [], names = [], spared = [] }: PatternList, { root, homes }: PatternPlace = NOWHERE) {
    const around = homes.map((home) => home.map(foldName));
    const rules = [
      ...anywhere.map((pattern) => toRule(pattern, undefined)),
      ...atHome.map((pattern) => toRule(pattern, around)),
      ...placed.map(toPlacedRule),
      ...names.map(toPlainRule),
    ];
    for (const rule of rules) {
      const last = rule.names.at(-1) ?? '';
      if (rule.wildcard !== 'none') continue;
      addTo(this.#byLast, last, rule);
      addTo(this.#byShortStem, shortStemOf(last), rule);
    }
    this.#wildcards = rules.filter(({ wildcard }) => wildcard !== 'none');
    this.#spared = new Set(spared.map(foldName));
    this.#root = root.map(foldName);
    const folders = { anywhere: anywhere.flatMap(folderAbove), atHome: atHome.flatMap(folderAbove), placed: placed.filter(({ place }) => place.length > root.length + 1).map(placeAbove) };
    this.#foldersAbove = folders.anywhere.length + folders.atHome.length + folders.placed.length === 0 ? undefined : new ProtectedPatterns(folders, { root, homes });
  }

  /** @param above the folders from the root to it, resolved; a Windows path in one name counts as its parts */
  find(name: string, above: readonly string[]): string | undefined {
    // A Windows disk takes `a\.git\b`, one name here, for three: judge every part.
    if (!name.includes('\\')) return this.#findPlain(name, above);
    const parts = name.split('\\');
    for (const [index, part] of parts.entries()) {
      const found = this.#findPlain(part, [...above, ...parts.slice(0, index)]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * As `find`, for a link. One in the place of `.yarn` leads to a folder of any name, in which `releases` would be an ordinary
   * file, so it also falls under the folder part of a pattern.
   */
  findLink(name: string, above: readonly string[]): string | undefined {
    return this.find(name, above) ?? this.#foldersAbove?.findLink(name, above);
  }

  #findPlain(name: string, above: readonly string[]): string | undefined {
    const folded = foldName(name);
    const stem = stemOfShortName(folded);
    const rules = [
      ...(this.#byLast.get(folded) ?? []),
      ...(stem === undefined ? [] : (this.#byShortStem.get(stem) ?? [])),
      ...this.#wildcards.filter(({ names, wildcard }) => (wildcard === 'start' ? folded.endsWith(names.at(-1) ?? '') : this.#beginsLike(names.at(-1) ?? '', { name, folded }))),
    ];
    return rules.find((rule) => this.#fits(rule, above))?.pattern;
  }

  /**
   * A short name of a Windows disk has lost the dot that the long one begins with, and tells little of the rest. A name of dots
   * and spaces, or with a stream after the dot, loses it when it is folded: `...` and `.:x` are names of a file all the same.
   */
  #beginsLike(beginning: string, { name, folded }: { readonly name: string; readonly folded: string }): boolean {
    if (this.#spared.has(folded) || ASIDE.test(name)) return false;
    return folded.startsWith(beginning) || (!isStep(name) && withoutIgnored(name).startsWith(beginning)) || stemOfShortName(folded) !== undefined;
  }

  #fits({ names, around }: Rule, above: readonly string[]): boolean {
    const before = names.slice(0, -1);
    if (before.length === 0 && around === undefined) return true;
    const folders = [...this.#root, ...above.flatMap((each) => each.split('\\')).map(foldName)];
    const outer = folders.slice(0, Math.max(0, folders.length - before.length));
    if (!isSame(folders.slice(outer.length), before)) return false;
    return around?.some((place) => isSame(outer, place)) !== false;
  }
}

/**
 * The patterns that hold where an operator has lifted some.
 * @throws DevsError CONFIG_INVALID: one that is none of the built-in ones, or that nobody may lift
 */
export function patternsWithout(lifted: readonly string[]): PatternList {
  for (const pattern of lifted) requireLiftable(pattern);
  const held = ({ at }: Pick<ProtectedFiles, 'at'>) =>
    PROTECTED_FILES.filter((files) => files.at === at && files.liftedBy !== 'everybody').flatMap(({ patterns }) => patterns).filter((pattern) => !lifted.includes(pattern));
  const spared = lifted.map((pattern) => pattern.split('/', 1).join());
  return { anywhere: held({ at: 'anywhere' }), atHome: held({ at: 'home' }), onPath: held({ at: 'path' }), byVariable: held({ at: 'variable' }), spared };
}

/** What of a list counts in the folders that the environment names: what counts in `.config` at home counts in its place, too. */
export function placePatterns({ atHome, onPath = [], byVariable = [] }: PatternList, { settings = [], data = [], programs = [], byVariable: named = new Map() }: NamedFolders): readonly PlacedPattern[] {
  const inPlaceOf = (name: string, folders: readonly string[]) => {
    const patterns = atHome.filter((pattern) => pattern === name || pattern.startsWith(`${name}/`));
    return patterns.flatMap((pattern) => folders.map((folder) => ({ pattern, place: splitPath(`${folder}${pattern.slice(name.length)}`) })));
  };
  const ofPrograms = onPath.flatMap((pattern) => programs.map((folder) => ({ pattern, place: splitPath(folder) })));
  const ofVariables = byVariable.flatMap((pattern) => (named.get(variableOf(pattern)) ?? []).map((place) => placeBelow(pattern, place)));
  return [...inPlaceOf('.config', settings), ...inPlaceOf('.local/share', data), ...ofPrograms, ...ofVariables].filter(({ place }) => place.length > 0);
}

/** Of `$PYTHONPATH/sitecustomize*`, at a folder in its value. */
function placeBelow(pattern: string, folder: string): PlacedPattern {
  const below = pattern.split('/').slice(1);
  const isBeginning = pattern.endsWith('*');
  return { pattern, place: [...splitPath(folder), ...below.map((name) => name.replace(/\*$/, ''))], isBeginning };
}

function requireLiftable(pattern: string): void {
  const files = PROTECTED_FILES.find(({ patterns }) => patterns.includes(pattern));
  if (files === undefined) throw refuseLifting(pattern, 'which is none of the built-in protected names');
  if (files.liftedBy === 'nobody') throw refuseLifting(pattern, 'which stays protected: devs itself rests on it');
}

function refuseLifting(pattern: string, why: string): DevsError {
  return new DevsError('CONFIG_INVALID', { sentence: `"files.writable" lists ${JSON.stringify(pattern)}, ${why}. The names are in docs/reference/protected-files.md.` });
}

function folderAbove(pattern: string): readonly string[] {
  const end = pattern.lastIndexOf('/');
  return end < 0 ? [] : [pattern.slice(0, end)];
}

function placeAbove({ pattern, place }: PlacedPattern): PlacedPattern {
  return { pattern, place: place.slice(0, -1) };
}

function toPlacedRule({ pattern, place, isBeginning = false }: PlacedPattern): Rule {
  return { pattern, names: [foldName(place.at(-1) ?? '')], wildcard: isBeginning ? 'end' : 'none', around: [place.slice(0, -1).map(foldName)] };
}

function toRule(pattern: string, around: Rule['around']): Rule {
  const names = pattern.split('/');
  const last = names.pop() ?? '';
  const folders = names.map(foldName);
  // A beginning is not folded: of a single dot nothing would be left.
  if (last.endsWith('*')) return { pattern, names: [...folders, last.slice(0, -1)], wildcard: 'end', around };
  if (last.startsWith('*')) return { pattern, names: [...folders, foldName(last.slice(1))], wildcard: 'start', around };
  return { pattern, names: [...folders, foldName(last)], wildcard: 'none', around };
}

function toPlainRule(name: string): Rule {
  const folded = foldName(name);
  if (folded !== '' && !/[/\\]/.test(name)) return { pattern: name, names: [folded], wildcard: 'none', around: undefined };
  throw new DevsError('CONFIG_INVALID', { sentence: 'A protected name must be one plain file or folder name.' });
}

/** A way to a folder, and no name in it. */
function isStep(name: string): boolean {
  return name === '.' || name === '..';
}

function withoutIgnored(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '');
}

/** A folder may be spelled as a Windows disk shortens it. */
function isSame(folders: readonly string[], names: readonly string[]): boolean {
  if (folders.length !== names.length) return false;
  return names.every((name, index) => {
    const folder = folders[index] ?? '';
    return folder === name || stemOfShortName(folder) === shortStemOf(name);
  });
}

function addTo(map: Map<string, Rule[]>, key: string, rule: Rule): void {
  const rules = map.get(key);
  if (rules === undefined) map.set(key, [rule]);
  else rules.push(rule);
}
