import type { Json } from '../json.ts';
import type { Permit } from '../policy/decide.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { Call } from './call.ts';
import { statusOf, type Outcome } from './outcome.ts';
import type { AgentLogIntent, AgentLogRecord } from './types.ts';

export interface CallEnd {
  readonly outcome: Outcome;
  readonly output: ToolResult;
  /** Undefined when the call never came so far. */
  readonly permit: Permit | undefined;
  /** What was asked by a call that got no permit. */
  readonly refusedInput: Json;
  readonly durationMs: number;
}

/** What is written before the tool runs. */
export function toIntent(call: Call, permit: Permit): AgentLogIntent {
  return { ...describeCall(call), input: permit.args, receivedInput: permit.received, rule: permit.rule };
}

function describeCall(call: Call): Omit<AgentLogIntent, 'input' | 'receivedInput' | 'rule'> {
  const { context, origin } = call;
  return {
    id: call.id,
    toolName: call.toolName,
    agentId: context.agentId,
    turnIndex: context.turnIndex,
    phaseId: context.phaseId,
    epicId: context.epicId,
    taskId: context.taskId ?? '',
    principal: origin.principal,
    channel: origin.channel,
    parentCallId: origin.parentCallId ?? null,
    timestamp: call.timestamp,
  };
}

/** What is written on every path (TAS-072). */
export function toRecord(call: Call, end: CallEnd): AgentLogRecord {
  const { outcome, output, permit, refusedInput, durationMs } = end;
  const refused = outcome.kind === 'refused';
  return {
    ...describeCall(call),
    input: permit === undefined ? refusedInput : permit.args,
    receivedInput: permit?.received ?? null,
    rule: permit?.rule ?? '',
    status: statusOf(outcome),
    isError: output.isError === true,
    code: refused ? outcome.code : null,
    detail: refused ? outcome.detail : null,
    output,
    durationMs,
    sanitization: { truncated: !refused && outcome.report.truncated },
  };
}
