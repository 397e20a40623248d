import type { EntryKind } from '@devs/core';
import { compilePath, type PathPattern } from './path-pattern.ts';
import type { Effort } from './wildcard.ts';

/** Of a `.gitignore`, in bytes: what is beyond is not looked at. */
export const MAX_IGNORE_BYTES = 65_536;
/** Of one line, in UTF-16 units: a longer one is not looked at. */
const MAX_RULE_LENGTH = 512;
/** In force at once: of all the `.gitignore` files from the root to a folder, the upper ones first. */
const MAX_RULES = 2_000;

interface Rule {
  readonly fits: PathPattern;
  /** Takes back what an earlier rule left out. */
  readonly negated: boolean;
  readonly folderOnly: boolean;
}

export interface IgnoreEntry {
  /** Below the root. */
  readonly segments: readonly string[];
  readonly kind: EntryKind;
}

/**
 * The `.gitignore` files from the root to the folder that is being read. The last rule that fits decides,
 * those of a deeper folder after those of its parents. What lies in a folder that is left out is not asked.
 */
export class IgnoreRules {
  /** By the depth of their folder; 0 is the root. */
  readonly #levels: (readonly Rule[])[] = [];

  /** Takes the place of what was known of a folder of this depth, and of all deeper ones. */
  enter(depth: number, text: string): void {
    this.#levels.length = Math.min(this.#levels.length, depth);
    while (this.#levels.length < depth) this.#levels.push([]);
    const known = this.#levels.reduce((sum, level) => sum + level.length, 0);
    this.#levels.push(parseRules(text, MAX_RULES - known));
  }

  isIgnored({ segments, kind }: IgnoreEntry, effort: Effort): boolean {
    for (let depth = this.#levels.length - 1; depth >= 0; depth -= 1) {
      const below = depth === 0 ? segments : segments.slice(depth);
      const rule = this.#levels[depth]?.findLast(
        ({ fits, folderOnly }) => (!folderOnly || kind === 'directory') && fits(below, effort),
      );
      if (rule !== undefined) return !rule.negated;
    }
    return false;
  }
}

function parseRules(text: string, most: number): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    if (rules.length >= most) break;
    const rule = line.length > MAX_RULE_LENGTH ? undefined : parseRule(line.replace(/\r$/, ''));
    if (rule !== undefined) rules.push(rule);
  }
  return rules;
}

function parseRule(line: string): Rule | undefined {
  if (line.startsWith('#')) return undefined;
  const negated = line.startsWith('!');
  const spelled = trimSpaces(negated ? line.slice(1) : line);
  const folderOnly = spelled.endsWith('/');
  const source = folderOnly ? spelled.slice(0, -1) : spelled;
  const fits = source === '' ? undefined : compilePath(source);
  return fits && { fits, negated, folderOnly };
}

/** Spaces at the end go, but for one that has a `\` before it. */
function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ' && !isEscaped(text, end - 1)) end -= 1;
  return text.slice(0, end);
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
