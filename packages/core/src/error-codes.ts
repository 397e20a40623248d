/**
 * What is known about the tool's effects when a call ends with this code:
 * `none` it cannot have acted, `done` it ran to its end, `unknown` it may have.
 */
export type Effect = 'none' | 'done' | 'unknown';

export interface ErrorCodeEntry {
  /** What the agent reads when the thrower has nothing more precise to say. Never holds data. */
  readonly sentence: string;
  /** `denied`: devs said no. `error`: the tool failed. `withheld`: it ran, and devs keeps the answer. */
  readonly status: 'denied' | 'error' | 'withheld';
  readonly effect: Effect;
  readonly retryAllowed: boolean;
  /** Only these may be thrown by a tool and keep their sentence; anything else a tool throws is hidden. */
  readonly thrownByTools: boolean;
  readonly suggestion?: string;
}

const denied = { status: 'denied', effect: 'none', retryAllowed: false, thrownByTools: false } as const;
const deniedByRoot = { ...denied, thrownByTools: true } as const;
const failed = { status: 'error', effect: 'none', retryAllowed: true, thrownByTools: true } as const;

/**
 * The one table of codes. Throw a code, show a sentence: the cause goes to the log, the agent reads
 * one of these. `docs/reference/errors.md` lists them; a check keeps the two in step.
 */
