import type { CallLimits } from './defaults.ts';

type Limits = Partial<CallLimits> & { readonly toolTimeoutMs?: number };

/** Limits, and the time that holds where they say none. */
export interface LimitsInForce {
  readonly limits: Limits;
  readonly toolTimeoutMs: number;
}

/** Said of limits that let through more than others. What is not said of calls is no limit. */
export function isWeakerLimits({ limits, toolTimeoutMs }: LimitsInForce, before: LimitsInForce): boolean {
  return (
    (limits.atOnce ?? Infinity) > (before.limits.atOnce ?? Infinity) ||
    (limits.perMinute ?? Infinity) > (before.limits.perMinute ?? Infinity) ||
    (limits.toolTimeoutMs ?? toolTimeoutMs) > (before.limits.toolTimeoutMs ?? before.toolTimeoutMs)
  );
}
