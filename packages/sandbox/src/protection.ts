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
  '.zed',
  '.devcontainer',
  '.husky',
  '.envrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
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
  readonly #names: ReadonlySet<string>;
  readonly #shortStems: ReadonlySet<string>;
  readonly #folders: readonly (readonly string[])[];

  /** @throws DevsError CONFIG_INVALID: a name is empty, or is not one name */
  constructor(rules: ProtectionRules) {
    this.#rules = rules;
    this.#names = new Set(rules.names.map(toRule));
    this.#shortStems = new Set([...this.#names].map(shortStemOf));
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
    if (segments.some((segment) => this.#isProtected(segment))) throw new DevsError('PATH_PROTECTED');
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

  #isProtected(segment: string): boolean {
    // A Windows disk takes `a\.git\b`, one name here, for three: judge every part.
    return segment.split('\\').some((part) => {
      const folded = foldName(part);
      if (this.#names.has(folded) || folded.startsWith(TEMPORARY_PREFIX)) return true;
      const stem = stemOfShortName(folded);
      return stem !== undefined && this.#shortStems.has(stem);
    });
  }
}

function toRule(name: string): string {
  const folded = foldName(name);
  if (folded !== '' && !/[/\\]/.test(name)) return folded;
  throw new DevsError('CONFIG_INVALID', { sentence: 'A protected name must be one plain file or folder name.' });
}
