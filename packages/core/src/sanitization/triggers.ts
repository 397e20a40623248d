import { holdsForms } from './encoded-forms.ts';
import { foldedView, isAscii, toFoldedPattern, type FoldedView, type TextRange } from './folded-view.ts';
import type { TextStep } from './text-step.ts';

const TRIGGER = { by: '[REDACTED:trigger]', rule: 'trigger' } as const;

/** Prefixes that make another program act when a model repeats them (seed 001). */
export const DEFAULT_TRIGGERS: readonly string[] = Object.freeze(['__ot', 'mcp__onetool']);

/** Marks of earlier steps, of which no word may be taken for a trigger: a second run would nest them. */
const MARKS = String.raw`\[REDACTED:(?:tag|trigger|link|secret:[a-z0-9-]{1,64})\]`;

/**
 * Each of these words becomes `[REDACTED:trigger]`, in any case and spelling, where no letter follows: `__other` is
 * another word; `__ot_run`, `__ot(` and `__OT1` are calls that a model may still make (ADR 0026). What stands before
 * does not matter. A word is literal ASCII text, 3 to 100 characters; the configuration says so.
 */
export function triggers(list: readonly string[]): TextStep {
  const words = [...new Set(list.filter((word) => word !== ''))];
  if (words.length === 0) return { name: 'triggers', rewrite: () => undefined };
  const pattern = patternOf(words);
  const mayHold = createPrefilter(words);
  return {
    name: 'triggers',
    rewrite(text, rewriter) {
      if (!mayHold(text)) return;
      let end = 0;
      for (const found of findAll(text, pattern)) {
        if (found.start < end) continue;
        rewriter.replace(found.start, found.end, TRIGGER);
        end = found.end;
      }
    },
  };
}

/** The longest first: of `mcp__devs` and `mcp__devs_admin`, a text that holds both holds the second. */
function patternOf(words: readonly string[]): string {
  const sorted = words.toSorted((one, other) => other.length - one.length).map(toFoldedPattern);
  return String.raw`(${MARKS})|(?:${sorted.join('|')})(?!\p{L})`;
}

/**
 * What the text says as it stands, and what it says as it is read: `\x2facade` is read as `/acade`, but a program that
 * looks for `facade` finds it. By their starts; two may overlap.
 */
function findAll(text: string, pattern: string): Iterable<TextRange> {
  const literal = findIn(text, pattern);
  const view = foldedView(text);
  if (view === undefined) return literal;
  return mergeByStart(literal, findInSource(view, pattern));
}

function* findInSource(view: FoldedView, pattern: string): Generator<TextRange> {
  for (const { start, end } of findIn(view.text, pattern)) yield view.sourceOf(start, end);
}

function* findIn(read: string, pattern: string): Generator<TextRange> {
  for (const { index: start, 0: found, 1: mark } of read.matchAll(new RegExp(pattern, 'giu'))) {
    if (mark === undefined) yield { start, end: start + found.length };
  }
}

function* mergeByStart(one: Iterator<TextRange>, other: Iterator<TextRange>): Generator<TextRange> {
  let left = one.next();
  let right = other.next();
  while (!left.done || !right.done) {
    const isLeft = right.done || (!left.done && left.value.start <= right.value.start);
    if (isLeft && !left.done) {
      yield left.value;
      left = one.next();
    } else if (!right.done) {
      yield right.value;
      right = other.next();
    }
  }
}

/** All that a view shows as `_`. A native search each; a test asks every character. */
const LOW_LINES = Array.from('_ߺ‗‿⎯︳︴﹍﹎﹏＿');

/** A native search for what a text must hold: the low lines of a word, in any form. A word without them asks for the whole look. */
function createPrefilter(words: readonly string[]): (text: string) => boolean {
  const lines = [...new Set(words.map((word) => /_+/.exec(word)?.[0] ?? ''))];
  if (lines.includes('')) return () => true;
  return (text) => {
    const mayHold = isAscii(text) ? lines.some((line) => text.includes(line)) : LOW_LINES.some((line) => text.includes(line));
    return mayHold || holdsForms(text);
  };
}
