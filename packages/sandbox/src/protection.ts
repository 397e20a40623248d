import { DevsError, foldName, shortStemOf, stemOfShortName, type PathReach } from '@devs/core';

/**
 * Names that no tool writes, at any depth: what decides how devs, git, editors and package managers
 * behave for the user. A configuration that extends the list starts from this one.
 */
export const DEFAULT_PROTECTED_NAMES: readonly string[] = Object.freeze([
  'devs.config.json',
  '.mcp.json',
  '.git',
  '.vscode',
  '.idea',
  '.claude',
  '.cursor',
  '.windsurf',
  '.gemini',
  '.codex',
  '.continue',
  '.kiro',
  '.opencode',
  '.roo',
  '.zed',
  '.devcontainer',
  '.husky',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.pnpmfile.mjs',
  '.cargo',
]);

/** A file that devs is still writing has a name that starts so. No tool may make one. */
export const TEMPORARY_PREFIX = '.devs-tmp-';

export interface ProtectionRules {
  /** Plain names, without a slash. */
  readonly names: readonly string[];
  /** Folders as segments below the root; closed to tools altogether. */
  readonly folders: readonly (readonly string[])[];
  /** What the operator leaves to one tool. Absent: all of the root. */
  readonly reach?: PathReach;
}

/** Judges places by their resolved segments below the root, links already followed. */
export class Protection {
  readonly #rules: ProtectionRules;
  /** By their folded spelling. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #shortStems: ReadonlyMap<string, string>;
  readonly #folders: readonly (readonly string[])[];

  /** @throws DevsError CONFIG_INVALID: a name is empty, or is not one name */
  constructor(rules: ProtectionRules) {
    this.#rules = rules;
    this.#names = new Map(rules.names.map((name) => [toRule(name), name]));
    this.#shortStems = new Map([...this.#names].map(([folded, name]) => [shortStemOf(folded), name]));
    this.#folders = rules.folders.map((folder) => folder.map(foldName));
  }

  /** The same for one tool, which the operator lets reach only a part of the root. */
  within(reach: PathReach): Protection {
    return new Protection({ ...this.#rules, reach });
  }

  /** @throws DevsError as `refuseReading`, and PATH_PROTECTED: no tool may write, make or replace this */
  refuseWriting(segments: readonly string[]): void {
    this.refuseReading(segments);
    this.refuseNames(segments);
  }

  /**
   * The names alone, wherever they lead: for a path as it is spelled, with `..` in it.
   * @throws DevsError PATH_PROTECTED
   */
  refuseNames(segments: readonly string[]): void {
    for (const segment of segments) {
      const name = this.protectedBy(segment);
      if (name !== undefined) throw new DevsError('PATH_PROTECTED', { decidedBy: describeName(name) });
    }
  }

  /** @throws DevsError as `refuseStep`, and PATH_NOT_ALLOWED for what only leads to what is allowed */
  refuseReading(segments: readonly string[]): void {
    this.refuseStep(segments);
    this.#rules.reach?.refusePlace(segments);
  }

  /**
   * On every folder that a walk enters, every link that it follows and every name that it is asked for.
   * @throws DevsError PATH_PROTECTED: it lies in a folder of devs's own; PATH_BLOCKED,
   * PATH_NOT_ALLOWED, PATH_REFUSED: the operator's rules
   */
  refuseStep(segments: readonly string[]): void {
    if (this.#isOurs(segments)) {
      throw new DevsError('PATH_PROTECTED', {
        sentence: 'This path belongs to devs and is closed to tools.',
        suggestion: 'Go on without it. The person you work for can look at it.',
        decidedBy: 'a folder of devs itself, built in',
      });
    }
    this.#rules.reach?.refuseStep(segments);
  }

  /** @throws DevsError PATH_REFUSED: the operator's rules follow no links */
  refuseLink(): void {
    this.#rules.reach?.refuseLink();
  }

  /** What is hidden is neither listed nor entered. */
  isHidden(segments: readonly string[]): boolean {
    return this.#isOurs(segments) || this.#rules.reach?.isShown(segments) === false;
  }

  /** So deep that no call can name it. */
  isTooDeep(segments: readonly string[]): boolean {
    return this.#rules.reach?.isTooDeep(segments) === true;
  }

  #isOurs(segments: readonly string[]): boolean {
    return this.#folders.some((folder) => folder.every((name, index) => foldName(segments[index] ?? '') === name));
  }

  /** The name, as it is written in the rules, that this is one of the spellings of. */
  protectedBy(segment: string): string | undefined {
    // A Windows disk takes `a\.git\b`, one name here, for three: judge every part.
    const names = segment.split('\\').map((part) => {
      const folded = foldName(part);
      if (folded.startsWith(TEMPORARY_PREFIX)) return TEMPORARY_PREFIX;
      const stem = stemOfShortName(folded);
      return this.#names.get(folded) ?? (stem === undefined ? undefined : this.#shortStems.get(stem));
    });
    return names.find((name) => name !== undefined);
  }
}

/** As its owner finds it in the configuration, or does not. */
function describeName(name: string): string {
  const isBuiltIn = name === TEMPORARY_PREFIX || DEFAULT_PROTECTED_NAMES.includes(name);
  return `files.protected${isBuiltIn ? ', built in' : ''}: ${JSON.stringify(name)}`;
}

function toRule(name: string): string {
  const folded = foldName(name);
  if (folded !== '' && !/[/\\]/.test(name)) return folded;
  throw new DevsError('CONFIG_INVALID', { sentence: 'A protected name must be one plain file or folder name.' });
}
