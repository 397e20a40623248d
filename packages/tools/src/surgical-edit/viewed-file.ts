import type { Alteration, TextView } from '@devs/core';

/** A file as the agent is shown it, and what of that is not what the file says. */
export class ViewedFile {
  readonly bytes: Uint8Array;
  readonly view: TextView;
  readonly text: string;
  /** Taken once: a view makes them anew each time. */
  readonly #alterations: readonly Alteration[];

  constructor(bytes: Uint8Array, view: TextView) {
    this.bytes = bytes;
    this.view = view;
    this.text = view.text;
    this.#alterations = view.alterations;
  }

  /** True when the edge lies inside something that only stands for the source as a whole. */
  isInside(edge: number): boolean {
    const last = this.#alterations[this.#countBefore(edge) - 1];
    return last !== undefined && last.end > edge;
  }

  /** What is altered between two edges; what was taken out right at one of them is outside. */
  alterationsIn(start: number, end: number): readonly Alteration[] {
    const alterations = this.#alterations;
    const found: Alteration[] = [];
    for (let index = this.#countBefore(start); index < alterations.length; index += 1) {
      const alteration = alterations[index];
      if (alteration === undefined || alteration.start >= end) break;
      if (alteration.end > start) found.push(alteration);
    }
    return found;
  }

  /** True when the file itself holds this text, not only as something that stands for something else. */
  holds(wanted: string): boolean {
    for (let start = this.text.indexOf(wanted); start !== -1; start = this.text.indexOf(wanted, start + wanted.length)) {
      if (this.#visibleIn(start, start + wanted.length) === undefined) return true;
    }
    return false;
  }

  /** True when this text stands anywhere for something else. */
  shows(text: string): boolean {
    return this.#alterations.some(({ start, end }) => end > start && this.text.slice(start, end) === text);
  }

  #visibleIn(start: number, end: number): Alteration | undefined {
    return this.alterationsIn(start, end).find((alteration) => alteration.end > alteration.start);
  }

  /** How many alterations begin before this unit. */
  #countBefore(unit: number): number {
    const alterations = this.#alterations;
    let low = 0;
    let high = alterations.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((alterations[middle]?.start ?? 0) < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
