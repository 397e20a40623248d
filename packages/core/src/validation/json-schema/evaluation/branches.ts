import type { Json } from '../../../json.ts';
import type { Finding, PathKey, Reporter } from './run.ts';
import { joinWords, showValues } from './words.ts';

export interface Found {
  readonly path: readonly PathKey[];
  readonly finding: Finding;
  readonly value: Json;
}

/** Few enough to compare, enough to tell the branches apart. */
const MOST_COLLECTED = 20;
/** More than a sentence shows. */
const MOST_JOINED = 100;
const MOST_LOOKED_AT = 1_000;

export class CollectingReporter implements Reporter {
  readonly found: Found[] = [];

  get isFull(): boolean {
    return this.found.length >= MOST_COLLECTED;
  }

  add(path: readonly PathKey[], finding: Finding, value: Json): void {
    this.found.push({ path: [...path], finding, value });
  }
}

/** The value at which the branches part. */
export interface Fork {
  readonly path: readonly PathKey[];
  readonly depth: number;
  readonly value: Json;
}

/**
 * What to say when no branch fits. Where all of them want another type here, or another constant here or in
 * one member (a `kind`), one sentence names all; else what is wrong with the branch that comes closest.
 */
export function chooseBranch(branches: readonly (readonly Found[])[], fork: Fork): readonly Found[] {
  const types = joinTypes(branches, fork);
  if (types !== undefined) return [{ path: fork.path, finding: types, value: fork.value }];
  const constants = joinConstants(branches, fork);
  if (constants !== undefined) return [constants];
  const ranked = branches.filter((found) => found.length > 0).map((found) => ({ found, rank: rankOf(found, fork) }));
  return ranked.sort((one, other) => one.rank - other.rank)[0]?.found ?? [];
}

/** Another type altogether is farther off than another constant in a member (a `kind`), and that than anything else. */
function rankOf(found: readonly Found[], { depth }: Fork): number {
  const isOtherType = found.some(({ path, finding }) => path.length === depth && finding.keyword === 'type');
  const others = found.filter(({ path, finding }) => path.length <= depth + 1 && finding.allowed !== undefined).length;
  return (isOtherType ? 10_000 : 0) + others * 100 + found.length;
}

function joinTypes(branches: readonly (readonly Found[])[], { depth }: Fork): Finding | undefined {
  const types = branches.map((found) => found.find(({ path, finding }) => path.length === depth && finding.types !== undefined)?.finding.types);
  if (types.includes(undefined)) return undefined;
  const names = [...new Set(types.flatMap((some) => some ?? []))];
  const expected = joinWords(names);
  return { keyword: 'type', problem: `must be ${expected}`, expected, types: names };
}

function joinConstants(branches: readonly (readonly Found[])[], { depth }: Fork): Found | undefined {
  const candidates = (branches[0] ?? []).filter(({ path, finding }) => path.length <= depth + 1 && finding.allowed !== undefined);
  for (const { path, value } of candidates) {
    const key = path[depth];
    const same = branches.map((found) => found.find((other) => other.finding.allowed !== undefined && other.path.length === path.length && other.path[depth] === key));
    if (same.includes(undefined)) continue;
    const allowed = joinAllowed(same);
    const expected = `one of ${showValues(allowed, allowed.length < MOST_JOINED)}`;
    return { path, finding: { keyword: 'enum', problem: `must be ${expected}`, expected, allowed }, value };
  }
  return undefined;
}

/**
 * The first constants of all branches, each once. Never whole lists: a choice inside a choice joins what was
 * joined, and a few kilobytes of schema would become gigabytes of constants.
 */
function joinAllowed(branches: readonly (Found | undefined)[]): readonly Json[] {
  const joined = new Set<Json>();
  let looked = 0;
  for (const branch of branches) {
    for (const value of branch?.finding.allowed ?? []) {
      looked += 1;
      joined.add(value);
      if (joined.size === MOST_JOINED || looked === MOST_LOOKED_AT) return [...joined];
    }
  }
  return [...joined];
}
