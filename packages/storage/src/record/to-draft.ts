import { hash } from 'node:crypto';
import type { AgentLogIntent, AgentLogRecord, CallStatus, Guarantee } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { CallHeader } from '../chain/header.ts';
import type { CallDraft } from '../chain/seal.ts';
import { toStoredInput, toStoredOutput, type StoredJson } from './stored-json.ts';

/** Printable ASCII: a prefix of it is a range of it, and no terminal is surprised by it. */
const CALL_ID = /^[\x21-\x7e]{8,128}$/;

/** Of one text in a header. All of them together stay well below what `verify` takes for a header that devs has written. */
const MOST_CHARACTERS = 65_536;

const GUARANTEES: readonly Guarantee[] = ['files', 'network', 'processes', 'memory', 'privilege'];

const STATUSES: readonly CallStatus[] = ['ok', 'error', 'denied', 'withheld'];

/** UTF-16 units up to which an input is kept to be compared; of a longer one its hash. */
const SHORT_INPUT = 512;

/** Stands for a number that is none, in `turnIndex` and `durationMs`: both are never negative. */
const NOT_A_NUMBER = -1;

type CallFields = Omit<CallHeader, 'v' | 'seq' | 'prev' | 'kind' | 'payload'>;

/** What a start has said, for as long as its call is open. */
export interface KnownStart {
  readonly seq: number;
  /** Two inputs are the same text when these are equal. */
  readonly inputKey: string;
}

/** A start, made text: nothing that its caller does to its objects afterwards changes it. */
export interface PreparedStart {
  readonly callId: string;
  readonly inputKey: string;
  readonly draft: CallDraft;
}

/** An outcome, made text. What it says of its start is known only when it is written. */
export interface PreparedOutcome {
  readonly callId: string;
  /** Of the texts, roughly: what it takes while it waits. */
  readonly size: number;
  toDraft(start: KnownStart | undefined): CallDraft;
}

export function isCallId(id: unknown): id is string {
  return typeof id === 'string' && CALL_ID.test(id);
}

/** @throws AgentLogError `invalid` when the id cannot be one. */
export function prepareStart(intent: AgentLogIntent): PreparedStart {
  const input = toStoredInput(intent.input);
  const beside = toBeside(intent);
  const header = { kind: 'call.started' as const, ...toFields(intent), ...formsOf(input, beside) };
  return { callId: intent.id, inputKey: keyOf(input, beside), draft: { header, payload: `{${toMembers(input, beside)}}` } };
}

/** @throws AgentLogError `invalid` when the id cannot be one. */
export function prepareOutcome(record: AgentLogRecord): PreparedOutcome {
  const input = toStoredInput(record.input);
  const beside = toBeside(record);
  const output = toStoredOutput(record.output);
  const fields = toOutcomeFields(record);
  const kind = record.status === 'denied' ? ('call.denied' as const) : ('call.finished' as const);
  const forms = { ...formsOf(input, beside), outputForm: output.form, outputBytes: output.originalBytes };
  const detail = JSON.stringify(toNullableText(record.detail));
  const rest = `"output":${output.text},"detail":${detail},"sanitization":${toStoredInput(record.sanitization).text}}`;
  const inputKey = keyOf(input, beside);
  return {
    callId: record.id,
    size: input.text.length + (beside.responses?.text.length ?? 0) + rest.length,
    toDraft: (start) => ({
      header: { kind, ...fields, started: start?.seq ?? null, ...forms },
      // The input is stored once a call: an outcome repeats it only where it differs from the start's.
      payload: start?.inputKey === inputKey ? `{${rest}` : `{${toMembers(input, beside)},${rest}`,
    }),
  };
}

function toOutcomeFields(record: AgentLogRecord) {
  return {
    ...toFields(record),
    status: toStatus(record.status),
    isError: record.isError === true,
    code: toNullableText(record.code),
    durationMs: toDuration(record.durationMs),
    ...toEnforcement(record.enforcement),
  };
}

/** Of what is there, the words: it stands in a header, which is never erased. */
function toEnforcement(enforcement: AgentLogRecord['enforcement']): Pick<CallHeader, 'enforcement'> {
  if (enforcement === null || enforcement === undefined) return {};
  const { by, guarantees } = enforcement;
  return { enforcement: { by: toText(by), guarantees: GUARANTEES.filter((guarantee) => guarantees.includes(guarantee)) } };
}

function toFields(intent: AgentLogIntent): Omit<CallFields, 'inputForm' | 'inputBytes'> {
  // Nothing can be filed without an id; anything else that is odd is stored, marked as such.
  if (!isCallId(intent.id)) throw new AgentLogError('invalid');
  return {
    timestamp: toText(intent.timestamp),
    callId: intent.id,
    toolName: toText(intent.toolName),
    agentId: toText(intent.agentId),
    turnIndex: toTurnIndex(intent.turnIndex),
    phaseId: toText(intent.phaseId),
    epicId: toText(intent.epicId),
    taskId: toText(intent.taskId),
    principal: toText(intent.principal),
    channel: toText(intent.channel),
    parentCallId: toNullableText(intent.parentCallId),
    ...toAgentSource(intent.agentSource),
    rule: toText(intent.rule),
  };
}

/** Absent where it is neither: a header says nothing that nobody has said. */
function toAgentSource(agentSource: unknown): Pick<CallHeader, 'agentSource'> {
  return agentSource === 'claimed' || agentSource === 'clientInfo' ? { agentSource } : {};
}

/** What came beside an input, where there is any. */
interface Beside {
  readonly received: StoredJson | undefined;
  readonly responses: StoredJson | undefined;
}

/** Undefined of an embedder that does not know of it. */
function toBeside({ receivedInput, inputResponses }: AgentLogIntent): Beside {
  return { received: toStoredIfAny(receivedInput), responses: toStoredIfAny(inputResponses) };
}

function toStoredIfAny(value: unknown): StoredJson | undefined {
  return value === null || value === undefined ? undefined : toStoredInput(value);
}

function formsOf(input: StoredJson, { received, responses }: Beside) {
  return {
    inputForm: input.form,
    inputBytes: input.originalBytes,
    ...(received !== undefined && { receivedInputForm: received.form }),
    ...(responses !== undefined && { inputResponsesForm: responses.form }),
  };
}

function toMembers(input: StoredJson, { received, responses }: Beside): string {
  return `"input":${input.text}${memberOf('receivedInput', received)}${memberOf('inputResponses', responses)}`;
}

function memberOf(name: string, stored: StoredJson | undefined): string {
  return stored === undefined ? '' : `,"${name}":${stored.text}`;
}

/** Two answers under one input are two: the one of the start must not stand for the other. */
function keyOf({ text }: StoredJson, { responses }: Beside): string {
  const whole = responses === undefined ? text : `${text}\n${responses.text}`;
  return whole.length <= SHORT_INPUT ? whole : hash('sha256', whole, 'base64');
}

function toText(value: unknown): string {
  if (typeof value !== 'string') return `[${value === null ? 'null' : typeof value}]`;
  const text = value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}[cut]` : value;
  return text.toWellFormed();
}

/** What an outcome can be called. @throws AgentLogError `invalid`: nobody could say later how such a call ended */
function toStatus(status: unknown): CallStatus {
  const known = STATUSES.find((each) => each === status);
  if (known === undefined) throw new AgentLogError('invalid');
  return known;
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
