import { DevsError } from '../../errors.ts';
import { ESCAPER } from '../../protocol/unit-kinds.ts';
import { CleanedWords } from '../pipeline/cleaned-words.ts';
import { Glance } from '../pipeline/glance.ts';
import { Tally } from '../pipeline/tally.ts';
import { cleanGlanced, cleanGuarded, cleanStep } from '../pipeline/text-pipeline.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';
import { holdsNamedPairs } from '../secrets/pair-names.ts';
import { ConfinedRewriter } from './confined-rewriter.ts';
import { mayBeJson } from './json-scanner.ts';
import { cleanJsonText } from './json-text.ts';

/**
 * Documents in strings of documents: honest answers have one, and levels up to this are not counted. Each level may double the work
 * on the innermost, so what is deeper pays for each of its units at each level.
 */
const FREE_LEVELS = 3;
/** Beyond this the text is withheld. Where each level writes the backslashes of the one in it twice, the outermost has more units than a text may have. */
const MOST_LEVELS = 32;
/** Steps a unit of reading a string at one level. */
const PASS = 8;

/**
 * Cleans a text that may be JSON, or JSON in a string of JSON: string by string, then as a whole. `\u001b` in it is
 * an escape character to whoever parses it, and what stands in two of its strings may be one secret. Without a
 * backslash, what nothing was found in needs no second look. What was no JSON for a raw ESC in it may be JSON once it is
 * cleaned: that is cleaned once more. Gives what is known of the text that comes out.
 */
export function cleanNested(glance: Glance, steps: readonly TextStep[], tally: Tally): Glance {
  return cleanAt(glance, { steps, tally, work: glance.work, deep: glance.work ?? WorkBudget.forText(glance.text), level: 0, words: new CleanedWords() });
}

export interface WordSettings {
  readonly tally: Tally;
  /** That of the member whose value the text is. */
  readonly name?: string | undefined;
  readonly work?: WorkBudget | undefined;
  /** Of the same steps. Absent: the string is cleaned, however often it stands there. */
  readonly words?: CleanedWords | undefined;
}

/** The same for a string of a document that has been read already. */
export function cleanWord(text: string, steps: readonly TextStep[], { tally, name, work, words = new CleanedWords() }: WordSettings): string {
  return cleanMember(text, name, { steps, tally, work, deep: work ?? WorkBudget.forText(text), level: 1, words });
}

function cleanMember(text: string, name: string | undefined, nested: Nested): string {
  const { steps, level, tally, words } = nested;
  const own = name === undefined ? steps : stepsFor(name, steps);
  // Strings within a value that its name tells something of are cleaned by other steps than those that are remembered.
  if (own !== steps) return cleanString(text, { ...nested, steps: own, words: new CleanedWords() });
  return words.clean(text, { level, tally }, (counted) => cleanString(text, counted === tally ? nested : { ...nested, tally: counted }));
}

/** The same list where the name says nothing to any of them, as most names do. */
function stepsFor(name: string, steps: readonly TextStep[]): readonly TextStep[] {
  return steps.some((step) => step.forMember?.(name) !== undefined) ? steps.map((step) => step.forMember?.(name) ?? step) : steps;
}

function cleanString(text: string, nested: Nested): string {
  return cleanAt(new Glance(text.isWellFormed() ? text : text.toWellFormed(), { work: nested.work }), nested).text;
}

/** Steps of one look at a string, and of seeing whether what begins and ends like a document is one, however short it is. */
const [STRING, DOCUMENT] = [250, 150];

interface Nested {
  readonly steps: readonly TextStep[];
  readonly tally: Tally;
  readonly work: WorkBudget | undefined;
  /** What is spent on levels that are not free: the same, or one for the outermost text. */
  readonly deep: WorkBudget;
  readonly level: number;
  readonly words: CleanedWords;
}

/** A text after one look through it. */
interface Looked {
  readonly glance: Glance;
  /**
   * How many of the steps, from the first, a second look needs: up to the last that changed something. Those behind it
   * have seen the text as it came out, and would find nothing. 0: the text is settled.
   */
  readonly unsettled: number;
}

