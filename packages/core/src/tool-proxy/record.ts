import type { Json } from '../json.ts';
import type { Permit } from '../policy/decide.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { Enforcement } from '../tool-registry/confinement.ts';
import type { Call } from './call/call.ts';
import { cutName, showName } from './open-call.ts';
import { statusOf, type Outcome } from './outcome.ts';
import { toLoggedInput } from './logged-input.ts';
import type { AgentLogIntent, AgentLogRecord } from './call/types.ts';

/** Masks what the log must not hold. */
export interface LogMask {
  valueForLog(value: Json, toolName: string): Json;
  textForLog(text: string, toolName: string): string;
}

export interface CallEnd {
  readonly outcome: Outcome;
  readonly output: ToolResult;
  readonly intent: AgentLogIntent;
  readonly durationMs: number;
  readonly enforcement: Enforcement | null;
}

/** What is known before the tool runs. Its secrets are masked. */
export function toIntent(call: Call, permit: Permit, mask: LogMask): AgentLogIntent {
  const { args, received, rule } = permit;
  const receivedInput = received === null ? null : mask.valueForLog(received, call.toolName);
  return { ...describeCall(call, mask), input: mask.valueForLog(args, call.toolName), receivedInput, rule };
}

/** The same of a call that got no permit. @param input as the log may keep it, but for secrets */
export function toRefusedIntent(call: Call, input: Json, mask: LogMask): AgentLogIntent {
  return { ...describeCall(call, mask), input: mask.valueForLog(input, call.toolName), receivedInput: null, rule: '' };
}

function describeCall(call: Call, mask: LogMask): Omit<AgentLogIntent, 'input' | 'receivedInput' | 'rule'> {
  const { context, origin, toolName } = call;
  // Names and claims are the caller's words as much as its arguments.
  const textOf = (text: string) => mask.textForLog(text, toolName);
  return {
    id: call.id,
    toolName: showName(textOf(cutName(call.askedName))),
    agentId: textOf(context.agentId),
    turnIndex: context.turnIndex,
    phaseId: textOf(context.phaseId),
    epicId: textOf(context.epicId),
    taskId: textOf(context.taskId ?? ''),
    principal: textOf(origin.principal),
    channel: origin.channel,
    parentCallId: origin.parentCallId === undefined ? null : textOf(origin.parentCallId),
    ...(origin.agentSource !== undefined && { agentSource: origin.agentSource }),
    timestamp: call.timestamp,
    ...describeAnswers(call, mask),
  };
}

/** The client's words, as its arguments are. Absent where there are none: a record of a call in one round is as it ever was. */
function describeAnswers({ inputResponses, passthrough, toolName }: Call, mask: LogMask): Pick<AgentLogIntent, 'inputResponses'> {
  const checked = passthrough.continuation?.inputResponses;
  if (checked !== undefined) return { inputResponses: mask.valueForLog(checked, toolName) };
  if (inputResponses === undefined) return {};
  const kept = toLoggedInput(inputResponses, (text) => mask.textForLog(text, toolName));
  return { inputResponses: mask.valueForLog(kept, toolName) };
}

/** What is written on every path (TAS-072). */
export function toRecord({ outcome, output, intent, durationMs, enforcement }: CallEnd): AgentLogRecord {
  const refused = outcome.kind === 'refused';
  return {
    ...intent,
    status: statusOf(outcome),
    isError: output.isError === true,
    code: refused ? outcome.code : null,
    detail: refused ? outcome.detail : null,
    output,
    enforcement,
    durationMs,
    sanitization: refused ? { truncated: false } : outcome.report,
  };
}
