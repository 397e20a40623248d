import { compilePattern, type LinearPattern } from '../patterns/compile-pattern.ts';
import { foldName, shortStemOf, stemOfShortName } from './fold-name.ts';

/** A name of a pattern, as each name of a path is held against it. */
interface NamePattern {
  readonly pattern: LinearPattern;
  /** What a Windows disk makes its short name of; undefined where the pattern has a `*`. */
  readonly shortStem: string | undefined;
}

/**
 * Folders whose files are somebody else's words: what a package manager put there, what was copied in. Names are compared
 * as `foldName` spells them, so that `Node_Modules` is not another folder where the disk takes it for the same.
 */
export class UntrustedPaths {
  readonly #patterns: readonly (readonly NamePattern[])[];

  /** @param patterns a name, or names with `/` between them; `*` stands for anything within a name */
  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((pattern) => pattern.split('/').map(toNamePattern));
  }

  /** True when the names of a pattern stand in the path, one below the other, wherever that is. */
  includes(path: string): boolean {
    const names = path.split('/').map(foldName);
    return this.#patterns.some((pattern) => names.some((_, start) => pattern.every((wanted, at) => fits(names[start + at], wanted))));
  }
}

function toNamePattern(name: string): NamePattern {
  const parts = name.split('*').map((part) => foldPart(part).replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`));
  return {
    pattern: compilePattern(`^${parts.join('[^]*')}$`),
    shortStem: parts.length === 1 ? shortStemOf(foldName(name)) : undefined,
  };
}

/** `foldName` drops dots at an end, which a part before a `*` has not. */
function foldPart(part: string): string {
  return foldName(`${part}x`).slice(0, -1);
}

function fits(name: string | undefined, { pattern, shortStem }: NamePattern): boolean {
  if (name === undefined) return false;
  const stem = stemOfShortName(name);
  return pattern.test(name) || (stem !== undefined && shortStem !== undefined && stem !== '' && shortStem.startsWith(stem));
}
