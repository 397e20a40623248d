import { DevsError, foldName, type PathReach } from '@devs/core';
import { PROTECTED_FILES } from './protected-files.ts';
import { ASIDE_MARK, type ProtectedPatterns } from './protected-patterns.ts';

/** A file that devs is still writing has a name that starts so. No tool may make one. */
export const TEMPORARY_PREFIX = '.devs-tmp-';
/** Such a name as devs makes it, with process and 64 random bits. */
const TEMPORARY = /^\.devs-tmp-([0-9]{1,10})-[0-9a-f]{16}$/;

/** The process that writes a file of this name. Undefined: it is not devs's, such as a user's own `.devs-tmp-notes`. */
export function writerOf(name: string): number | undefined {
  const writer = TEMPORARY.exec(name)?.[1];
  return writer === undefined ? undefined : Number(writer);
}

export interface ProtectionRules {
  readonly patterns: ProtectedPatterns;
  /** Folders as segments below the root; closed to tools altogether. */
  readonly folders: readonly (readonly string[])[];
  /** What the operator leaves to one tool. Absent: all of the root. */
  readonly reach?: PathReach;
}

/** Judges places by their resolved segments below the root, links already followed. */
export class Protection {
  readonly #rules: ProtectionRules;
  readonly #folders: readonly (readonly string[])[];

  constructor(rules: ProtectionRules) {
    this.#rules = rules;
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
    // `.yarn/x/../releases` as well, if `.yarn` is a link: only as spelled do the two names stand together.
    for (const spelled of [segments, ...(segments.includes('..') ? [withoutSteps(segments)] : [])]) {
      for (const [index, segment] of spelled.entries()) {
        // No tool may make up a name that the guard would leave alone. For the guard itself it is none that has to be moved.
        const pattern = isAside(segment) ? ASIDE_MARK : this.protectedBy(segment, spelled.slice(0, index));
        if (pattern !== undefined) throw new DevsError('PATH_PROTECTED', { decidedBy: describePattern(pattern) });
      }
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

  /** The pattern, as it is written in the rules, that protects a name. @param above the folders from the root to it */
  protectedBy(segment: string, above: readonly string[] = []): string | undefined {
    // `.devs-tmp-x.code-workspace` is a workspace to its editor, whatever it begins with.
    const pattern = this.#rules.patterns.find(segment, above);
    const isTemporary = segment.split('\\').some((part) => foldName(part).startsWith(TEMPORARY_PREFIX));
    return pattern ?? (isTemporary ? TEMPORARY_PREFIX : undefined);
  }

  /** The same for a link that a command has left. */
  linkProtectedBy(segment: string, above: readonly string[]): string | undefined {
    return this.protectedBy(segment, above) ?? this.#rules.patterns.findLink(segment, above);
  }
}

function isAside(segment: string): boolean {
  return segment.split('\\').some((part) => foldName(part).includes(ASIDE_MARK));
}

function withoutSteps(segments: readonly string[]): readonly string[] {
  const left: string[] = [];
  for (const segment of segments) {
    if (segment === '..') left.pop();
    else left.push(segment);
  }
  return left;
}

/** As its owner finds it in the configuration, or does not. */
function describePattern(pattern: string): string {
  const isBuiltIn = [TEMPORARY_PREFIX, ASIDE_MARK].includes(pattern) || PROTECTED_FILES.some(({ patterns }) => patterns.includes(pattern));
  return `files.protected${isBuiltIn ? ', built in' : ''}: ${JSON.stringify(pattern)}`;
}
