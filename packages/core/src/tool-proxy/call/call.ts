import type { DevsError } from '../../errors.ts';
import type { ToolExecutionContext } from '../../tool-registry/types.ts';
import type { ReadPassthrough } from './passthrough.ts';
import type { Origin } from './types.ts';

/** One call on its way through the gate: what was asked, read once, and what a log needs of it, checked and capped. */
export interface Call extends ReadPassthrough {
  readonly id: string;
  /** The name to look up, exactly as asked for. */
  readonly askedName: string;
  /** The name to show and to store, cleaned and capped. */
  readonly toolName: string;
  readonly args: unknown;
  readonly signal: AbortSignal | undefined;
  /** Checked. The safe defaults where the caller's claims were refused. */
  readonly context: ToolExecutionContext;
  readonly contextRefused: DevsError | undefined;
  readonly origin: Origin;
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
}

/** Wall clock for the log, monotonic clock for durations (seed 003). */
export interface Clock {
  timestamp(): string;
  monotonicMs(): number;
}

/** The machine's clocks. A timestamp is written out once a millisecond, however many calls ask for it. */
export function createSystemClock(): Clock {
  let writtenAt = Number.NaN;
  let written = '';
  return {
    timestamp: () => {
      const now = Date.now();
      if (now !== writtenAt) {
        writtenAt = now;
        written = new Date(now).toISOString();
      }
      return written;
    },
    monotonicMs: () => performance.now(),
  };
}
