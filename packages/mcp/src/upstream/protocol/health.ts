import type { Peer } from './peer.ts';
import type { Timers } from './timers.ts';

export interface HealthOptions {
  readonly peer: Peer;
  readonly timers: Timers;
  /** Asks for what every server of its protocol answers. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
}

/** So many requests in a row that nobody could wait for, and not one answer between them. */
const MOST_UNANSWERED = 3;
const PROBE_MS = 10_000;

/**
 * Ends a connection whose server hangs. Three requests in a row without an answer may be long work, so
 * it is asked then for what every server answers at once; one that leaves that open too is ended, and
 * whatever starts it again does.
 */
export function watchHealth({ peer, timers, probe }: HealthOptions): void {
  let unanswered = 0;
  let isAsked = false;
  const ask = async () => {
    isAsked = true;
    // An error is an answer, too.
    const isThere = await withDeadline(timers, PROBE_MS, probe).then(
      () => true,
      () => unanswered === 0,
    );
    isAsked = false;
    if (!isThere) await peer.end();
  };
  peer.onAnswered = () => {
    unanswered = 0;
  };
  peer.onAbandoned = () => {
    unanswered += 1;
    if (unanswered >= MOST_UNANSWERED && !isAsked) void ask();
  };
}

/** Runs it with a signal that aborts after the time. */
export async function withDeadline<Result>(timers: Timers, milliseconds: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const late = new AbortController();
  const done = new AbortController();
  void timers.sleep(milliseconds, done.signal).then(() => late.abort());
  try {
    return await work(late.signal);
  } finally {
    done.abort();
  }
}
