const MAX_LENGTH = 64;
const MOST_SLIPS = 2;

/** The known name that a mistyped one was meant to be: at most two slips away, case aside. Undefined when none is near. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  // A long name is no slip of a short one, and the table below grows with both.
  if (name.length > MAX_LENGTH) return undefined;
  const near = known.filter((candidate) => Math.abs(candidate.length - name.length) <= MOST_SLIPS).map((candidate) => ({ candidate, slips: countSlips(name.toLowerCase(), candidate.toLowerCase()) }));
  return near.filter(({ slips }) => slips <= MOST_SLIPS).sort((one, other) => one.slips - other.slips)[0]?.candidate;
}

/** Levenshtein's distance: letters to add, drop or change. */
function countSlips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of one.split('').entries()) {
    const next = [at + 1];
    for (const [index, wanted] of other.split('').entries()) {
      const changed = (row[index] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
