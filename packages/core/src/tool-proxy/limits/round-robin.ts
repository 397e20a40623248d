/**
 * Round robin: the turns that principals take at one thing. A principal's calls stand one behind the other through the rounds, so that
 * of two principals each has every second turn, however many calls one of them brings. Who comes later stands in a later
 * round than what has begun, so nobody is passed by for ever.
 */
export class RoundRobin {
  /** The last one that a call has begun of. */
  #round = 0;
  /** By principal: the last round that a call waits in, and how many wait. */
  readonly #principals = new Map<string, { last: number; waiting: number }>();

  get isEmpty(): boolean {
    return this.#principals.size === 0;
  }

  /** The round in which one more call of this principal has its turn. */
  join(principal: string): number {
    const turn = this.#principals.get(principal) ?? { last: 0, waiting: 0 };
    turn.last = Math.max(turn.last, this.#round) + 1;
    turn.waiting += 1;
    this.#principals.set(principal, turn);
    return turn.last;
  }

  leave(principal: string): void {
    const turn = this.#principals.get(principal);
    if (turn === undefined) return;
    turn.waiting -= 1;
    if (turn.waiting === 0) this.#principals.delete(principal);
  }

  goOn(round: number): void {
    this.#round = Math.max(this.#round, round);
  }
}
