import type { FoundText } from '../marks.ts';

/** A mark in a text that is replaced, or in what comes in its place. All marks of one call of `pairMarks` read the same. */
export interface Marked {
  readonly text: string;
  readonly marks: readonly FoundText[];
}

/** For each new mark the index of the old one that it stands for; `undefined` where that is not clear. */
export type Pairs = readonly (number | undefined)[];

/** The old and the new marks that are still without each other, by their index. */
interface Open {
  readonly old: ReadonlySet<number>;
  readonly fresh: ReadonlySet<number>;
}

const WORD = /[\p{L}\p{N}]/u;
/** The last word before a mark and what parts the two, as `password: "`. */
// slow pattern: it reads at most `LONGEST_NAME` characters
const NAME = /[\p{L}\p{N}_]*[^\p{L}\p{N}_\n]*$/u;
const LONGEST_NAME = 64;

/**
 * Tells equal marks from each other by what stands around them. It would rather not say than guess: behind equal
 * marks are different secrets, and one put in the place of another is found out when a system fails.
 */
export function pairMarks(before: Marked, after: Marked): Pairs {
  const pairs = new Map<number, number>();
  if (pairUnmoved(before, after, pairs) || pairReordered(before, after, pairs)) return toPairs(after, pairs);
  const isAsMany = before.marks.length === after.marks.length;
  // Of two equal entries of a list one is left: its surroundings are those of both.
  if (isAsMany) pairBy(before, after, { pairs, keysOf: surroundingsOf, isTelling: () => true, canRepeat: true });
  pairBy(before, after, { pairs, keysOf: namesOf, isTelling: (name) => WORD.test(name), canRepeat: false });
  const isRenamed = isAsMany && pairLast(before, after, pairs);
  // A name that is gone and another that moved may be the same secret twice renamed: `KEY`, `OLD` to `NEW`, `KEY`.
  const isInOrder = [...pairs].every(([fresh, old]) => fresh === old);
  return toPairs(after, isRenamed && !isInOrder ? new Map() : pairs);
}

/** The one that is left on either side. */
function pairLast(before: Marked, after: Marked, pairs: Map<number, number>): boolean {
  const { old, fresh } = openOf(before, after, pairs);
  const [lastOld] = old;
  const [lastFresh] = fresh;
  if (old.size !== 1 || fresh.size !== 1 || lastOld === undefined || lastFresh === undefined) return false;
  pairs.set(lastFresh, lastOld);
  return true;
}

function toPairs({ marks }: Marked, pairs: ReadonlyMap<number, number>): Pairs {
  return marks.map((_, index) => pairs.get(index));
}

/** Pairs all, if what differs lies in one place, and no mark in it. */
function pairUnmoved(before: Marked, after: Marked, pairs: Map<number, number>): boolean {
  if (before.marks.length !== after.marks.length) return false;
  const shorter = Math.min(before.text.length, after.text.length);
  let head = 0;
  while (head < shorter && before.text.charCodeAt(head) === after.text.charCodeAt(head)) head += 1;
  const shift = after.text.length - before.text.length;
  let tail = before.text.length;
  while (tail > head && tail + shift > head && before.text.charCodeAt(tail - 1) === after.text.charCodeAt(tail + shift - 1)) tail -= 1;
  const isUnmoved = before.marks.every((mark, index) => {
    const { start = -1 } = after.marks[index] ?? {};
    return (mark.start + mark.text.length <= head && start === mark.start) || (mark.start >= tail && start === mark.start + shift);
  });
  if (isUnmoved) before.marks.forEach((_, index) => pairs.set(index, index));
  return isUnmoved;
}

/** Pairs all, if all that leads to each mark from the one before is there once before and once after: whole entries changed places. */
function pairReordered(before: Marked, after: Marked, pairs: Map<number, number>): boolean {
  const places = new Map(leadsOf(before).map((lead, index) => [lead, index]));
  const leads = leadsOf(after);
  const isEachOnce = [before.marks.length, leads.length, new Set(leads).size].every((count) => count === places.size);
  const isReordered = isEachOnce && leads.every((lead) => places.has(lead));
  if (isReordered) leads.forEach((lead, index) => pairs.set(index, places.get(lead) ?? index));
  return isReordered;
}

interface Way {
  readonly pairs: Map<number, number>;
  readonly keysOf: (marked: Marked) => readonly string[];
  readonly isTelling: (key: string) => boolean;
  /** True: as many of a key before as after are taken in their order. False: a key has to be the only one. */
  readonly canRepeat: boolean;
}

function pairBy(before: Marked, after: Marked, { pairs, keysOf, isTelling, canRepeat }: Way): void {
  const { old, fresh } = openOf(before, after, pairs);
  const places = placesOf(keysOf(before), old);
  for (const [key, news] of placesOf(keysOf(after), fresh)) {
    const olds = places.get(key) ?? [];
    if (olds.length !== news.length || !isTelling(key) || (news.length > 1 && !canRepeat)) continue;
    news.forEach((index, nth) => pairs.set(index, olds[nth] ?? index));
  }
}

function openOf(before: Marked, after: Marked, pairs: ReadonlyMap<number, number>): Open {
  const taken = new Set(pairs.values());
  return {
    old: new Set([...before.marks.keys()].filter((index) => !taken.has(index))),
    fresh: new Set([...after.marks.keys()].filter((index) => !pairs.has(index))),
  };
}

function placesOf(keys: readonly string[], open: ReadonlySet<number>): Map<string, number[]> {
  const places = new Map<string, number[]>();
  keys.forEach((key, index) => {
    if (!open.has(index)) return;
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  });
  return places;
}

/** All between a mark and the ones before and after it: neither side alone tells two entries apart. */
function surroundingsOf({ text, marks }: Marked): readonly string[] {
  const between = pieces(text, marks).map(withoutSpace);
  return marks.map((_, index) => `${between[index] ?? ''}\n${between[index + 1] ?? ''}`);
}

function leadsOf({ text, marks }: Marked): readonly string[] {
  return pieces(text, marks).slice(0, -1).map(withoutSpace);
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

function namesOf({ text, marks }: Marked): readonly string[] {
  return pieces(text, marks)
    .slice(0, -1)
    .map((piece) => withoutSpace(NAME.exec(piece.slice(-LONGEST_NAME))?.[0] ?? ''));
}

/** The text before, between and after the marks. */
function pieces(text: string, marks: readonly FoundText[]): readonly string[] {
  let start = 0;
  const before = marks.map((mark) => {
    const piece = text.slice(start, mark.start);
    start = mark.start + mark.text.length;
    return piece;
  });
  return [...before, text.slice(start)];
}
