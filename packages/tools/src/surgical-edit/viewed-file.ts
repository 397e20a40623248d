import type { Alteration, TextView } from '@devs/core';
import { heldMarks } from '../marks.ts';

/** A file as the agent is shown it, and what of that is not what the file says. */
export class ViewedFile {
  readonly bytes: Uint8Array;
  readonly view: TextView;
  readonly text: string;
  readonly #isAltered: boolean;
  /** What was asked before: the same is asked for each of 100,000 matches. */
  readonly #shown = new Map<string, boolean>();
  readonly #held = new Map<string, boolean>();
  #marks: ReadonlySet<string> | undefined;

  constructor(bytes: Uint8Array, view: TextView) {
    this.bytes = bytes;
    this.view = view;
    this.text = view.text;
    this.#isAltered = view.alterationCount > 0;
  }

  /** Marks that are text of the file itself: nothing is behind them. */
  get marks(): ReadonlySet<string> {
    this.#marks ??= heldMarks(this.view);
    return this.#marks;
  }

  /** True when the edge lies inside something that only stands for the source as a whole. */
  isInside(edge: number): boolean {
    return this.#isAltered && !this.view.isEdge(edge);
  }

  /** The byte at which a unit of the view begins, or what it is a part of. */
  byteAt(unit: number): number {
    if (!this.isInside(unit)) return this.view.sourceOf(unit, unit).start;
    for (const { source } of this.alterationsIn(unit, unit)) return source.start;
    return this.byteAt(unit - 1);
  }

  /** True when something is altered between two edges; what was taken out right at one of them is outside. */
  isAlteredIn(start: number, end: number): boolean {
    return this.#isAltered && this.alterationsIn(start, end)[Symbol.iterator]().next().done !== true;
  }

  alterationsIn(start: number, end: number): Iterable<Alteration> {
    return this.view.alterationsIn(start, end);
  }

  /** True when the file itself holds this text, not only as something that stands for something else. */
  holds(wanted: string): boolean {
    return remember(this.#held, wanted, () => this.#findHeld(wanted));
  }

  /** True when this text stands anywhere for something else. */
  shows(wanted: string): boolean {
    return remember(this.#shown, wanted, () => this.#findShown(wanted));
  }

  #findHeld(wanted: string): boolean {
    for (let start = this.text.indexOf(wanted); start !== -1; start = this.text.indexOf(wanted, start + wanted.length)) {
      if (!this.#isVisiblyAltered(start, start + wanted.length)) return true;
    }
    return false;
  }

  #findShown(wanted: string): boolean {
    if (!this.text.includes(wanted)) return false;
    for (const { start, end } of this.alterationsIn(-1, Infinity)) {
      if (end - start === wanted.length && this.text.startsWith(wanted, start)) return true;
    }
    return false;
  }

  #isVisiblyAltered(start: number, end: number): boolean {
    for (const alteration of this.alterationsIn(start, end)) {
      if (alteration.end > alteration.start) return true;
    }
    return false;
  }
}

function remember(known: Map<string, boolean>, wanted: string, find: () => boolean): boolean {
  const answer = known.get(wanted) ?? find();
  known.set(wanted, answer);
  return answer;
}
