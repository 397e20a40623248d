import type { AuditEvent, AuditEventName } from '../audit/events.ts';
import { describeErrorCode } from '../error-codes.ts';
import type { Outcome, Refused } from './outcome.ts';
import type { AgentLogRecord } from './call/types.ts';

/** The one event of a call, derived from how it ended. */
export function toEvent(record: AgentLogRecord, outcome: Outcome): AuditEvent {
  const { toolName, agentId, turnIndex, id: callId, durationMs, isError } = record;
  const shared = { toolName, agentId, turnIndex, callId, durationMs, isError };
  if (outcome.kind === 'completed') return { event: 'TOOL_EXECUTED', ...shared };
  return { event: nameOf(outcome), ...shared, code: outcome.code, error: outcome.detail };
}

function nameOf({ code }: Refused): AuditEventName {
  if (code === 'UNKNOWN_TOOL' || code === 'TOOL_ARG_VALIDATION_FAILURE') return code;
  const { status } = describeErrorCode(code);
  if (status === 'error') return 'TOOL_EXECUTION_ERROR';
  return status === 'withheld' ? 'OUTPUT_WITHHELD' : 'TOOL_CALL_REFUSED';
}
