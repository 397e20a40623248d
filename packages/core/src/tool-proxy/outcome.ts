import { describeErrorCode, type ErrorCode } from '../error-codes.ts';
import { describeCause, DevsError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { SanitizationReport } from '../sanitization/results/sanitization-context.ts';
import type { Clean } from '../sanitization/sanitize-tool-result.ts';
import type { CallStatus } from './call/types.ts';

/** The tool ran and gave a result, its own `isError` included. */
export interface Completed {
  readonly kind: 'completed';
  readonly result: Clean<ToolResult>;
  readonly report: SanitizationReport;
}

/** The tool did not run, failed, or its output is kept back. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly reason: Clean<string>;
  readonly suggestion: Clean<string> | undefined;
  /** What helps a machine to make the call right: which arguments are wrong, and how they have to be. */
  readonly repair: Clean<JsonObject> | undefined;
  /** For the operator: code, sentence and cause. */
  readonly detail: string;
}

export type Outcome = Completed | Refused;

const MAX_DETAIL_CHARACTERS = 2_000;

/** How what devs says is made fit to be read: it quotes the caller, and the schemas of others. */
export interface RefusalCleaning {
  readonly sentence: (sentence: string) => Clean<string>;
  readonly repair: (repair: JsonObject) => Clean<JsonObject> | undefined;
  /** For the operator's eyes, its secrets masked: an operating system's or a server's words may hold one. */
  readonly detail: (detail: string) => string;
}

/** What a tool throws says nothing to the agent, unless it is one of devs's own words for tools. */
export function toToolError(cause: unknown): DevsError {
  if (DevsError.is(cause) && describeErrorCode(cause.code).thrownByTools) return cause;
  return new DevsError('TOOL_EXECUTION_ERROR', { cause });
}

/** Anything thrown on the way becomes a refusal; what is not devs's own says nothing of itself to the agent. */
export function toRefused(cause: unknown, clean: RefusalCleaning): Refused {
  const error = DevsError.is(cause) ? cause : new DevsError('INTERNAL_ERROR', { cause });
  return {
    kind: 'refused',
    code: error.code,
    reason: clean.sentence(error.sentence),
    suggestion: error.suggestion === undefined ? undefined : clean.sentence(error.suggestion),
    repair: error.repair === undefined ? undefined : clean.repair(error.repair),
    // Masked before it is cut: half a secret is not recognised.
    detail: clean.detail(describeCause(error)).slice(0, MAX_DETAIL_CHARACTERS).toWellFormed(),
  };
}

export function statusOf(outcome: Outcome): CallStatus {
  if (outcome.kind === 'refused') return describeErrorCode(outcome.code).status;
  return outcome.result.isError === true ? 'error' : 'ok';
}