function cleanAt(glance: Glance, nested: Nested): Glance {
  const { steps, tally, level, work } = nested;
  work?.spend(STRING);
  if (level > FREE_LEVELS) payForLevel(glance.text, nested);
  const hasEscapes = (glance.kinds & ESCAPER) !== 0 && glance.text.includes('\\');
  if (level > 0 && !hasEscapes) return cleanGlanced(glance, steps, tally);
  const once = hasEscapes ? cleanBoth(glance, nested) : cleanDirtyDocument(glance, nested);
  if (once.glance.text === glance.text) return glance;
  return once.unsettled === 0 ? once.glance : cleanBoth(once.glance, nested, once.unsettled).glance;
}

/** @throws DevsError `OUTPUT_WITHHELD` */
function payForLevel(text: string, { level, deep }: Nested): void {
  if (level > MOST_LEVELS) throw new DevsError('OUTPUT_WITHHELD', { cause: new Error(`JSON in strings of JSON, deeper than ${String(MOST_LEVELS)} levels`) });
  deep.spend(STRING + PASS * text.length);
}

/** String by string, if it is JSON, and then as a whole. */
function cleanBoth(glance: Glance, nested: Nested, unsettled?: number): Looked {
  const document = cleanDocument(glance.text, nested);
  if (document === undefined) return cleanSteps(glance, nested, unsettled);
  return cleanWhole(document === glance.text ? glance : new Glance(document, { work: nested.work }), nested);
}

/** A document whose strings are clean: what is found in it now reaches over several of them, and is marked in each. */
function cleanWhole(document: Glance, { steps, tally }: Nested): Looked {
  const glance = cleanGuarded(document, steps, { tally, guard: (text, rewriter) => new ConfinedRewriter(text, rewriter, 'kept') });
  return { glance, unsettled: glance === document ? 0 : steps.length };
}

/** Runs the steps behind the unsettled ones only when one of those changes something. */
function cleanSteps(glance: Glance, { steps, tally }: Pick<Nested, 'steps' | 'tally'>, unsettled = steps.length): Looked {
  let [cleaned, changed] = [glance, 0];
  for (const [index, step] of steps.entries()) {
    if (index >= unsettled && cleaned === glance) break;
    const before = cleaned;
    cleaned = cleanStep(before, step, { tally });
    if (cleaned !== before) changed = index + 1;
  }
  return { glance: cleaned, unsettled: changed };
}

/** The same of structured content as JSON, which it still is after this. */
export function cleanStructured(glance: Glance, steps: readonly TextStep[], tally: Tally): Glance {
  return cleanGuarded(glance, steps, { tally, guard: (text, rewriter) => new ConfinedRewriter(text, rewriter, 'dropped') });
}

/**
 * The same for a text without a backslash: what nothing is found in as a whole has nothing in its strings, but for values
 * that stand too far behind their names for the rules of texts. With the first step that finds something it is known that
 * a document is dirty.
 */
function cleanDirtyDocument(glance: Glance, nested: Nested): Looked {
  const { steps, tally, work } = nested;
  const whole = new Tally();
  let cleaned = glance;
  let done = 0;
  for (const step of steps) {
    cleaned = cleanStep(glance, step, { tally: whole });
    done += 1;
    if (cleaned !== glance) break;
  }
  if (cleaned === glance && !holdsNamedPairs(glance.text)) return { glance, unsettled: 0 };
  const document = cleanDocument(glance.text, nested);
  if (document !== undefined) return cleanWhole(new Glance(document, { work }), nested);
  tally.merge(whole);
  const rest = cleanSteps(cleaned, { steps: steps.slice(done), tally });
  return { glance: rest.glance, unsettled: done + rest.unsettled };
}

/** Counted only once it is seen that the text is JSON: names are cleaned before that. */
function cleanDocument(text: string, nested: Nested): string | undefined {
  // Two units tell it of nearly every string: `caf\u00e9`, `C:\users`.
  if (!mayBeJson(text)) return undefined;
  nested.work?.spend(DOCUMENT);
  const counted = new Tally();
  const inside = { ...nested, tally: counted, level: nested.level + 1 };
  const cleaned = cleanJsonText(text, (word, name) => cleanMember(word, name, inside), counted);
  if (cleaned !== undefined) nested.tally.merge(counted);
  return cleaned;
}