export const ERROR_CODES = {
  UNKNOWN_TOOL: {
    ...denied,
    sentence: 'ACCESS_DENIED: no tool has this name, or you may not use it.',
    suggestion: 'List the tools and call one of those names.',
  },
  CONTEXT_REFUSED: {
    ...denied,
    sentence: 'The call names a context that cannot be accepted.',
    suggestion: 'Send short plain ids in _meta["devs/context"], or leave it out.',
  },
  TOOL_ARG_VALIDATION_FAILURE: {
    ...denied,
    retryAllowed: true,
    sentence: 'The arguments do not fit the schema of the tool.',
    suggestion: 'Correct the named argument and call again.',
  },
  POLICY_DENIED: { ...denied, sentence: 'The policy does not allow this call.' },
  AUDIT_UNAVAILABLE: {
    ...denied,
    retryAllowed: true,
    sentence: 'The call log cannot be written, so the tool was not run.',
    suggestion: 'Tell the operator; the same call may be made again once the log is writable.',
  },
  TOOL_EXECUTION_ERROR: {
    ...failed,
    effect: 'unknown',
    retryAllowed: false,
    thrownByTools: false,
    sentence: 'Tool execution failed.',
  },
  TOOL_TIMEOUT: {
    ...failed,
    effect: 'unknown',
    retryAllowed: false,
    thrownByTools: false,
    sentence: 'The tool did not finish within its time limit.',
    suggestion: 'Check what it did before you call it again, or ask for less at once.',
  },
  CALL_CANCELLED: {
    ...failed,
    effect: 'unknown',
    retryAllowed: false,
    thrownByTools: false,
    sentence: 'The call was cancelled before the tool finished.',
  },
  OUTPUT_WITHHELD: {
    status: 'withheld',
    effect: 'done',
    retryAllowed: false,
    thrownByTools: false,
    sentence: '[OUTPUT WITHHELD: the result could not be made safe to read]',
    suggestion: 'The tool ran. Do not run it again for its effect.',
  },
  BINARY_CONTENT: {
    status: 'withheld',
    effect: 'done',
    retryAllowed: false,
    thrownByTools: false,
    sentence: '[OUTPUT WITHHELD: it is binary, not text]',
    suggestion: 'The tool ran. Do not run it again for its effect.',
  },
  MALFORMED_JSON: {
    status: 'withheld',
    effect: 'done',
    retryAllowed: false,
    thrownByTools: false,
    sentence: '[OUTPUT WITHHELD: it is not the JSON that the tool is held to]',
    suggestion: 'The tool ran. Do not run it again for its effect.',
  },
  ANSWER_WITHHELD: {
    status: 'withheld',
    effect: 'unknown',
    retryAllowed: false,
    thrownByTools: false,
    sentence: '[OUTPUT WITHHELD: the tool ran, but its result could not be written to the call log]',
    suggestion: 'Do not run it again for its effect. Tell the operator the call id.',
  },
  MESSAGE_REFUSED: { ...denied, sentence: 'devs cannot accept the message that carries the call.' },
  MESSAGE_TOO_LARGE: {
    ...denied,
    retryAllowed: true,
    sentence: 'The message that carries the call is larger than devs accepts.',
    suggestion: 'Send less at once.',
  },
  UPSTREAM_UNAVAILABLE: {
    ...failed,
    effect: 'none',
    sentence: 'The server of this tool is not running; devs is starting it again.',
    suggestion: 'Call again in a moment.',
  },
  UPSTREAM_LOST: {
    ...failed,
    effect: 'unknown',
    retryAllowed: false,
    sentence: 'The server of this tool ended before it answered.',
    suggestion: 'Check what the call did before you make it again.',
  },
  UPSTREAM_ANSWER_REFUSED: {
    ...failed,
    effect: 'unknown',
    retryAllowed: false,
    sentence: 'The server of this tool returned an answer that devs cannot accept.',
    suggestion: 'Check what the call did before you make it again.',
  },
  TOOL_NOT_APPROVED: {
    ...deniedByRoot,
    sentence: 'The server has changed this tool since it was approved.',
    suggestion: 'Go on without it; the person you work for can review the change with devs tools diff.',
  },
  TOO_MANY_CALLS: {
    ...denied,
    retryAllowed: true,
    sentence: 'There are more calls than the operator allows at once, or in a minute.',
    suggestion: 'Wait for running calls, then call again.',
  },
  INPUT_STATE_REFUSED: {
    ...deniedByRoot,
    sentence: 'The call continues with a state that devs did not issue for it, or that has expired.',
    suggestion: 'Make the call again from its beginning.',
  },
  RESOURCE_NOT_FOUND: { ...denied, sentence: 'No resource has this URI, or you may not read it.' },
  PROMPT_NOT_FOUND: { ...denied, sentence: 'No prompt has this name, or you may not use it.' },
  SERVER_STOPPING: {
    ...denied,
    retryAllowed: true,
    sentence: 'devs is stopping and takes no more calls.',
    suggestion: 'Call again once it is running.',
  },
  INTERNAL_ERROR: { ...denied, sentence: 'devs met an unexpected condition and refused the call.' },

  PATH_REFUSED: {
    ...deniedByRoot,
    sentence: 'The path cannot be used.',
    suggestion: 'Give a plain relative path inside the project folder.',
  },
  PATH_OUTSIDE_ROOT: {
    ...deniedByRoot,
    sentence: 'The path leads outside the project folder.',
    suggestion: 'Use a path inside the project folder.',
  },
  PATH_PROTECTED: {
    ...deniedByRoot,
    sentence: 'The path is protected: no tool may write it.',
    suggestion: 'Ask the person you work for to make this change.',
  },
  PATH_BLOCKED: {
    ...deniedByRoot,
    sentence: 'The path is blocked: no tool may reach it.',
    suggestion: 'Go on without it, or ask the person you work for.',
  },
  PATH_NOT_ALLOWED: {
    ...deniedByRoot,
    sentence: 'The path is not one of those that this tool may reach.',
    suggestion: 'List the project folder to see which ones it may reach.',
  },
  CONTENT_REFUSED: {
    ...deniedByRoot,
    retryAllowed: true,
    sentence: 'The content contains a lone surrogate, which no file can contain.',
    suggestion: 'Send well-formed Unicode text.',
  },
  NOT_A_REGULAR_FILE: { ...failed, retryAllowed: false, sentence: 'The path is not a regular file.' },
  NOT_A_DIRECTORY: { ...failed, retryAllowed: false, sentence: 'The path is not a directory.' },
  FILE_NOT_FOUND: {
    ...failed,
    sentence: 'There is no such file or directory.',
    suggestion: 'List the directory to see what is there.',
  },
  PERMISSION_DENIED: { ...failed, retryAllowed: false, sentence: 'The operating system does not permit this.' },
  NO_SPACE: { ...failed, sentence: 'The disk is full; nothing was changed.' },
  INVALID_RANGE: { ...failed, sentence: 'The offset or limit is not usable for this file.' },
  FILE_TOO_LARGE: { ...failed, retryAllowed: false, sentence: 'The file is, or would become, larger than may be edited.' },
  FILE_CHANGED: {
    ...failed,
    sentence: 'The file was changed by someone else meanwhile; nothing was written.',
    suggestion: 'Read the file again and repeat the edit.',
  },
  REDACTED_IN_WRITE: {
    ...failed,
    sentence: 'The content holds a mark that devs put in the place of something it masked; nothing was written.',
    suggestion: 'Use surgical_edit around the mark, or set "force" if the mark itself is meant.',
  },
  OVERWRITE_REFUSED: {
    ...failed,
    sentence: 'The file contains more than you were shown: parts of it are masked or altered. Nothing was written.',
    suggestion: 'Use surgical_edit, which keeps them, or set "force" to replace them too.',
  },
  OVERFLOW_NOT_FOUND: {
    ...failed,
    retryAllowed: false,
    sentence: 'No output is kept under this handle for you, or it has expired.',
    suggestion: 'Make the first call again, and ask for less at once.',
  },
  EDIT_REFUSED: { ...failed, sentence: 'The edit does not fit the file; nothing was changed.' },
  PATTERN_REFUSED: {
    ...failed,
    sentence: 'The pattern cannot be used.',
    suggestion: 'Use a shorter or simpler pattern.',
  },

  SANDBOX_UNAVAILABLE: {
    ...deniedByRoot,
    sentence: 'Commands and code cannot be confined on this machine, so nothing was run.',
    suggestion: 'Go on with the file tools. The operator can run devs doctor to see what is missing.',
  },
  COMMAND_REFUSED: {
    ...deniedByRoot,
    retryAllowed: true,
    sentence: 'The command cannot be run as it is; nothing was run.',
  },
  PROJECT_BUSY: {
    ...deniedByRoot,
    retryAllowed: true,
    sentence: 'Another command ran in this project for all the time that this call had; nothing was run.',
    suggestion: 'Call again when it is done, or allow more time.',
  },
  PROJECT_UNSAFE: {
    ...failed,
    effect: 'unknown',
    retryAllowed: false,
    sentence: 'The command has run, and what it left in the project could not be made safe.',
    suggestion: 'Run nothing more here. Tell the person you work for.',
  },
  COMMIT_REFUSED: {
    ...failed,
    // Hooks may have changed the files.
    effect: 'unknown',
    retryAllowed: false,
    sentence: 'The commit was not made.',
  },
  HOST_NOT_ALLOWED: {
    ...deniedByRoot,
    sentence: 'The operator has not allowed this host.',
    suggestion: 'Go on without it, or ask the person you work for.',
  },
  FETCH_FAILED: {
    ...failed,
    sentence: 'The page could not be fetched.',
  },

  CONFIG_INVALID: { ...denied, sentence: 'The configuration is not valid.' },
  TOOL_NAME_REFUSED: { ...denied, sentence: 'A tool cannot be registered under this name.' },
  TOOL_SCHEMA_REFUSED: { ...denied, sentence: 'A tool cannot be registered with this schema.' },
  STATE_UNUSABLE: { ...denied, sentence: 'The state folder or a file in it cannot be used.' },
  LOG_NOT_FOUND: {
    ...denied,
    sentence: 'There is no call log yet.',
    suggestion: 'The first call through devs creates it: start `devs serve`, or try `devs call`.',
  },
  LOG_QUERY_REFUSED: { ...denied, sentence: 'The call log cannot answer this question.' },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * What the table says of a code: its status, whether the call may have had an effect, and the words for an agent.
 * @example
 * ```ts
 * import { describeErrorCode } from '@devs/core';
 * console.log(describeErrorCode('UNKNOWN_TOOL').retryAllowed); // false
 * ```
 */
export function describeErrorCode(code: ErrorCode): ErrorCodeEntry {
  return ERROR_CODES[code];
}
