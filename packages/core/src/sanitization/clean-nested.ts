import { ESCAPER } from '../protocol/unit-kinds.ts';
import { ConfinedRewriter } from './confined-rewriter.ts';
import { Glance } from './glance.ts';
import { cleanJsonText } from './json-text.ts';
import { holdsNamedPairs } from './secrets/pair-names.ts';
import type { WorkBudget } from './secrets/work-budget.ts';
import { Tally } from './tally.ts';
import { cleanGlanced, cleanGuarded } from './text-pipeline.ts';
import type { TextStep } from './text-step.ts';

/** Documents in strings of documents. Each level doubles the work on the innermost at most; honest answers have one. */
const MOST_LEVELS = 3;

/**
 * Cleans a text that may be JSON, or JSON in a string of JSON: string by string, then as a whole. `\u001b` in it is
 * an escape character to whoever parses it, and what stands in two of its strings may be one secret. Without a
 * backslash, what nothing was found in needs no second look. Where something was, both once more: what was no JSON
 * for a raw ESC in it may be JSON now. Gives what is known of the text that comes out.
 */
export function cleanNested(glance: Glance, steps: readonly TextStep[], tally: Tally): Glance {
  return cleanAt(glance, { steps, tally, work: glance.work, level: 0 });
}

export interface WordSettings {
  readonly tally: Tally;
  /** That of the member whose value the text is. */
  readonly name?: string | undefined;
  readonly work?: WorkBudget | undefined;
}

/** The same for a string of a document that has been read already. */
export function cleanWord(text: string, steps: readonly TextStep[], { tally, name, work }: WordSettings): string {
  return cleanMember(text, name, { steps, tally, work, level: 1 });
}

function cleanMember(text: string, name: string | undefined, { steps, ...nested }: Nested): string {
  const own = name === undefined ? steps : steps.map((step) => step.forMember?.(name) ?? step);
  const glance = new Glance(text.isWellFormed() ? text : text.toWellFormed(), { work: nested.work });
  return cleanAt(glance, { ...nested, steps: own }).text;
}

interface Nested {
  readonly steps: readonly TextStep[];
  readonly tally: Tally;
  readonly work: WorkBudget | undefined;
  readonly level: number;
}

function cleanAt(glance: Glance, nested: Nested): Glance {
  const { steps, tally, level } = nested;
  const hasEscapes = (glance.kinds & ESCAPER) !== 0 && glance.text.includes('\\');
  if (level === MOST_LEVELS || (level > 0 && !hasEscapes)) return cleanGlanced(glance, steps, tally);
  const once = hasEscapes ? cleanBoth(glance, nested) : cleanDirtyDocument(glance, nested);
  return once.text === glance.text ? glance : cleanBoth(once, nested);
}

/** String by string, if it is JSON, and then as a whole. */
function cleanBoth(glance: Glance, nested: Nested): Glance {
  const document = cleanDocument(glance.text, nested);
  if (document === undefined) return cleanGlanced(glance, nested.steps, nested.tally);
  return cleanWhole(document === glance.text ? glance : new Glance(document, { work: nested.work }), nested);
}

/** A document whose strings are clean: what is found in it now reaches over several of them, and is marked in each. */
function cleanWhole(glance: Glance, { steps, tally }: Nested): Glance {
  return cleanGuarded(glance, steps, { tally, guard: (text, rewriter) => new ConfinedRewriter(text, rewriter, 'kept') });
}

/** The same of structured content as JSON, which it still is after this. */
export function cleanStructured(glance: Glance, steps: readonly TextStep[], tally: Tally): Glance {
  return cleanGuarded(glance, steps, { tally, guard: (text, rewriter) => new ConfinedRewriter(text, rewriter, 'dropped') });
}

/**
 * The same for a text without a backslash: what nothing is found in as a whole has nothing in its strings, but for values
 * that stand too far behind their names for the rules of texts.
 */
function cleanDirtyDocument(glance: Glance, nested: Nested): Glance {
  const whole = new Tally();
  const cleaned = cleanGlanced(glance, nested.steps, whole);
  if (cleaned === glance && !holdsNamedPairs(glance.text)) return glance;
  const document = cleanDocument(glance.text, nested);
  if (document !== undefined) return cleanWhole(new Glance(document, { work: nested.work }), nested);
  nested.tally.merge(whole);
  return cleaned;
}

/** Counted only once it is seen that the text is JSON: names are cleaned before that. */
function cleanDocument(text: string, { steps, tally, work, level }: Nested): string | undefined {
  const counted = new Tally();
  const inside = { steps, tally: counted, work, level: level + 1 };
  const cleaned = cleanJsonText(text, (word, name) => cleanMember(word, name, inside), counted);
  if (cleaned !== undefined) tally.merge(counted);
  return cleaned;
}
