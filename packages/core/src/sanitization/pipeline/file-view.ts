import type { Encoding } from '../../protocol/decode.ts';
import { ChangeMap, type Cause, type ChangeCursor } from './change-map.ts';
import { composeMaps } from './compose-maps.ts';
import { Glance } from './glance.ts';
import { MappingRewriter } from './rewriter.ts';
import { isInsidePair, readSource, type SourceText } from './source-text.ts';
import { Tally } from './tally.ts';
import type { TextStep } from './text-step.ts';
import type { Alteration, ByteRange, TextView } from './text-view.ts';

/** Steps that put a mark of devs in the place of what they find. */
const MARKING: ReadonlySet<string> = new Set(['secrets', 'tags', 'triggers', 'links']);

/** A file's bytes as an agent is shown them: decoded, then through each of the steps. */
export function viewBytes(bytes: Uint8Array, steps: readonly TextStep[]): TextView {
  return new FileView(readSource(bytes), { steps, tally: new Tally() });
}

export interface ShownSettings {
  /** Counts the changed places of what is shown, not those around it. */
  readonly tally: Tally;
  /** Which of the bytes are shown; the others are there so that nothing is judged by a half of it. */
  readonly shown: ByteRange;
  /** Of a piece from within a file, whose start does not tell it. */
  readonly encoding?: Encoding;
}

/**
 * What of a piece of a file stands for the bytes `shown`. A character belongs to where it begins; a mark that
 * stands for any of these bytes is given whole, so that who reads on in small steps never sees a secret in halves.
 */
export function cleanShown(bytes: Uint8Array, steps: readonly TextStep[], { tally, shown, encoding }: ShownSettings): string {
  const noted = new Tally();
  const view = new FileView(readSource(bytes, encoding), { steps, tally: noted });
  for (const finding of noted.findings) tally.note(finding);
  return view.show(shown, tally);
}

function isMark({ step }: Cause): boolean {
  return MARKING.has(step);
}

class FileView implements TextView {
  readonly text: string;
  readonly #source: SourceText;
  /** Without bad bytes: each is a unit of the text, and the text itself tells where. */
  readonly #changes: ChangeMap;
  /** Where it was looked last: most places are asked for from left to right. */
  readonly #cursor: ChangeCursor;
  #badCount: number | undefined;

  constructor(source: SourceText, { steps, tally }: { steps: readonly TextStep[]; tally: Tally }) {
    let glance = new Glance(source.text);
    let changes = new ChangeMap();
    for (const step of steps) {
      // A file is edited by what is shown of it: of the text of a page nothing would lead back to its source.
      if (step.name === 'html') continue;
      const rewriter = new MappingRewriter(glance, step.name, tally);
      step.rewrite(glance.text, rewriter, glance);
      if (!rewriter.isChanged) continue;
      glance = rewriter.finish();
      changes = composeMaps(changes, rewriter.changes, isMark);
    }
    this.text = glance.text;
    this.#source = source;
    this.#changes = changes;
    this.#cursor = changes.cursor();
  }

  get alterationCount(): number {
    this.#badCount ??= this.#countBad(0, this.#source.text.length);
    return this.#changes.length + this.#badCount;
  }

  *alterationsIn(start: number, end: number): Generator<Alteration> {
    const cursor = this.#changes.cursor();
    cursor.toView(start);
    let shown = Math.max(0, start);
    while (true) {
      yield* this.#badBytesIn(shown, Math.min(cursor.viewStart, end, this.text.length), cursor.shift);
      if (cursor.isDone || cursor.viewStart >= end) return;
      yield this.#alterationAt(cursor);
      shown = cursor.viewEnd;
      cursor.advance();
    }
  }

  isEdge(unit: number): boolean {
    if (!(unit >= 0 && unit <= this.text.length) || isInsidePair(this.text, unit)) return false;
    this.#cursor.toViewEdge(unit);
    return this.#cursor.viewStart >= unit;
  }

  sourceOf(start: number, end: number): ByteRange {
    if (!(end >= start && this.isEdge(start) && this.isEdge(end))) throw new RangeError('Not a piece of the view.');
    this.#cursor.toView(start);
    const first = this.#source.byteAt(start + this.#cursor.shift);
    this.#cursor.toViewEdge(end);
    const last = this.#source.byteAt(end + this.#cursor.shift);
    return start === end ? { start: last, end: last } : { start: first, end: last };
  }

  encode(text: string): Uint8Array {
    return this.#source.encode(text);
  }

  show(shown: ByteRange, tally: Tally): string {
    if (shown.end <= shown.start) return '';
    const [first, last] = [this.#source.unitAt(shown.start), this.#source.unitAt(shown.end)];
    this.#count(first, last, tally);
    return this.text.slice(this.#shownFrom(first), this.#shownTo(last));
  }

  #alterationAt({ viewStart: start, viewEnd: end, sourceStart, sourceEnd, cause }: ChangeCursor): Alteration {
    return { start, end, source: this.#bytesOf(sourceStart, sourceEnd), kind: isMark(cause) ? 'masked' : 'altered' };
  }

  /** Of a piece of the view in which nothing was changed. */
  *#badBytesIn(start: number, end: number, shift: number): Generator<Alteration> {
    if (!this.#source.mayBeBad) return;
    for (let unit = start; unit < end; unit += 1) {
      const sourceUnit = unit + shift;
      if (!this.#source.isBad(sourceUnit)) continue;
      yield { start: unit, end: unit + 1, source: this.#bytesOf(sourceUnit, sourceUnit + 1), kind: 'altered' };
    }
  }

  #bytesOf(first: number, last: number): ByteRange {
    return { start: this.#source.byteAt(first), end: this.#source.byteAt(last) };
  }

  #shownFrom(unit: number): number {
    const change = this.#around(unit);
    if (change === undefined) return unit - this.#cursor.shift;
    return isMark(change.cause) ? change.viewStart : change.viewEnd;
  }

  #shownTo(unit: number): number {
    return this.#around(unit)?.viewEnd ?? unit - this.#cursor.shift;
  }

  /** The change that a place of the source lies inside, if it does. */
  #around(unit: number): ChangeCursor | undefined {
    this.#cursor.toSource(unit);
    return this.#cursor.sourceStart < unit ? this.#cursor : undefined;
  }

  #count(first: number, last: number, tally: Tally): void {
    const cursor = this.#changes.cursor();
    for (cursor.toSource(first); cursor.sourceStart < last; cursor.advance()) tally.add(cursor.cause.step, cursor.cause.rule);
    const bad = this.#countBad(first, last);
    if (bad > 0) tally.add('decode', 'bad-bytes', bad);
  }

  /** Units of the source that stand for bad bytes, and that no change covers. */
  #countBad(first: number, last: number): number {
    if (!this.#source.mayBeBad) return 0;
    const cursor = this.#changes.cursor();
    let count = 0;
    cursor.toSource(first);
    for (let unit = first; unit < last; unit += 1) {
      while (cursor.sourceEnd <= unit) cursor.advance();
      if (cursor.sourceStart > unit && this.#source.isBad(unit)) count += 1;
    }
    return count;
  }
}
