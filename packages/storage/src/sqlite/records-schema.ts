/**
 * One chain of records. The header holds all that can be asked for, and the columns are read out of it: they cannot
 * say anything else than what is hashed. `payload` and `salt` may be erased, and nothing else ever changes.
 */
const RECORDS = `CREATE TABLE records (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  leaf BLOB NOT NULL CHECK (length(leaf) = 32),
  header TEXT NOT NULL,
  salt BLOB CHECK (length(salt) = 16),
  payload TEXT CHECK ((payload IS NULL) = (salt IS NULL)),
  kind TEXT AS (header ->> '$.kind') VIRTUAL,
  timestamp TEXT AS (header ->> '$.timestamp') VIRTUAL,
  call_id TEXT AS (header ->> '$.callId') VIRTUAL,
  tool_name TEXT AS (header ->> '$.toolName') VIRTUAL,
  agent_id TEXT AS (header ->> '$.agentId') VIRTUAL,
  phase_id TEXT AS (header ->> '$.phaseId') VIRTUAL,
  epic_id TEXT AS (header ->> '$.epicId') VIRTUAL,
  status TEXT AS (header ->> '$.status') VIRTUAL,
  duration_ms REAL AS (header ->> '$.durationMs') VIRTUAL
) STRICT`;

/**
 * Calls that began and have no outcome, and which session of devs runs them. Kept beside the chain, which says the
 * same, so that nobody has to read all of it to find them; `verify` holds the two against each other.
 */
const OPEN_CALLS = `CREATE TABLE open_calls (
  call_id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  session TEXT NOT NULL
) STRICT, WITHOUT ROWID`;

/** An outcome is a record with a status: one a call. */
const INDEXES = [
  "CREATE UNIQUE INDEX records_start ON records (call_id) WHERE kind = 'call.started'",
  'CREATE UNIQUE INDEX records_outcome ON records (call_id) WHERE status IS NOT NULL',
  'CREATE INDEX records_tool ON records (tool_name) WHERE status IS NOT NULL',
  'CREATE INDEX records_agent ON records (agent_id) WHERE status IS NOT NULL',
  'CREATE INDEX records_phase ON records (phase_id) WHERE status IS NOT NULL',
  'CREATE INDEX records_epic ON records (epic_id) WHERE status IS NOT NULL',
  "CREATE INDEX records_status ON records (status) WHERE status IS NOT NULL AND status <> 'ok'",
  'CREATE INDEX records_time ON records (timestamp) WHERE status IS NOT NULL',
  'CREATE INDEX records_stats ON records (tool_name, status, duration_ms, timestamp) WHERE status IS NOT NULL',
  'CREATE INDEX records_facts ON records (kind) WHERE call_id IS NULL',
];

/** Taken away, and put back, by the one who prunes: in one transaction. */
export const NO_DELETE = `CREATE TRIGGER records_no_delete BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'devs: the call log is append only'); END`;

const ERASE_ONLY = `CREATE TRIGGER records_erase_only BEFORE UPDATE ON records
WHEN NEW.seq IS NOT OLD.seq OR NEW.leaf IS NOT OLD.leaf OR NEW.header IS NOT OLD.header OR NEW.payload IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'devs: the call log is append only'); END`;

// No trigger stands before an insert: there SQLite would read every column out of the header twice, a fifth of what a call
// costs the log. So another program may replace a row by `INSERT OR REPLACE`, which asks no DELETE trigger: the chain tells.

/** One row a call, for whoever reads the log with another program. An outcome whose input equals that of its start does not repeat it. */
const CALLS = `CREATE VIEW agent_logs AS
WITH latest AS (
  SELECT seq, header, payload, header ->> '$.started' AS start FROM records WHERE status IS NOT NULL
  UNION ALL
  SELECT records.seq, header, payload, NULL FROM open_calls JOIN records ON records.seq = open_calls.seq
)
SELECT latest.seq AS seq,
  latest.header ->> '$.callId' AS id,
  latest.header ->> '$.toolName' AS tool_name,
  latest.header ->> '$.agentId' AS agent_id,
  latest.header ->> '$.turnIndex' AS turn_index,
  latest.header ->> '$.phaseId' AS phase_id,
  latest.header ->> '$.epicId' AS epic_id,
  coalesce(latest.payload -> '$.input', started.payload -> '$.input') AS input,
  latest.payload -> '$.output' AS output,
  latest.header ->> '$.durationMs' AS duration_ms,
  latest.header ->> '$.isError' AS is_error,
  latest.header ->> '$.timestamp' AS timestamp,
  coalesce(latest.header ->> '$.status', 'started') AS status,
  latest.header ->> '$.code' AS code,
  latest.payload ->> '$.detail' AS detail,
  latest.header ->> '$.rule' AS rule,
  latest.header ->> '$.taskId' AS task_id,
  latest.header ->> '$.principal' AS principal,
  latest.header ->> '$.channel' AS channel,
  latest.header ->> '$.parentCallId' AS parent_call_id,
  latest.payload -> '$.sanitization' AS sanitization,
  latest.header ->> '$.inputForm' AS input_form,
  latest.header ->> '$.outputForm' AS output_form,
  coalesce(latest.payload -> '$.receivedInput', started.payload -> '$.receivedInput') AS received_input,
  latest.header ->> '$.receivedInputForm' AS received_input_form
FROM latest LEFT JOIN records AS started ON started.seq = latest.start`;

/** What makes the chain; what was written without one is taken over by `import-records.ts`. */
export const CHAIN: readonly string[] = [RECORDS, OPEN_CALLS, ...INDEXES, NO_DELETE, ERASE_ONLY, CALLS];
