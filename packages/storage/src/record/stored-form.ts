import type { AgentLogEntry, CallStatus, Origin } from '@devs/core';

export type RecordKind = 'started' | 'finished' | 'denied';

/**
 * How a stored value stands to the one that came. A mark inside the value could be forged by whoever
 * sends it; this is a column of its own.
 */
export type StoredForm = 'exact' | 'truncated' | 'described';

/** What both kinds of rows say of a call: the columns of `agent_log_records`, in their order. */
interface CallColumns {
  readonly tool_name: string;
  readonly agent_id: string;
  readonly turn_index: number;
  readonly phase_id: string;
  readonly epic_id: string;
  readonly task_id: string;
  readonly principal: string;
  readonly channel: Origin['channel'];
  readonly parent_call_id: string | null;
  readonly rule: string;
  readonly timestamp: string;
  readonly status: CallStatus | 'started';
  readonly is_error: 0 | 1 | null;
  readonly code: AgentLogEntry['code'];
  readonly duration_ms: number | null;
  readonly detail: string | null;
  /** JSON. */
  readonly sanitization: string | null;
  readonly input_form: StoredForm;
  readonly output_form: StoredForm | null;
  /** JSON. */
  readonly output: string | null;
  /** JSON: what came, where `input` was made of it. */
  readonly received_input: string | null;
  readonly received_input_form: StoredForm | null;
}

/** A row to insert. */
export interface RecordRow extends CallColumns {
  readonly call_id: string;
  readonly kind: RecordKind;
  /** JSON. */
  readonly input: string;
}

/** A row of the view `agent_logs`: one call, as its latest record tells it. */
export interface CallRow extends CallColumns {
  /** Of the latest record: a larger one is newer. */
  readonly seq: number;
  readonly id: string;
  readonly input: string | null;
}
