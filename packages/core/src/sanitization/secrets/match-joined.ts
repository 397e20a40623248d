import { REACH, type Look, type Part } from './look.ts';
import type { CompiledJoined } from './rule-index.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';

/** Steps of reading a text as if it began or ended at one seam. */
const AT_SEAM = 160;

export interface JoinedPart extends Part {
  readonly rule: string;
}

/** The secret whose word begins here, known by what stands before it. */
export function matchJoined({ pattern, rules }: CompiledJoined, text: string, { at, work }: { readonly at: number; readonly work: WorkBudget }): JoinedPart | undefined {
  work.spend(REACH.before / 2);
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  work.spend(match[0].length);
  const index = match.findIndex((group, place) => place > 0 && group !== undefined);
  const rule = rules[index - 1];
  if (rule === undefined || rule.accepts?.(match[0]) === false) return undefined;
  const before = rule.masks === 'whole' ? (match[index] ?? '').length : 0;
  return { start: at - before, end: pattern.lastIndex, rule: rule.id };
}

/** As if the text began, or ended, where something was taken out of it: what is parted within may be glued at both its ends. */
export function matchJoinedAtSeams(joined: CompiledJoined, { text, work, seams }: Look, at: number): JoinedPart | undefined {
  if (seams === undefined) return undefined;
  work.spend(4 * REACH.before);
  if (!fits(joined.open, text, at)) return undefined;
  const fitsHere = (pattern: RegExp, first: number, last: number) => {
    work.spend(AT_SEAM);
    return fits(pattern, text.slice(first, last), at - first);
  };
  const firsts = [...seams.between(at - REACH.before, at), 0].filter((first) => fitsHere(joined.left, first, text.length));
  const lasts = [...seams.between(at, at + REACH.joined), text.length].filter((last) => fitsHere(joined.right, 0, last));
  for (const first of firsts) {
    for (const last of lasts) {
      const found = matchJoined(joined, text.slice(first, last), { at: at - first, work });
      if (found !== undefined) return { ...found, start: found.start + first, end: found.end + first };
    }
  }
  return undefined;
}

function fits(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
