import { closeSync, readSync } from 'node:fs';
import { DevsError, type EntryKind } from '@devs/core';
import type { FsRootParts } from '../files/fs-root-parts.ts';
import { isShown } from '../files/list-entries.ts';
import { isPassedOver } from '../files/tree-reader.ts';
import type { Walk } from '../files/walk.ts';
import { IgnoreRules, MAX_IGNORE_BYTES } from './ignore-rules.ts';
import type { PathPattern } from './path-pattern.ts';
import { Effort } from './wildcard.ts';

/** Steps that comparing names to the glob and to `.gitignore` may take in one search: about a second. */
export const MAX_STEPS = 100_000_000;
const IGNORE_FILE = '.gitignore';
/** Git's own folder, or its file in a worktree: nothing in it is the project's text. */
const GIT = '.git';

export interface SearchedFolder {
  /** Segments from the root to the searched folder. */
  readonly depth: number;
  readonly glob: PathPattern | undefined;
}

/** Says what a search below a folder looks at. The tree may be hostile: a cloned repository brings its `.gitignore`. */
export class SearchedFolders {
  readonly #parts: FsRootParts;
  readonly #searched: SearchedFolder;
  readonly #rules = new IgnoreRules();
  readonly #effort = new Effort(MAX_STEPS);
  #ignored = 0;

  constructor(parts: FsRootParts, searched: SearchedFolder) {
    this.#parts = parts;
    this.#searched = searched;
  }

  /** True when the names were too much work to compare: what was said since does not count. */
  get isSpent(): boolean {
    return this.#effort.isSpent;
  }

  /** Files and folders that a `.gitignore` left out. */
  get ignored(): number {
    return this.#ignored;
  }

  isDue(): boolean {
    return this.#effort.isDue();
  }

  /** Reads the rules of the folder in which the walk stands. Its parents have been entered before. */
  enter(walk: Walk): void {
    this.#rules.enter(walk.names.length, readRules(walk));
  }

  isSearched(segments: readonly string[], kind: EntryKind): boolean {
    if (segments.at(-1) === GIT || !isShown(this.#parts, segments)) return false;
    const { glob, depth } = this.#searched;
    if (kind === 'file' && glob?.(segments.slice(depth), this.#effort) === false) return false;
    const isIgnored = this.#rules.isIgnored({ segments, kind }, this.#effort);
    if (isIgnored) this.#ignored += 1;
    return !isIgnored;
  }
}

/** A `.gitignore` that is a link is not followed, as git does not follow it. */
function readRules(walk: Walk): string {
  try {
    const file = walk.open(IGNORE_FILE);
    if (file.kind !== 'file') return '';
    try {
      return readBeginning(file.descriptor);
    } finally {
      closeSync(file.descriptor);
    }
  } catch (error) {
    if (DevsError.is(error) || isPassedOver(error)) return '';
    throw error;
  }
}

/** Whole lines alone: half a rule would be another rule. */
function readBeginning(descriptor: number): string {
  const bytes = Buffer.alloc(MAX_IGNORE_BYTES);
  const count = readSync(descriptor, bytes, 0, bytes.length, 0);
  const end = count < bytes.length ? count : bytes.lastIndexOf('\n') + 1;
  return bytes.toString('utf8', 0, end);
}
