/**
 * A piece of a pattern: takes one item, or is `run`, which takes any number of them. The items are the
 * characters of a name, or the names of a path.
 */
export type Piece<Item> = 'run' | ((item: Item, effort: Effort) => boolean);

/** Steps after which other calls get their turn. */
const STEPS_OF_A_TURN = 1_000_000;

/** What comparing names may still cost, in steps. Shared by all comparisons of one search. */
export class Effort {
  #left: number;
  #turnEnds: number;

  constructor(steps: number) {
    this.#left = steps;
    this.#turnEnds = steps - STEPS_OF_A_TURN;
  }

  /** True when it is used up: from then on nothing fits. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** True once a turn. */
  isDue(): boolean {
    if (this.#left > this.#turnEnds) return false;
    this.#turnEnds = this.#left - STEPS_OF_A_TURN;
    return true;
  }

  spend(): void {
    this.#left -= 1;
  }
}

/**
 * Whether the pieces take all items. Only the last `run` is ever tried again, so it takes at most
 * pieces x items steps: as a regular expression, `*a*a*a*a*b` would take items to the power of the stars.
 */
export function takesAll<Item>(pieces: readonly Piece<Item>[], items: readonly Item[], effort: Effort): boolean {
  let at = 0;
  let piece = 0;
  // Where to go on when the rest does not fit: after the last run, which then takes one item more.
  let afterRun = -1;
  let runEnds = 0;
  while (at < items.length) {
    if (effort.isSpent) return false;
    effort.spend();
    const next = pieces[piece];
    const item = items[at];
    if (next === 'run') {
      piece += 1;
      afterRun = piece;
      runEnds = at;
    } else if (next !== undefined && item !== undefined && next(item, effort)) {
      piece += 1;
      at += 1;
    } else if (afterRun === -1) {
      return false;
    } else {
      runEnds += 1;
      piece = afterRun;
      at = runEnds;
    }
  }
  return pieces.slice(piece).every((left) => left === 'run');
}
