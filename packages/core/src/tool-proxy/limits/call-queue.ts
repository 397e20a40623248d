import { hasRoom, hasSharedRoom, takeAll, waitMs, type Needs } from './needs.ts';
import { RoundRobin } from './round-robin.ts';

/** A call in the queue. */
export interface Waiting {
  readonly needs: Needs;
  /** Calls of one kind need the same. */
  readonly kind: string;
  /** What principals take turns at: the widest that the call shares with others. */
  readonly turnsAt: string;
  readonly round: number;
  /** The order in which they came. */
  readonly number: number;
  readonly begin: () => void;
}

/** Calls that wait. Of those that there is room for, the one goes first whose principal has its turn at what they share. */
export class CallQueue {
  /** Calls of one kind stand behind each other, and only the first of each is looked at. */
  readonly #kinds = new Map<string, Set<Waiting>>();
  readonly #rounds = new Map<string, RoundRobin>();
  #number = 0;

  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  add(needs: Needs, begin: () => void): Waiting {
    const { principal, isChild, server, tool } = needs;
    const kind = JSON.stringify([principal.name, isChild, server ?? null, tool ?? null]);
    const turnsAt = JSON.stringify(server === undefined ? ['tool', tool ?? null] : ['server', server]);
    const rounds = this.#rounds.get(turnsAt) ?? new RoundRobin();
    this.#rounds.set(turnsAt, rounds);
    this.#number += 1;
    const waiting = { needs, kind, turnsAt, round: rounds.join(principal.name), number: this.#number, begin };
    const others = this.#kinds.get(kind) ?? new Set();
    this.#kinds.set(kind, others.add(waiting));
    principal.waiting += 1;
    return waiting;
  }

  /** Its turn has come, or nobody waits for it any more. Says whether it was queued. */
  remove(waiting: Waiting): boolean {
    const { kind, turnsAt, needs: { principal } } = waiting;
    const others = this.#kinds.get(kind);
    if (others?.delete(waiting) !== true) return false;
    if (others.size === 0) this.#kinds.delete(kind);
    const rounds = this.#rounds.get(turnsAt);
    rounds?.leave(principal.name);
    if (rounds?.isEmpty === true) this.#rounds.delete(turnsAt);
    principal.waiting -= 1;
    if (principal.owed === waiting) principal.owed = undefined;
    return true;
  }

  /** Lets begin whose turn it is, one after the other, as long as there is room for any. */
  admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      // Before it leaves: the last of a queue takes the count of its rounds with it.
      this.#rounds.get(next.turnsAt)?.goOn(next.round);
      this.remove(next);
      takeAll(next.needs);
      next.begin();
    }
  }

  /** Milliseconds until there is room for one although no call ends; Infinity: there will not be. */
  get nextMs(): number {
    return Math.min(...this.#first().map((waiting) => waitMs(waiting.needs, waiting)));
  }

  #next(): Waiting | undefined {
    const ready = new Map<string, Waiting>();
    for (const waiting of this.#first()) {
      const { needs, turnsAt, round } = waiting;
      const best = ready.get(turnsAt);
      if (hasRoom(needs, waiting)) {
        if (best === undefined || round < best.round) ready.set(turnsAt, waiting);
      } else if (waiting.number < (needs.principal.owed?.number ?? Infinity) && !needs.isChild && hasSharedRoom(needs)) {
        needs.principal.owed = waiting;
      }
    }
    // At different things nobody takes turns: who came first goes first.
    return [...ready.values()].sort((one, other) => one.number - other.number)[0];
  }

  /** Of each kind, in the order in which they came. */
  #first(): readonly Waiting[] {
    return [...this.#kinds.values()].flatMap(([waiting]) => waiting ?? []).sort((one, other) => one.number - other.number);
  }
}
