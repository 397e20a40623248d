import type { RecordRow } from '../record/rows.ts';

/** The input is stored once a call: an outcome repeats it only where it differs from the start's. */
const INPUT_UNLESS_STARTED = `CASE WHEN EXISTS (
  SELECT 1 FROM agent_log_records WHERE call_id = @call_id AND kind = 'started' AND input = @input
) THEN NULL ELSE @input END`;

/** What is stored in each column; a column that is missing does not compile. */
const VALUES: { readonly [Column in keyof RecordRow]: string } = {
  call_id: '@call_id',
  kind: '@kind',
  tool_name: '@tool_name',
  agent_id: '@agent_id',
  turn_index: '@turn_index',
  phase_id: '@phase_id',
  epic_id: '@epic_id',
  task_id: '@task_id',
  principal: '@principal',
  channel: '@channel',
  parent_call_id: '@parent_call_id',
  rule: '@rule',
  timestamp: '@timestamp',
  status: '@status',
  is_error: '@is_error',
  code: '@code',
  duration_ms: '@duration_ms',
  detail: '@detail',
  sanitization: '@sanitization',
  input_form: '@input_form',
  output_form: '@output_form',
  input: INPUT_UNLESS_STARTED,
  output: '@output',
  received_input: '@received_input',
  received_input_form: '@received_input_form',
};

/**
 * Inserts a `RecordRow` given as named parameters. The one statement that is written by hand: it never
 * varies, and the builder of the others costs a start more time than the rest of the log together.
 */
export const INSERT_RECORD = `INSERT INTO agent_log_records (${Object.keys(VALUES).join(', ')}) VALUES (${Object.values(VALUES).join(', ')})`;
