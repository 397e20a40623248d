import type { OutputConfig } from '../config/output-config.ts';
import type { GuardedArguments } from '../tool-registry/guard-paths.ts';
import type { ToolLabel } from '../tool-registry/types.ts';

/** The call whose output goes on, to be judged again when it is read on. */
export interface AskedCall {
  readonly toolName: string;
  readonly checked: GuardedArguments;
  /** What its text was cleaned of, beyond what every text is. */
  readonly extras: ExtraSteps;
  /** What the answer was labelled beside its tool's labels: a page of it is no more trusted than its beginning. */
  readonly labels: readonly ToolLabel[];
  /** A boundary was asked for. */
  readonly isBound: boolean;
}

/** Which of the steps are taken that not every text takes. */
export interface ExtraSteps {
  /** Boundary tags and triggers are redacted. */
  readonly isBounded: boolean;
  readonly links: OutputConfig['links'];
}

/** Whether a text of which some steps were taken needs no more of them. */
export function includes(taken: ExtraSteps, asked: ExtraSteps): boolean {
  return (taken.isBounded || !asked.isBounded) && (taken.links === 'mark' || asked.links === 'keep');
}
