import { ERROR_CODES, isRecord, type AgentLogEntry, type AgentSource, type Enforcement, type ErrorCode, type Guarantee, type Json, type SanitizationSummary, type ToolResult } from '@devs/core';

/** A call as it lies in the store: its latest record, and the payload of its start. Nothing is known of these texts yet. */
export interface StoredCall {
  readonly seq: number;
  /** Hexadecimal. */
  readonly leaf: string;
  /** JSON, unless somebody has damaged it. */
  readonly header: string;
  readonly payload: string | null;
  /** Of its start, where the latest record is another one. Null: there is none, or it is gone. */
  readonly startPayload: string | null;
}

/** Stands for what is not there, or is not what devs writes. */
export const UNREADABLE = '[not readable: the stored text is not what devs writes]';

const STATUSES: ReadonlySet<unknown> = new Set(['ok', 'error', 'denied', 'withheld', 'unknown'] satisfies AgentLogEntry['status'][]);
const GUARANTEES: ReadonlySet<unknown> = new Set(['files', 'network', 'processes', 'memory', 'privilege'] satisfies Guarantee[]);
const CHANNELS: ReadonlySet<unknown> = new Set(['stdio', 'http', 'cli', 'library'] satisfies AgentLogEntry['channel'][]);

/** An object, or undefined for any other text. Never throws. */
export function parseObject(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A call as the log tells it. Nothing that stands there is taken on trust: a damaged record is shown as one, so that it
 * hides no other. Never throws.
 */
export function toEntry(call: StoredCall): AgentLogEntry {
  const header = parseObject(call.header) ?? {};
  const payload = parsePayload(call.payload);
  const receipt = { seq: call.seq, leaf: call.leaf };
  return { ...toFields(header), ...toOutcome(header, payload), ...toInput(call, payload), receipt };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : UNREADABLE;
}

function toFields(header: Record<string, unknown>) {
  const { parentCallId, turnIndex, channel, agentSource } = header;
  return {
    id: textOf(header['callId']),
    toolName: textOf(header['toolName']),
    agentId: textOf(header['agentId']),
    turnIndex: typeof turnIndex === 'number' ? turnIndex : -1,
    phaseId: textOf(header['phaseId']),
    epicId: textOf(header['epicId']),
    taskId: textOf(header['taskId']),
    principal: textOf(header['principal']),
    // Of a damaged record: the one that promises least.
    channel: isChannel(channel) ? channel : 'library',
    parentCallId: typeof parentCallId === 'string' ? parentCallId : null,
    ...(isAgentSource(agentSource) && { agentSource }),
    rule: textOf(header['rule']),
    timestamp: textOf(header['timestamp']),
  } as const;
}

function toOutcome(header: Record<string, unknown>, payload: Payload | undefined) {
  const { isError, code, durationMs } = header;
  const detail = payload?.['detail'];
  return {
    status: toStatus(header),
    isError: typeof isError === 'boolean' ? isError : null,
    code: isCode(code) ? code : null,
    durationMs: typeof durationMs === 'number' ? durationMs : null,
    ...toEnforcement(header['enforcement']),
    detail: typeof detail === 'string' ? detail : null,
    output: toOutput(payload),
    sanitization: toSanitization(payload?.['sanitization']),
  } as const;
}

/** `unknown` of a damaged record: nobody knows how its call ended. */
function toStatus({ kind, status }: Record<string, unknown>): AgentLogEntry['status'] {
  if (kind === 'call.started') return 'started';
  return isStatus(status) ? status : 'unknown';
}

/** Of a damaged record nothing is promised. */
function toEnforcement(value: unknown): { readonly enforcement?: Enforcement } {
  if (!isRecord(value)) return {};
  const { by, guarantees } = value;
  return { enforcement: { by: textOf(by), guarantees: Array.isArray(guarantees) ? guarantees.filter(isGuarantee) : [] } };
}

function toOutput(payload: Payload | undefined): ToolResult | null {
  const output = payload?.['output'];
  if (output === undefined || output === null) return null;
  return isToolResult(output) ? output : { content: [{ type: 'text', text: UNREADABLE }] };
}

function toSanitization(value: unknown): SanitizationSummary {
  return { ...(isRecord(value) ? value : {}), truncated: isRecord(value) && value['truncated'] === true };
}

/** An outcome repeats the input only where it differs from that of the start. */
function toInput({ payload: latest, startPayload }: StoredCall, payload: Payload | undefined) {
  const isRepeated = payload !== undefined && 'input' in payload;
  const told = isRepeated ? payload : parsePayload(startPayload);
  const receivedInput = told?.['receivedInput'] ?? null;
  return { input: told?.['input'] ?? null, receivedInput, ...toResponses(told), isErased: latest === null || told === undefined };
}

function toResponses(told: Payload | undefined): Pick<AgentLogEntry, 'inputResponses'> {
  const inputResponses = told?.['inputResponses'];
  return isJson(inputResponses) ? { inputResponses } : {};
}

/** What was parsed from JSON is some. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}

type Payload = Record<string, unknown>;

/** Undefined: there is none. One that is damaged says so of all that it may have held. */
function parsePayload(payload: string | null): Payload | undefined {
  if (payload === null) return undefined;
  return parseObject(payload) ?? { input: UNREADABLE, output: UNREADABLE, detail: UNREADABLE };
}

function isToolResult(value: unknown): value is ToolResult {
  return isRecord(value) && Array.isArray(value['content']) && value['content'].every((block) => isRecord(block) && typeof block['type'] === 'string');
}

function isAgentSource(value: unknown): value is AgentSource {
  return value === 'claimed' || value === 'clientInfo';
}

function isGuarantee(value: unknown): value is Guarantee {
  return GUARANTEES.has(value);
}

function isStatus(value: unknown): value is AgentLogEntry['status'] {
  return STATUSES.has(value);
}

function isChannel(value: unknown): value is AgentLogEntry['channel'] {
  return CHANNELS.has(value);
}

function isCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
}
