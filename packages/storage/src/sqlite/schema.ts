import type Database from 'better-sqlite3';
import { importRecords } from './import-records.ts';
import { CHAIN } from './records-schema.ts';

/** `PRAGMA application_id`, so that no other program's file is taken for a log: 'devs' in ASCII. */
export const APPLICATION_ID = 0x64_65_76_73;

/**
 * Append only: nothing changes or leaves. `seq` is the order in which records were written. A call
 * that ran has a `started` row and an outcome; one refused before that has its `denied` row alone.
 */
const RECORDS = `CREATE TABLE agent_log_records (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  call_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('started', 'finished', 'denied')),
  tool_name TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  turn_index INTEGER NOT NULL,
  phase_id TEXT NOT NULL,
  epic_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  principal TEXT NOT NULL,
  channel TEXT NOT NULL,
  parent_call_id TEXT,
  rule TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('started', 'ok', 'error', 'denied', 'withheld')),
  is_error INTEGER CHECK (is_error IN (0, 1)),
  code TEXT,
  duration_ms REAL,
  detail TEXT,
  sanitization TEXT,
  input_form TEXT NOT NULL,
  output_form TEXT,
  input TEXT,
  output TEXT
) STRICT`;

const INDEXES = [
  'CREATE UNIQUE INDEX agent_log_records_call ON agent_log_records (call_id, kind)',
  'CREATE INDEX agent_log_records_tool ON agent_log_records (tool_name)',
  'CREATE INDEX agent_log_records_agent ON agent_log_records (agent_id)',
  'CREATE INDEX agent_log_records_status ON agent_log_records (status)',
];

// Looked at before the insert: `INSERT OR REPLACE` deletes the row in its way without a DELETE trigger.
const ONCE = `CREATE TRIGGER agent_log_records_once BEFORE INSERT ON agent_log_records
WHEN EXISTS (SELECT 1 FROM agent_log_records AS known WHERE known.seq = NEW.seq)
  OR EXISTS (
    SELECT 1 FROM agent_log_records AS known
    WHERE known.call_id = NEW.call_id AND (NEW.kind = 'started' OR known.kind <> 'started')
  )
BEGIN SELECT RAISE(ABORT, 'devs: already recorded'); END`;

const APPEND_ONLY = ['UPDATE', 'DELETE'].map(
  (change) => `CREATE TRIGGER agent_log_records_no_${change.toLowerCase()} BEFORE ${change} ON agent_log_records
BEGIN SELECT RAISE(ABORT, 'devs: the call log is append only'); END`,
);

const COLUMNS_OF_A_CALL = `output, duration_ms, is_error, timestamp, status, code, detail, rule, task_id, principal, channel,
  parent_call_id, sanitization, input_form, output_form`;

/**
 * One row a call: its latest record. An outcome whose input equals that of its start does not repeat it.
 * `more` is what later versions have besides.
 */
function callsView(more: string): string {
  return `CREATE VIEW agent_logs AS
SELECT latest.seq AS seq, latest.call_id AS id, tool_name, agent_id, turn_index, phase_id, epic_id,
  coalesce(latest.input, (
    SELECT started.input FROM agent_log_records AS started
    WHERE started.call_id = latest.call_id AND started.kind = 'started'
  )) AS input,
  ${COLUMNS_OF_A_CALL}${more}
FROM agent_log_records AS latest
WHERE latest.kind <> 'started' OR NOT EXISTS (
  SELECT 1 FROM agent_log_records AS outcome
  WHERE outcome.call_id = latest.call_id AND outcome.kind <> 'started'
)`;
}

/** What came, where lenient validation made `input` of it: rare, so an outcome repeats it. */
const RECEIVED_INPUT = [
  'ALTER TABLE agent_log_records ADD COLUMN received_input TEXT',
  'ALTER TABLE agent_log_records ADD COLUMN received_input_form TEXT',
  'DROP VIEW agent_logs',
  callsView(', received_input, received_input_form'),
];

/** From here on the records are a chain. What stays of the deleted rows in free pages is overwritten: see `secure_delete`. */
const TO_CHAIN = ['DROP VIEW agent_logs', ...CHAIN, importRecords, 'DROP TABLE agent_log_records'];

/** A statement, or what no statement can do. */
export type MigrationStep = string | ((database: Database.Database) => void);

/**
 * What leads from one version to the next; the version is their count. Only ever add one: the schema of an existing
 * file is compared with what these make.
 */
export const MIGRATIONS: readonly (readonly MigrationStep[])[] = [
  [RECORDS, ...INDEXES, ONCE, ...APPEND_ONLY, callsView('')],
  RECEIVED_INPUT,
  TO_CHAIN,
];
