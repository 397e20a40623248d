import { DevsError } from '@devs/core';

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

/**
 * One spelling for all the spellings that some file system takes for the same name: upper and lower
 * case, composed and decomposed, with characters that HFS+ ignores (U+200C), with the trailing dots
 * and spaces that NTFS drops, with an NTFS stream (`.git::$INDEX_ALLOCATION`). It folds more than
 * any one file system does: a name too many is refused, none slips through.
 */
export function foldName(name: string): string {
  const [plain = ''] = name.normalize('NFKD').split(':', 1);
  // Upper, then lower: U+017F becomes `s` and U+0131 becomes `i` only by way of their capitals.
  const folded = plain.toUpperCase().toLowerCase().normalize('NFKD');
  return folded.replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '').replace(/[. ]+$/, '');
}

/** `git` of `GIT~1`: a Windows disk answers to such a short name too, six letters and a number. */
function shortStemOf(folded: string): string {
  const stem = folded.replace(/^\.+/, '').replace(/\.[^.]*$/, '');
  return stem.replaceAll(/[. ]/g, '').slice(0, 6);
}

export interface ProtectionRules {
  /** Plain names, without a slash. */
  readonly names: readonly string[];
  /** Folders as segments below the root; closed to tools altogether. */
  readonly folders: readonly (readonly string[])[];
}

/** Judges places by their resolved segments below the root, links already followed. */
export class Protection {
  readonly #names: ReadonlySet<string>;
  readonly #shortStems: ReadonlySet<string>;
  readonly #folders: readonly (readonly string[])[];

  /** @throws DevsError CONFIG_INVALID: a name is empty, or is not one name */
  constructor(rules: ProtectionRules) {
    this.#names = new Set(rules.names.map(toRule));
    this.#shortStems = new Set([...this.#names].map(shortStemOf));
    this.#folders = rules.folders.map((folder) => folder.map(foldName));
  }

  /** @throws DevsError PATH_PROTECTED: no tool may write, make or replace this */
  refuseWriting(segments: readonly string[]): void {
    this.refuseReading(segments);
    if (segments.some((segment) => this.#isProtected(segment))) throw new DevsError('PATH_PROTECTED');
  }

  /** @throws DevsError PATH_PROTECTED: it lies in a folder of devs's own */
  refuseReading(segments: readonly string[]): void {
    if (!this.isHidden(segments)) return;
    throw new DevsError('PATH_PROTECTED', { sentence: 'This path belongs to devs and is closed to tools.' });
  }

  isHidden(segments: readonly string[]): boolean {
    return this.#folders.some((folder) => folder.every((name, index) => foldName(segments[index] ?? '') === name));
  }

  #isProtected(segment: string): boolean {
    // A Windows disk takes `a\.git\b`, one name here, for three: judge every part.
    return segment.split('\\').some((part) => {
      const folded = foldName(part);
      if (this.#names.has(folded) || folded.startsWith(TEMPORARY_PREFIX)) return true;
      const stem = /^([^~]*)~[0-9]+(?:\..*)?$/.exec(folded)?.[1];
      return stem !== undefined && this.#shortStems.has(stem);
    });
  }
}

function toRule(name: string): string {
  const folded = foldName(name);
  if (folded !== '' && !/[/\\]/.test(name)) return folded;
  throw new DevsError('CONFIG_INVALID', { sentence: 'A protected name must be one plain file or folder name.' });
}
