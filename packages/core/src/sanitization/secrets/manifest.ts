import type { WorkBudget } from '../pipeline/work-budget.ts';
import type { Part } from './look.ts';

/** What a template fills in, and what is masked already. */
const FILLED = /^(?:\{\{|<[^<>]{0,128}>$|\$[{(]|\[REDACTED:|\.\.\.|$)/;
/** Units of a value that are asked. */
const LONGEST_FILLED = 160;

export interface FoundValues {
  readonly found: readonly Part[];
  /** Where it was read to. */
  readonly end: number;
  /** Units that were gone over. */
  readonly units: number;
}

export interface ManifestLook {
  /** Where the last manifest was read to: no line of YAML is read twice. */
  readonly from: number;
  readonly work: WorkBudget;
}

/** Where the kind of a manifest stands. */
export interface KindPlace {
  readonly key: number;
  /** As deep as the key is quoted: empty, `'`, `"`, `\"`, `\\\"`. */
  readonly quote: string;
  readonly at: number;
  /** Behind the value and its quote. */
  readonly end: number;
  /** Of a list of secrets, whose items do not say what they are. */
  readonly isList: boolean;
}

/** False for a value that is none yet, or none any more. */
export function isFilledIn(text: string, { start, end }: Part): boolean {
  return !FILLED.test(text.slice(start, Math.min(end, start + LONGEST_FILLED)));
}
