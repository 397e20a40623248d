import type { ErrorCode } from '@devs/core';
import type { Stage } from './stage.ts';

/** How an attack ended. */
export interface Finding {
  readonly held: boolean;
  /** What stopped it, or how it got through. */
  readonly stoppedBy: string;
  /** In the call log; null where no tool was called. */
  readonly callId: string | null;
}

export interface Attack {
  /** What the attacker does, in one line. */
  readonly title: string;
  run(stage: Stage): Promise<Finding>;
}

export interface AttackGroup {
  readonly title: string;
  readonly attacks: readonly Attack[];
  /** How many of them run at the same time, each with a devs of its own. Default: one after the other. */
  readonly atOnce?: number;
}

/** What must be found in the log, under an id that was not there before. */
export interface Expected {
  readonly code: ErrorCode;
}

/** Held when the log has one new call, refused or failed with this code, and no answer holds the secret. */
export async function judge(stage: Stage, answers: readonly unknown[], { code }: Expected): Promise<Finding> {
  const call = await stage.newestCall();
  if (answers.length === 0) return { held: false, stoppedBy: 'nothing was answered', callId: call?.id ?? null };
  if (JSON.stringify(answers).includes(stage.secret)) {
    return { held: false, stoppedBy: 'the answer holds the secret', callId: call?.id ?? null };
  }
  if (call === undefined) return { held: false, stoppedBy: 'it is not in the log', callId: null };
  return { held: call.code === code, stoppedBy: call.code ?? `nothing: ${call.status}`, callId: call.id };
}

/** Of what never becomes a call: held when `isRefused` says so of what came back. */
export function refusedBefore(isRefused: boolean, stoppedBy: string): Finding {
  return { held: isRefused, stoppedBy: isRefused ? stoppedBy : `nothing: ${stoppedBy}`, callId: null };
}
