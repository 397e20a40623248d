import type { ChangeCursor } from '../pipeline/change-map.ts';
import { Glance } from '../pipeline/glance.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { MappingRewriter } from '../pipeline/rewriter.ts';
import { Tally } from '../pipeline/tally.ts';
import { terminalControls } from '../terminal/terminal-controls.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import type { Seams } from '../pipeline/seams.ts';
import { isIn, tableOf, tableOfAllBut } from '../pipeline/unit-table.ts';
import { SHORTEST_WORD } from './long-words.ts';
import type { Part } from './look.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';
import { holdsHidden, holdsWritten, Meanings, WrittenForms, type Sought } from './written-forms.ts';

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** As patterns know them. */
const WHITE_SPACE = '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Only what stands in a word can part a secret: the others are edges, and the scanner knows them as they are written. */
const IN_WORD = tableOf(`${LETTERS_AND_DIGITS}_+/=.~%}-`);
/** What a word with something hidden in it may consist of: to the quote or the space behind it. */
const IN_QUOTES = tableOfAllBut(`${WHITE_SPACE}"'\`<>`);

/** Units before and behind what is hidden in which a secret, and the name that tells it, are looked for; a longer word is looked at whole. */
const AROUND = 160;

/** Steps of finding one form, and of seeing whether it stands in a long word. */
const [FORM_FOUND, WORD_SEEN] = [32, 56];
/** Steps of taking out one form, noting where, and opening the text there for its second reading. */
const TAKEN_OUT = 16;
/** Steps of reading one piece, however short it is. */
const PIECE = 2_000;
/** Steps a unit of a piece: it is copied, asked what kinds of units it has, and copied again without its forms. */
const COPIED = 8;

/**
 * Takes out what is written out and hidden, and puts controls in the place of what stands for them: more may go with these.
 * Never seen by anybody: a reading of the text alone.
 */
function takeOut(sought: Sought): TextStep {
  return {
    name: 'invisibles',
    rewrite(text, rewriter) {
      const meanings = new Meanings();
      const forms = new WrittenForms(text, sought);
      while (forms.next()) {
        const { start, end } = forms;
        const by = isIn(IN_WORD, text, start - 1) ? meanings.at(text, start, end) : undefined;
        if (by !== undefined) rewriter.replace(start, end, { by, rule: 'written' });
      }
    },
  };
}

/** How such a text is read. */
export const READ_WRITTEN: readonly TextStep[] = Object.freeze([takeOut('both'), terminalControls({ stripControlChars: true, stripNullBytes: true }), invisibles]);

/** The same where nothing is written out: an escape before it could take the beginning of a token with it. */
const READ_HIDDEN: readonly TextStep[] = Object.freeze([takeOut('hidden')]);

/** A text, and where something was taken out of it before. */
interface SeamedText {
  readonly text: string;
  readonly seams?: Seams | undefined;
  /** Of its units, where they are known. */
  readonly kinds?: number | undefined;
}

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

  private constructor({ text: source, seams }: SeamedText, { start, end }: Part, steps: readonly TextStep[]) {
    let glance = new Glance(source.slice(start, end).toWellFormed(), { seams: seams?.within(start, end) });
    const cursors: ChangeCursor[] = [];
    for (const step of steps) {
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

  /**
   * The pieces around what is hidden in long words, from left to right for each way to read them; most texts have none.
   * @throws DevsError `OUTPUT_WITHHELD`
   */
  static *of(source: SeamedText, work: WorkBudget): Generator<UnwrittenText> {
    const withHidden = holdsHidden(source.text, source.kinds);
    if (withHidden) yield* UnwrittenText.#read(source, work, 'hidden');
    if (holdsWritten(source.text)) yield* UnwrittenText.#read(source, work, withHidden ? 'both' : 'written');
  }

  static *#read(source: SeamedText, work: WorkBudget, sought: Sought): Generator<UnwrittenText> {
    for (const piece of piecesOf(source.text, { work, sought })) {
      work.spend(PIECE + COPIED * (piece.end - piece.start));
      yield new UnwrittenText(source, piece, sought === 'hidden' ? READ_HIDDEN : READ_WRITTEN);
    }
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

interface Looking {
  readonly work: WorkBudget;
  readonly sought: Sought;
}

/** None over another. */
function* piecesOf(source: string, looking: Looking): Generator<Part> {
  let start = 0;
  let end = -1;
  for (const { start: first, end: behind } of hiddenIn(source, looking)) {
    if (first - AROUND > end) {
      if (end > 0) yield { start, end };
      start = Math.max(end, first - AROUND, 0);
      while (start > Math.max(end, 0) && isIn(IN_WORD, source, start - 1)) start -= 1;
    }
    end = Math.max(end, Math.min(source.length, behind + AROUND));
    while (isIn(IN_QUOTES, source, end)) end += 1;
  }
  if (end > 0) yield { start, end };
}

/** The forms in long words that stand for what is hidden, and what is hidden as it is. The same object each time: a hostile text holds a million. */
function* hiddenIn(source: string, { work, sought }: Looking): Generator<Part> {
  const meanings = new Meanings();
  const forms = new WrittenForms(source, sought);
  let paid = 0;
  while (forms.next()) {
    work.spend(FORM_FOUND + forms.looked - paid);
    paid = forms.looked;
    const { start, end } = forms;
    if (!isIn(IN_WORD, source, start - 1) || meanings.at(source, start, end) === undefined) continue;
    work.spend(WORD_SEEN);
    if (!isInLongWord(source, start, end)) continue;
    work.spend(TAKEN_OUT);
    yield forms;
  }
  work.spend(forms.looked - paid);
}

/** No secret is shorter than the shortest word that is looked at. */
function isInLongWord(source: string, start: number, end: number): boolean {
  let [first, last] = [start, end];
  while (start - first < SHORTEST_WORD && isIn(IN_WORD, source, first - 1)) first -= 1;
  while (last - end < SHORTEST_WORD && isIn(IN_QUOTES, source, last)) last += 1;
  return start - first + last - end >= SHORTEST_WORD;
}
