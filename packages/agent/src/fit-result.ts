import { enforceToolOutputLimit } from '@devs/core';

const BETWEEN = '\n\n';

/**
 * The blocks of a result within `limit` characters together. The longest is cut to what the others leave, so that
 * devs's own notices, which stand beside it, stay whole; where the others are long too, all become one text.
 */
export function fitResult(texts: readonly string[], limit: number): readonly string[] {
  const total = lengthOf(texts);
  if (total <= limit) return texts;
  const longest = texts.reduce((one, other) => (other.length > one.length ? other : one), '');
  const others = total - longest.length;
  if (others > limit / 2) return [enforceToolOutputLimit(texts.join(BETWEEN), limit)];
  const place = texts.indexOf(longest);
  return texts.with(place, enforceToolOutputLimit(longest, limit - others));
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
