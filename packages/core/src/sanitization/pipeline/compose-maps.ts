import { ChangeMap, type Cause, type ChangeCursor } from './change-map.ts';

/**
 * The map over two steps: `first` from a source to a text, `second` from that to another. Changes that lie over one
 * another become one, which stands for all that either stands for, and is a mark if one of them is.
 */
export function composeMaps(first: ChangeMap, second: ChangeMap, isMark: (cause: Cause) => boolean): ChangeMap {
  if (second.length === 0) return first;
  if (first.length === 0) return second;
  const composed = new ChangeMap();
  const earlier = new MiddleChanges(first.cursor(), 'view');
  const later = new MiddleChanges(second.cursor(), 'source');
  while (earlier.start < Infinity || later.start < Infinity) {
    const [sourceShift, viewShift] = [earlier.shift, later.shift];
    const opening = nextOf(earlier, later);
    const { start } = opening;
    let { end, cause } = opening;
    opening.advance();
    for (let next = nextOf(earlier, later); next.start < end; next = nextOf(earlier, later)) {
      end = Math.max(end, next.end);
      if (isMark(next.cause)) ({ cause } = next);
      next.advance();
    }
    const viewLength = end - later.shift - (start - viewShift);
    composed.add({ start: start + sourceShift, end: end + earlier.shift, viewLength, cause });
  }
  return composed;
}

/** The changes of one of the two steps, by where they lie in the text between them. */
class MiddleChanges {
  start = 0;
  end = 0;
  readonly #cursor: ChangeCursor;
  readonly #side: 'view' | 'source';

  constructor(cursor: ChangeCursor, side: 'view' | 'source') {
    this.#cursor = cursor;
    this.#side = side;
    this.#look();
  }

  get cause(): Cause {
    return this.#cursor.cause;
  }

  /** Before this change, the source of the step lies so much further on than its text. */
  get shift(): number {
    return this.#cursor.shift;
  }

  advance(): void {
    this.#cursor.advance();
    this.#look();
  }

  #look(): void {
    const { viewStart, viewEnd, sourceStart, sourceEnd } = this.#cursor;
    this.start = this.#side === 'view' ? viewStart : sourceStart;
    this.end = this.#side === 'view' ? viewEnd : sourceEnd;
  }
}

/** The one that comes first; of two at one place the empty one: what was taken out at an edge stays outside. */
function nextOf(one: MiddleChanges, other: MiddleChanges): MiddleChanges {
  const isFirst = one.start < other.start || (one.start === other.start && one.end <= other.end);
  return isFirst ? one : other;
}
