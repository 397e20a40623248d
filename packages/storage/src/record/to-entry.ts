import { isRecord, type AgentLogEntry, type SanitizationSummary, type ToolResult } from '@devs/core';
import type { CallRow } from './rows.ts';

const UNREADABLE = '[not readable: the stored text is not what devs writes]';

function parse(text: string | null): unknown {
  try {
    return text === null ? UNREADABLE : JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
}

function isToolResult(value: unknown): value is ToolResult {
  return isRecord(value) && Array.isArray(value['content']);
}

function toOutput(text: string | null): ToolResult | null {
  if (text === null) return null;
  const value = parse(text);
  return isToolResult(value) ? value : { content: [{ type: 'text', text: UNREADABLE }] };
}

function toSanitization(text: string | null): SanitizationSummary {
  const value = parse(text);
  return { ...(isRecord(value) ? value : {}), truncated: isRecord(value) && value['truncated'] === true };
}

/** A call as the log tells it. A damaged row is shown as one, so that it hides no other. */
export function toEntry(row: CallRow): AgentLogEntry {
  return {
    id: row.id,
    toolName: row.tool_name,
    agentId: row.agent_id,
    turnIndex: row.turn_index,
    phaseId: row.phase_id,
    epicId: row.epic_id,
    taskId: row.task_id,
    principal: row.principal,
    channel: row.channel,
    parentCallId: row.parent_call_id,
    input: parse(row.input),
    receivedInput: row.received_input === null ? null : parse(row.received_input),
    rule: row.rule,
    timestamp: row.timestamp,
    status: row.status,
    isError: row.is_error === null ? null : row.is_error === 1,
    code: row.code,
    detail: row.detail,
    output: toOutput(row.output),
    durationMs: row.duration_ms,
    sanitization: toSanitization(row.sanitization),
  };
}
