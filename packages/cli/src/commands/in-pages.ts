import type { AgentLogQuery } from '@devs/core';

/** Answers with their payloads, which are read at once: a thousand of the largest would fill the memory of a small machine. */
const MOST_AT_ONCE = 20;

export interface Page<Found> {
  readonly found: readonly Found[];
  /** Where the next page begins. Undefined: there is none. */
  readonly next: number | undefined;
}

export interface Shown {
  readonly shown: number;
  /** Where what is left begins. Undefined: there is nothing left. */
  readonly next: number | undefined;
}

/**
 * Shows what answers a query as it is found. A call that ends between two pages is newer than all of them from then on,
 * like one that comes meanwhile.
 */
export async function showInPages<Found>(
  query: AgentLogQuery,
  ask: (query: AgentLogQuery) => Promise<Page<Found>>,
  show: (found: Found) => Promise<void>,
): Promise<Shown> {
  let shown = 0;
  let from = query;
  for (;;) {
    const limit = Math.min(MOST_AT_ONCE, query.limit - shown);
    const { found, next } = await ask({ ...from, limit });
    for (const each of found) await show(each);
    shown += found.length;
    // A page that is not full has ended early for a reason of its own.
    if (next === undefined || found.length < limit || shown === query.limit) return { shown, next };
    from = { ...query, before: next };
  }
}
