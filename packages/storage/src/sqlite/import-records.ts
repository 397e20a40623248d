import type Database from 'better-sqlite3';
import type { CallHeader } from '../chain/header.ts';
import { NO_LEAF } from '../chain/header.ts';
import { Salts, type StoredRecord } from '../chain/record.ts';
import { seal, type CallDraft } from '../chain/seal.ts';
import type { StoredForm } from '../chain/stored-form.ts';

/** A row of the table that devs wrote before there was a chain. */
interface OlderRow {
  readonly call_id: string;
  readonly kind: 'started' | 'finished' | 'denied';
  readonly tool_name: string;
  readonly agent_id: string;
  readonly turn_index: number;
  readonly phase_id: string;
  readonly epic_id: string;
  readonly task_id: string;
  readonly principal: string;
  readonly channel: CallHeader['channel'];
  readonly parent_call_id: string | null;
  readonly rule: string;
  readonly timestamp: string;
  readonly status: CallHeader['status'] | 'started';
  readonly is_error: 0 | 1 | null;
  readonly code: Exclude<CallHeader['code'], undefined>;
  readonly duration_ms: number | null;
  readonly detail: string | null;
  readonly sanitization: string | null;
  readonly input_form: StoredForm;
  readonly output_form: StoredForm | null;
  readonly input: string | null;
  readonly output: string | null;
  readonly received_input: string | null;
  readonly received_input_form: StoredForm | null;
}

/** The session of calls that an older devs left open: nobody runs them any more. */
const OLDER_SESSION = 'older';

/**
 * Takes over what was written without a chain, in its order. Each record says that it was: what it tells was not
 * provable before, and from here on it is.
 */
export function importRecords(database: Database.Database): void {
  const salts = new Salts();
  const starts = new Map<string, number>();
  const insert = database.prepare<[number, Uint8Array, string, Uint8Array | null, string | null]>('INSERT INTO records (seq, leaf, header, salt, payload) VALUES (?, ?, ?, ?, ?)');
  let [seq, prev] = [0, NO_LEAF];
  // Whole, because no statement may write while another reads; what was written before this is small.
  for (const row of database.prepare<[], OlderRow>('SELECT * FROM agent_log_records ORDER BY seq').all()) {
    seq += 1;
    const record = seal(toDraft(row, starts.get(row.call_id)), { seq, prev }, salts);
    insert.run(...toColumns(record));
    prev = record.leafHex;
    if (row.kind === 'started') starts.set(row.call_id, seq);
    else starts.delete(row.call_id);
  }
  const open = database.prepare<[string, number, string]>('INSERT INTO open_calls (call_id, seq, session) VALUES (?, ?, ?)');
  for (const [callId, started] of starts) open.run(callId, started, OLDER_SESSION);
}

export function toColumns({ seq, leaf, header, salt, payload }: StoredRecord): [number, Uint8Array, string, Uint8Array | null, string | null] {
  return [seq, leaf, header, salt, payload];
}

function toDraft(row: OlderRow, started: number | undefined): CallDraft {
  const { kind, timestamp, call_id: callId, tool_name: toolName, agent_id: agentId, turn_index: turnIndex } = row;
  const { phase_id: phaseId, epic_id: epicId, task_id: taskId, principal, channel, parent_call_id: parentCallId, rule } = row;
  const call = { timestamp, callId, toolName, agentId, turnIndex, phaseId, epicId, taskId, principal, channel, parentCallId, rule };
  const forms = {
    inputForm: row.input_form,
    inputBytes: Buffer.byteLength(row.input ?? ''),
    ...(row.received_input_form !== null && { receivedInputForm: row.received_input_form }),
    ...(row.output_form !== null && { outputForm: row.output_form, outputBytes: Buffer.byteLength(row.output ?? '') }),
    imported: true as const,
  };
  return { header: { kind: `call.${kind}`, ...call, ...outcomeOf(row, started), ...forms }, payload: payloadOf(row) };
}

function outcomeOf(row: OlderRow, started: number | undefined): Partial<CallHeader> {
  if (row.status === undefined || row.status === 'started') return {};
  const { status, code, duration_ms: durationMs } = row;
  return { status, isError: row.is_error === 1, code, ...(durationMs !== null && { durationMs }), started: started ?? null };
}

/** Its texts are JSON already; one that is not was not written by devs, and is kept as a text. */
function payloadOf(row: OlderRow): string {
  const members = [
    ...memberOf('input', row.input),
    ...memberOf('receivedInput', row.received_input),
    ...(row.kind === 'started' ? [] : memberOf('output', row.output ?? 'null')),
    ...(row.kind === 'started' ? [] : [`"detail":${JSON.stringify(row.detail)}`]),
    ...(row.kind === 'started' ? [] : memberOf('sanitization', row.sanitization ?? '{"truncated":false}')),
  ];
  return `{${members.join(',')}}`;
}

function memberOf(name: string, text: string | null): readonly string[] {
  return text === null ? [] : [`"${name}":${isJson(text) ? text : JSON.stringify(text)}`];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
