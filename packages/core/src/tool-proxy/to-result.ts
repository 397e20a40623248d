import { describeErrorCode } from '../error-codes.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { Enforcement } from '../tool-registry/confinement.ts';
import type { Outcome, Refused } from './outcome.ts';
import type { AgentLogReceipt } from './call/types.ts';

/** Where a refusal is told to machines. The words are in the content, for the model. */
export const REFUSAL_META_KEY = 'devs/refusal';

/** Where an answer says which record tells of it. */
export const RECEIPT_META_KEY = 'devs/receipt';

/** One way out: every error result of the gate is built here. */
export function toResult(outcome: Outcome, callId: string): ToolResult {
  return outcome.kind === 'completed' ? outcome.result : toErrorResult(outcome, callId);
}

/** Where an answer says what held its tool. */
export const ENFORCEMENT_META_KEY = 'devs/enforcement';

export interface AnswerEvidence {
  readonly receipt: AgentLogReceipt | undefined;
  readonly enforcement: Enforcement | null;
}

/**
 * The answer with its place in the log, and with what held its tool. It is written there without: the place is known only
 * afterwards, and the rest stands in the record's own field.
 */
export function withEvidence(result: ToolResult, { receipt, enforcement }: AnswerEvidence): ToolResult {
  if (receipt === undefined && enforcement === null) return result;
  const held = enforcement === null ? {} : { [ENFORCEMENT_META_KEY]: { by: enforcement.by, guarantees: [...enforcement.guarantees] } };
  const kept = receipt === undefined ? {} : { [RECEIPT_META_KEY]: { ...receipt } };
  return { ...result, _meta: { ...result._meta, ...held, ...kept } };
}

function toErrorResult(refused: Refused, callId: string): ToolResult {
  const { status, retryAllowed } = describeErrorCode(refused.code);
  const { code, reason, suggestion, repair = {} } = refused;
  const id = status === 'withheld' ? `Call id: ${callId}.` : '';
  const text = [reason, suggestion, id].filter(Boolean).join(' ');
  const content = [{ type: 'error', text }] as const;
  // A tool that failed was not refused: clients tell the two apart by this key.
  if (status === 'error') return { isError: true, content };
  const refusal = { ...repair, code, reason, ...(suggestion !== undefined && { suggestion }), retryAllowed, callId };
  return { isError: true, content, _meta: { [REFUSAL_META_KEY]: refusal } };
}
