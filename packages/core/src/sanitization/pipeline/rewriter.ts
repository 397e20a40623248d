import { ChangeMap, type Cause } from './change-map.ts';
import { Glance } from './glance.ts';
import { Seams } from './seams.ts';
import { UnitWriter } from './unit-writer.ts';
import type { WorkBudget } from './work-budget.ts';
import type { Tally } from './tally.ts';
import type { Change, Rewriter, TextStepName } from './text-step.ts';

/** Steps of one change, of one right behind another, and of one control of a terminal. */
const [CHANGED, CHANGED_AGAIN, CONTROL] = [80, 8, 24];

/** Makes the new text of one step, and counts what it changed. */
export class TextRewriter implements Rewriter {
  readonly #source: string;
  readonly #step: TextStepName;
  readonly #tally: Tally;
  /** Made with the first change: most texts have none. */
  #times: Map<string, number> | undefined;
  /** Changes come in rows of one rule: these are not in the map yet. */
  #rule = '';
  #timesInRow = 0;
  /** Made with the first change: most texts have none. */
  #writer: UnitWriter | undefined;
  /** Of the source, up to here all is decided. */
  #decided = 0;
  readonly #oldSeams: Seams | undefined;
  readonly #work: WorkBudget | undefined;
  /** Steps of one that stands apart, and of one right behind another. */
  readonly #apart: number;
  readonly #again: number;
  #nextSeam = 0;
  #seams: Seams | undefined;

  /** The text is well formed. */
  constructor({ text, seams, work }: Glance, step: TextStepName, tally: Tally) {
    this.#source = text;
    this.#oldSeams = seams;
    this.#work = work;
    // Each word in the log of a terminal may have its colour.
    [this.#apart, this.#again] = step === 'terminal-controls' ? [CONTROL, CONTROL] : [CHANGED, CHANGED_AGAIN];
    this.#step = step;
    this.#tally = tally;
  }

  /** @throws RangeError for a change that is not to the right of the last: silence would let text through unchanged. */
  replace(start: number, end: number, { by, rule, fingerprint, seams }: Change): void {
    if (!(start >= this.#decided && end >= start && end <= this.#source.length)) {
      throw new RangeError('The changes of a text go from left to right, none over another.');
    }
    this.#work?.spend(start > this.#decided ? this.#apart : this.#again);
    const writer = (this.#writer ??= new UnitWriter(this.#source));
    if (this.#oldSeams !== undefined) this.#carrySeams(this.#oldSeams, start);
    if (start > this.#decided) writer.copy(this.#decided, start);
    this.#decided = end;
    if (seams !== undefined) this.#addSeams(seams, writer.length);
    if (by === '') (this.#seams ??= new Seams()).add(writer.length);
    else writer.write(by);
    if (rule !== this.#rule) this.#endRow(rule);
    this.#timesInRow += 1;
    if (fingerprint !== undefined) this.#tally.note({ rule, fingerprint });
  }

  get isChanged(): boolean {
    return this.#times !== undefined || this.#timesInRow > 0;
  }

  /** The new text, and where something was taken out of it; the same string where nothing was changed. Tells the tally; to be called once, at the end. */
  finish(): Glance {
    this.#endRow('');
    if (this.#oldSeams !== undefined) this.#carrySeams(this.#oldSeams, this.#source.length);
    return new Glance(this.#finishText(), { seams: this.#seams, work: this.#work });
  }

  #finishText(): string {
    if (this.#times === undefined || this.#writer === undefined) return this.#source;
    for (const [rule, times] of this.#times) this.#tally.add(this.#step, rule, times);
    this.#writer.copy(this.#decided, this.#source.length);
    return this.#writer.finish();
  }

  /** Those of what comes next. */
  #addSeams(seams: Seams, place: number): void {
    for (let index = 0; index < seams.count; index += 1) (this.#seams ??= new Seams()).add(place + seams.at(index));
  }

  /** Those before a place of the source, to where they are in the new text. Those in what was replaced are gone with it. */
  #carrySeams(seams: Seams, end: number): void {
    const length = this.#writer?.length ?? 0;
    for (; this.#nextSeam < seams.count && seams.at(this.#nextSeam) <= end; this.#nextSeam += 1) {
      const ahead = seams.at(this.#nextSeam) - this.#decided;
      if (ahead >= 0) (this.#seams ??= new Seams()).add(length + ahead);
    }
  }

  #endRow(next: string): void {
    if (this.#timesInRow > 0) {
      this.#times ??= new Map();
      this.#times.set(this.#rule, (this.#times.get(this.#rule) ?? 0) + this.#timesInRow);
    }
    this.#rule = next;
    this.#timesInRow = 0;
  }
}

/** Also remembers what stood where: for a text that has to be found again in its source. */
export class MappingRewriter extends TextRewriter {
  readonly changes = new ChangeMap();
  #cause: Cause;

  constructor(source: Glance, step: TextStepName, tally: Tally) {
    super(source, step, tally);
    this.#cause = { step, rule: '' };
  }

  override replace(start: number, end: number, change: Change): void {
    super.replace(start, end, change);
    if (change.rule !== this.#cause.rule) this.#cause = { step: this.#cause.step, rule: change.rule };
    this.changes.add({ start, end, viewLength: change.by.length, cause: this.#cause });
  }
}
