import type { LinkedRecord } from './chain-walk.ts';
import { describe } from './read-header.ts';
import { tampered, type Problem } from './report.ts';

/** Calls that are open at once. devs itself has a few. */
const MOST_OPEN = 65_536;

/** Ended calls: at least the latest of this many are remembered, at most twice as many. */
const LATEST_ENDED = 65_536;

/**
 * One start and one outcome a call. Exact for what is open; of calls that have ended, the latest are remembered: a
 * database knows of all by its unique indexes, and an export by its links.
 */
export class Calls {
  /** Id and `seq` of the start. */
  readonly #open = new Map<string, number>();
  readonly #ended = new Latest();
  #isExact = true;

  get open(): ReadonlyMap<string, number> {
    return this.#open;
  }

  /** Whether `open` holds all of them. */
  get isExact(): boolean {
    return this.#isExact;
  }

  /** @param first the first record that was read: a call may have begun before it */
  check({ header: { kind, members }, record: { seq } }: LinkedRecord, first: number): Problem | undefined {
    const { callId, started, status } = members;
    if (typeof callId !== 'string') return undefined;
    if (kind === 'call.started') return this.#begin(callId, seq);
    return status === undefined ? undefined : this.#end(callId, { seq, started, first });
  }

  #begin(callId: string, seq: number): Problem | undefined {
    if (this.#open.has(callId) || this.#ended.has(callId)) return tampered(seq, 'calls', `record ${seq} begins a call that the log has already`);
    this.#open.set(callId, seq);
    if (this.#open.size > MOST_OPEN) this.#forgetOpen();
    return undefined;
  }

  #end(callId: string, { seq, started, first }: { readonly seq: number; readonly started: unknown; readonly first: number }): Problem | undefined {
    const start = this.#open.get(callId);
    if (this.#ended.has(callId)) return tampered(seq, 'calls', `record ${seq} is the second outcome of a call`);
    const isBefore = typeof started === 'number' && Number.isSafeInteger(started) && started > 0 && (started < first || !this.#isExact);
    if (start === undefined ? started !== null && !isBefore : start !== started) {
      return tampered(seq, 'calls', `record ${seq} names record ${describe(started)} as the start of its call, and that is not it`);
    }
    this.#open.delete(callId);
    this.#ended.add(callId);
    return undefined;
  }

  #forgetOpen(): void {
    this.#open.clear();
    this.#isExact = false;
  }
}

/** In two generations: to drop the oldest of a set one by one takes longer the more it has dropped. */
class Latest {
  #young = new Set<string>();
  #old: ReadonlySet<string> = new Set();

  has(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id);
  }

  add(id: string): void {
    this.#young.add(id);
    if (this.#young.size < LATEST_ENDED) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}
