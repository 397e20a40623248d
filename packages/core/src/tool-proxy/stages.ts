import type { ErrorCode } from '../error-codes.ts';

/** Where on its way a call can end, in the order of the way. */
export const STAGES = {
  message: 'reading the message that carries the call',
  context: 'reading what the caller says of itself',
  find: 'looking the tool up, among those that this caller may see',
  validate: 'holding the arguments against the schema of the tool',
  paths: 'holding the paths against the project folder and its rules',
  permit: 'asking the policy',
  begin: 'writing the call to the log, before the tool runs',
  run: 'running the tool',
  clean: 'making the output safe to read',
  append: 'writing the outcome to the log, before the answer leaves',
  fault: 'a fault of devs itself, wherever it was',
  setup: 'setting devs up',
} as const;

export type Stage = keyof typeof STAGES;

/** A code that is missing does not compile. */
const STAGE_OF: Readonly<Record<ErrorCode, Stage>> = {
  MESSAGE_REFUSED: 'message',
  MESSAGE_TOO_LARGE: 'message',
  SERVER_STOPPING: 'message',
  CONTEXT_REFUSED: 'context',
  UNKNOWN_TOOL: 'find',
  RESOURCE_NOT_FOUND: 'find',
  PROMPT_NOT_FOUND: 'find',
  TOOL_NOT_APPROVED: 'find',
  TOOL_ARG_VALIDATION_FAILURE: 'validate',
  PATH_REFUSED: 'paths',
  PATH_OUTSIDE_ROOT: 'paths',
  PATH_PROTECTED: 'paths',
  PATH_BLOCKED: 'paths',
  PATH_NOT_ALLOWED: 'paths',
  POLICY_DENIED: 'permit',
  TOO_MANY_CALLS: 'permit',
  AUDIT_UNAVAILABLE: 'begin',
  INTERNAL_ERROR: 'fault',
  TOOL_EXECUTION_ERROR: 'run',
  TOOL_TIMEOUT: 'run',
  CALL_CANCELLED: 'run',
  INPUT_STATE_REFUSED: 'run',
  UPSTREAM_UNAVAILABLE: 'run',
  UPSTREAM_LOST: 'run',
  UPSTREAM_ANSWER_REFUSED: 'run',
  CONTENT_REFUSED: 'run',
  NOT_A_REGULAR_FILE: 'run',
  NOT_A_DIRECTORY: 'run',
  FILE_NOT_FOUND: 'run',
  PERMISSION_DENIED: 'run',
  NO_SPACE: 'run',
  INVALID_RANGE: 'run',
  FILE_TOO_LARGE: 'run',
  FILE_CHANGED: 'run',
  REDACTED_IN_WRITE: 'run',
  OVERWRITE_REFUSED: 'run',
  OVERFLOW_NOT_FOUND: 'run',
  EDIT_REFUSED: 'run',
  SANDBOX_UNAVAILABLE: 'run',
  COMMAND_REFUSED: 'run',
  PROJECT_BUSY: 'run',
  PROJECT_UNSAFE: 'run',
  COMMIT_REFUSED: 'run',
  HOST_NOT_ALLOWED: 'run',
  FETCH_FAILED: 'run',
  PATTERN_REFUSED: 'run',
  OUTPUT_WITHHELD: 'clean',
  BINARY_CONTENT: 'clean',
  MALFORMED_JSON: 'clean',
  ANSWER_WITHHELD: 'append',
  CONFIG_INVALID: 'setup',
  TOOL_NAME_REFUSED: 'setup',
  TOOL_SCHEMA_REFUSED: 'setup',
  STATE_UNUSABLE: 'setup',
  LOG_NOT_FOUND: 'setup',
  LOG_QUERY_REFUSED: 'setup',
};

/** The stage at which a call ends that has this code. */
export function stageOf(code: ErrorCode): Stage {
  return STAGE_OF[code];
}
