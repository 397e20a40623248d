import type { AgentLogIntent, AgentLogRecord } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { RecordRow } from './rows.ts';
import { toStoredInput, toStoredOutput } from './stored-json.ts';

/** Printable ASCII: a prefix of it is a range of it, and no terminal is surprised by it. */
const CALL_ID = /^[\x21-\x7e]{8,128}$/;

const MOST_CHARACTERS = 65_536;

/** Stands for a number that is none, in `turn_index` and `duration_ms`: both are never negative. */
const NOT_A_NUMBER = -1;

export function isCallId(id: unknown): id is string {
  return typeof id === 'string' && CALL_ID.test(id);
}

function toText(value: unknown): string {
  if (typeof value !== 'string') return `[${value === null ? 'null' : typeof value}]`;
  const text = value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}[cut]` : value;
  return text.toWellFormed();
}

function toNullableText(value: unknown): string | null {
  return value === null || value === undefined ? null : toText(value);
}

function toTurnIndex(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : NOT_A_NUMBER;
}

function toDuration(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : NOT_A_NUMBER;
}

function toCallColumns(intent: AgentLogIntent) {
  // Nothing can be filed without an id; anything else that is odd is stored, marked as such.
  if (!isCallId(intent.id)) throw new AgentLogError('invalid');
  const input = toStoredInput(intent.input);
  return {
    call_id: intent.id,
    tool_name: toText(intent.toolName),
    agent_id: toText(intent.agentId),
    turn_index: toTurnIndex(intent.turnIndex),
    phase_id: toText(intent.phaseId),
    epic_id: toText(intent.epicId),
    task_id: toText(intent.taskId),
    principal: toText(intent.principal),
    channel: intent.channel,
    parent_call_id: toNullableText(intent.parentCallId),
    rule: toText(intent.rule),
    timestamp: toText(intent.timestamp),
    input: input.text,
    input_form: input.form,
    ...toReceivedColumns(intent.receivedInput),
  };
}

/** What came, where lenient validation made the input of it. Undefined of an embedder that does not know of it. */
function toReceivedColumns(received: unknown): Pick<RecordRow, 'received_input' | 'received_input_form'> {
  const stored = received === null || received === undefined ? undefined : toStoredInput(received);
  return { received_input: stored?.text ?? null, received_input_form: stored?.form ?? null };
}

/** @throws AgentLogError `invalid` when the id cannot be one. */
export function toStartedRow(intent: AgentLogIntent): RecordRow {
  return {
    ...toCallColumns(intent),
    kind: 'started',
    status: 'started',
    is_error: null,
    code: null,
    duration_ms: null,
    detail: null,
    sanitization: null,
    output_form: null,
    output: null,
  };
}

/** @throws AgentLogError `invalid` when the id cannot be one. */
export function toOutcomeRow(record: AgentLogRecord): RecordRow {
  const output = toStoredOutput(record.output);
  return {
    ...toCallColumns(record),
    kind: record.status === 'denied' ? 'denied' : 'finished',
    status: record.status,
    is_error: record.isError ? 1 : 0,
    code: record.code,
    duration_ms: toDuration(record.durationMs),
    detail: toNullableText(record.detail),
    sanitization: toStoredInput(record.sanitization).text,
    output_form: output.form,
    output: output.text,
  };
}
