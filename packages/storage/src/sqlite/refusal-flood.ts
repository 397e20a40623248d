import type { AgentLogRecord } from '@devs/core';

/** Refusals of one principal for one reason that are written one by one, within a minute. */
const WRITTEN_A_MINUTE = 100;
const WINDOW_MS = 60_000;
/** Principals are proven, so they are few; were they not, memory would be what a flood takes. */
const MOST_FLOODS = 1_000;
/** UTF-16 units of a principal that a count names. */
const MOST_CHARACTERS = 200;
const OTHERS = '(others)';
const OTHERS_KEY = JSON.stringify([OTHERS, null]);

/** Refusals that are not written one by one: how many, and when the first and the last came. */
export interface CoalescedRefusals {
  readonly principal: string;
  readonly code: string | null;
  readonly count: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly from: string;
  readonly to: string;
}

interface Flood {
  readonly principal: string;
  readonly code: string | null;
  startedAt: number;
  written: number;
  pending: { count: number; from: string; to: string } | undefined;
}

/**
 * Whoever asks for what it may not have, thousands of times a second, would fill the disk with its refusals, and then
 * nobody could call anything. What is beyond the first hundred a minute is counted. Only refusals: what has run is
 * written, however often.
 */
export class RefusalFloods {
  readonly #floods = new Map<string, Flood>();
  /** Monotonic milliseconds. */
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** True when the record is counted, and nothing else is to be written of it. */
  counts({ status, principal, code, timestamp }: AgentLogRecord): boolean {
    if (status !== 'denied') return false;
    const flood = this.#find(principal, code);
    if (flood.written < WRITTEN_A_MINUTE) {
      flood.written += 1;
      return false;
    }
    const { count, from } = flood.pending ?? { count: 0, from: timestamp };
    flood.pending = { count: count + 1, from, to: timestamp };
    return true;
  }

  /** What has been counted and not been taken yet. */
  take(): readonly CoalescedRefusals[] {
    const taken = [...this.#floods.values()].flatMap(({ principal, code, pending }) => (pending === undefined ? [] : [{ principal, code, ...pending }]));
    for (const [key, flood] of this.#floods) {
      flood.pending = undefined;
      if (this.#now() - flood.startedAt >= WINDOW_MS) this.#floods.delete(key);
    }
    return taken;
  }

  /** What could not be written is counted on. */
  putBack({ principal, code, count, from, to }: CoalescedRefusals): void {
    const flood = this.#find(principal, code);
    const { pending } = flood;
    flood.pending = { count: count + (pending?.count ?? 0), from, to: pending?.to ?? to };
  }

  #find(named: string, code: string | null): Flood {
    const principal = named.slice(0, MOST_CHARACTERS).toWellFormed();
    const key = JSON.stringify([principal, code]);
    const known = this.#floods.get(key);
    const now = this.#now();
    if (known !== undefined && now - known.startedAt < WINDOW_MS) return known;
    // Its window is over; what it has still counted is taken by the next `take`.
    if (known !== undefined) {
      Object.assign(known, { startedAt: now, written: 0 });
      return known;
    }
    if (this.#floods.size >= MOST_FLOODS) this.#forgetOver(now);
    // One for all the rest: a flood of names must not be the way out of being counted.
    if (this.#floods.size >= MOST_FLOODS && key !== OTHERS_KEY) return this.#find(OTHERS, null);
    const flood: Flood = { principal, code, startedAt: now, written: 0, pending: undefined };
    this.#floods.set(key, flood);
    return flood;
  }

  #forgetOver(now: number): void {
    for (const [key, { startedAt, pending }] of this.#floods) {
      if (pending === undefined && now - startedAt >= WINDOW_MS) this.#floods.delete(key);
    }
  }
}
