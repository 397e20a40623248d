export const MAX_REPLACEMENTS = 100_000;

export function timesOf(count: number): string {
  return count === 1 ? 'once' : `${String(count)} times`;
}
