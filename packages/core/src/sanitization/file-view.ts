import type { Encoding } from '../protocol/decode.ts';
import { ChangeMap, composeMaps, type Cause, type MappedChange } from './change-map.ts';
import { MappingRewriter } from './rewriter.ts';
import { isInsidePair, readSource, type SourceText } from './source-text.ts';
import { Tally } from './tally.ts';
import type { TextStep } from './text-step.ts';
import type { Alteration, ByteRange, TextView } from './text-view.ts';

/** Steps that put a mark of devs in the place of what they find. */
const MARKING: ReadonlySet<string> = new Set(['secrets', 'tags', 'triggers', 'links']);

const BAD_BYTES: Cause = { step: 'decode', rule: 'bad-bytes' };

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
  readonly #changes: ChangeMap;

  constructor(source: SourceText, { steps, tally }: { steps: readonly TextStep[]; tally: Tally }) {
    let text = source.text;
    let changes = badPlaces(source);
    for (const step of steps) {
      const rewriter = new MappingRewriter(text, step.name, tally);
      step.rewrite(text, rewriter);
      text = rewriter.finish();
      changes = composeMaps(changes, rewriter.changes, isMark);
    }
    this.text = text;
    this.#source = source;
    this.#changes = changes;
  }

  /** Made anew each time: of a hostile file there are millions, and most who ask for a view never ask for them. */
  get alterations(): readonly Alteration[] {
    return Array.from({ length: this.#changes.length }, (_, index) => this.#alterationAt(index));
  }

  sourceOf(start: number, end: number): ByteRange {
    if (!(start >= 0 && end >= start && end <= this.text.length)) throw new RangeError('Not a piece of the view.');
    if (isInsidePair(this.text, start) || isInsidePair(this.text, end)) throw new RangeError('An edge inside a character.');
    const last = this.#sourceEnd(end);
    return start === end ? { start: last, end: last } : { start: this.#sourceStart(start), end: last };
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

  #alterationAt(index: number): Alteration {
    const { viewStart: start, viewEnd: end, sourceStart, sourceEnd, cause } = this.#changes.at(index);
    const source = { start: this.#source.byteAt(sourceStart), end: this.#source.byteAt(sourceEnd) };
    return { start, end, source, kind: isMark(cause) ? 'masked' : 'altered' };
  }

  /** The byte behind the left edge of a piece of the view; what was taken out there stays outside. */
  #sourceStart(place: number): number {
    const count = this.#changes.countBefore(({ viewEnd }) => viewEnd > place);
    if (count < this.#changes.length) this.#refuseWithin(place, this.#changes.at(count));
    return this.#source.byteAt(place + this.#changes.shiftAfter(count));
  }

  #sourceEnd(place: number): number {
    const count = this.#changes.countBefore(({ viewStart }) => viewStart >= place);
    if (count > 0) this.#refuseWithin(place, this.#changes.at(count - 1));
    return this.#source.byteAt(place + this.#changes.shiftAfter(count));
  }

  #refuseWithin(place: number, { viewStart, viewEnd }: MappedChange): void {
    if (viewStart < place && place < viewEnd) throw new RangeError('An edge inside what stands for other bytes.');
  }

  #shownFrom(unit: number): number {
    const { count, around } = this.#around(unit);
    if (around === undefined) return unit - this.#changes.shiftAfter(count);
    return isMark(around.cause) ? around.viewStart : around.viewEnd;
  }

  #shownTo(unit: number): number {
    const { count, around } = this.#around(unit);
    return around === undefined ? unit - this.#changes.shiftAfter(count) : around.viewEnd;
  }

  /** The change that a place of the source lies inside, if it does, and how many end before. */
  #around(unit: number): { count: number; around: MappedChange | undefined } {
    const count = this.#changes.countBefore(({ sourceEnd }) => sourceEnd > unit);
    const next = count < this.#changes.length ? this.#changes.at(count) : undefined;
    return { count, around: next !== undefined && next.sourceStart < unit ? next : undefined };
  }

  #count(first: number, last: number, tally: Tally): void {
    for (let index = this.#changes.countBefore(({ sourceEnd }) => sourceEnd > first); index < this.#changes.length; index += 1) {
      const { sourceStart, cause } = this.#changes.at(index);
      if (sourceStart >= last) return;
      tally.add(cause.step, cause.rule);
    }
  }
}

/** Bad bytes are changed as soon as they are decoded: each is a unit of the text that stands for other bytes. */
function badPlaces(source: SourceText): ChangeMap {
  const changes = new ChangeMap();
  for (const unit of source.badUnits()) changes.add({ start: unit, end: unit + 1, viewLength: 1, cause: BAD_BYTES });
  return changes;
}
