import type { ChangeCursor } from '../change-map.ts';
import { decodeForm } from '../encoded-forms.ts';
import { Glance } from '../glance.ts';
import { invisibles } from '../invisibles.ts';
import { findHiddenCharacter } from '../../protocol/hidden-characters.ts';
import { MappingRewriter } from '../rewriter.ts';
import { Tally } from '../tally.ts';
import { terminalControls } from '../terminal-controls.ts';
import type { TextStep } from '../text-step.ts';
import type { Seams } from '../seams.ts';
import { SHORTEST_WORD } from './long-words.ts';
import type { Part } from './look.ts';

const HEX = '[0-9A-Fa-f]';

/** One character that is written out, as JSON, programs and devs itself quote names: `\u200b`, `\u{200b}`, `\x1b`, `\033`, `\b`. */
const WRITTEN = new RegExp(
  String.raw`\\{1,16}(?:u(?:[dD][89abAB]${HEX}{2}\\{1,16}u[dD][c-fC-F]${HEX}{2}|${HEX}{4}|\{0{0,8}${HEX}{1,6}\})|x${HEX}{2}|U${HEX}{8}|[01][0-7]{2}|b)`,
  'g',
);

/** Only what stands in a word can part a secret: the others are edges, and the scanner knows them as they are written. */
const IN_WORD = /[A-Za-z0-9_+/=.~%}-]/;
/** What a word with something hidden in it may consist of: to the quote or the space behind it. */
const IN_QUOTES = /[^\s"'`<>]/;

/** Units before and behind what is hidden in which a secret, and the name that tells it, are looked for; a longer word is looked at whole. */
const AROUND = 160;
/** Different forms whose meaning is kept: honest texts have few. */
const MOST_KNOWN = 4_096;
const BACKSPACE = '\b';

/** Puts hidden characters in the place of what stands for them. Never seen by anybody: a reading of the text alone. */
const readWritten: TextStep = {
  name: 'invisibles',
  rewrite(text, rewriter) {
    const meanings = new Meanings();
    for (const { 0: form, index } of text.matchAll(WRITTEN)) {
      if (!IN_WORD.test(text[index - 1] ?? '')) continue;
      const by = meanings.of(form);
      if (by !== '') rewriter.replace(index, index + form.length, { by, rule: 'written' });
    }
  },
};

/** What forms stand for, when that is hidden and taken out of texts; else nothing. */
class Meanings {
  readonly #known = new Map<string, string>();

  of(form: string): string {
    const known = this.#known.get(form);
    if (known !== undefined) return known;
    const character = /^\\+b$/.test(form) ? BACKSPACE : decodeForm(form);
    const meaning = findHiddenCharacter(character) === undefined ? '' : character.toWellFormed();
    if (this.#known.size < MOST_KNOWN) this.#known.set(form, meaning);
    return meaning;
  }
}

const STEPS: readonly TextStep[] = Object.freeze([readWritten, terminalControls({ stripControlChars: true, stripNullBytes: true }), invisibles]);

/**
 * A piece of a text without the hidden characters and control sequences that are written out in its words. Who quotes a
 * name writes `gh\u200bp_…` for what was hidden in it: the token stands there in two halves, and a reader puts them together.
 */
export class UnwrittenText {
  readonly text: string;
  readonly seams: Seams | undefined;
  /** From the last step to the first. */
  readonly #cursors: readonly ChangeCursor[];
  readonly #start: number;

  private constructor(source: string, { start, end }: Part) {
    let glance = new Glance(source.slice(start, end).toWellFormed());
    const cursors: ChangeCursor[] = [];
    for (const step of STEPS) {
      const rewriter = new MappingRewriter(glance, step.name, new Tally());
      step.rewrite(glance.text, rewriter, glance);
      if (!rewriter.isChanged) continue;
      glance = rewriter.finish();
      cursors.unshift(rewriter.changes.cursor());
    }
    this.text = glance.text;
    this.seams = glance.seams;
    this.#cursors = cursors;
    this.#start = start;
  }

  /** The pieces around what is hidden in long words, from left to right; most texts have none. */
  static *of(source: string): Generator<UnwrittenText> {
    if (!source.includes('\\')) return;
    for (const piece of piecesOf(source)) yield new UnwrittenText(source, piece);
  }

  /** Where what stands here, from the first unit to before the last, stands in the source. */
  sourceOf(start: number, end: number): Part {
    let [first, last] = [start, end];
    for (const cursor of this.#cursors) {
      cursor.toView(first);
      first = cursor.viewStart < first ? cursor.sourceStart : first + cursor.shift;
      cursor.toViewEdge(last);
      last = cursor.viewStart < last ? cursor.sourceEnd : last + cursor.shift;
    }
    return { start: this.#start + first, end: this.#start + last };
  }
}

/** None over another. */
function* piecesOf(source: string): Generator<Part> {
  const meanings = new Meanings();
  let start = 0;
  let end = -1;
  for (const { 0: form, index } of source.matchAll(WRITTEN)) {
    const behind = index + form.length;
    if (!isInLongWord(source, index, behind) || meanings.of(form) === '') continue;
    if (index - AROUND > end) {
      if (end > 0) yield { start, end };
      start = Math.max(end, index - AROUND, 0);
      while (start > Math.max(end, 0) && IN_WORD.test(source[start - 1] ?? '')) start -= 1;
    }
    end = Math.max(end, Math.min(source.length, behind + AROUND));
    while (end < source.length && IN_QUOTES.test(source[end] ?? '')) end += 1;
  }
  if (end > 0) yield { start, end };
}

/** No secret is shorter than the shortest word that is looked at. */
function isInLongWord(source: string, start: number, end: number): boolean {
  let [first, last] = [start, end];
  while (first > 0 && start - first < SHORTEST_WORD && IN_WORD.test(source[first - 1] ?? '')) first -= 1;
  if (first === start) return false;
  while (last < source.length && last - end < SHORTEST_WORD && IN_QUOTES.test(source[last] ?? '')) last += 1;
  return start - first + last - end >= SHORTEST_WORD;
}
