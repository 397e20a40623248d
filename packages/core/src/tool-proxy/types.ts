import type { ErrorCode } from '../error-codes.ts';
import type { RawToolOutput, ToolResult } from '../protocol/tool-result.ts';
import type { Finding } from '../sanitization/tally.ts';
import type { TextView } from '../sanitization/text-view.ts';
import type { RegisteredTool, ToolExecutionContext } from '../tool-registry/types.ts';
import type { ValidatedArgs } from '../validation/schema.ts';

/** What the transport has proven about a caller, beside what the caller says of itself. */
export interface Origin {
  readonly principal: string;
  readonly channel: 'stdio' | 'http' | 'cli' | 'library';
  /** The call that made this call, when a tool calls tools. */
  readonly parentCallId?: string;
}

export interface ToolCallRequest {
  readonly toolName: string;
  readonly args: unknown;
  readonly context: ToolExecutionContext;
  /** Absent: an embedder's own call, principal `local`, channel `library`. */
  readonly origin?: Origin;
  /** Aborted when the caller cancels or goes away. */
  readonly signal?: AbortSignal;
}

export interface SandboxRun {
  /** Aborted at the deadline, and when the caller cancels. The gate does not wait beyond it. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** What an agent is shown of these bytes of a file. */
  readonly view: (bytes: Uint8Array) => TextView;
  /**
   * What a budget has cut off of an earlier answer to this caller; for `read_more` alone.
   * Throws `OVERFLOW_NOT_FOUND`.
   */
  readonly readMore: (handle: string) => string;
}

/** Where tools run. The gate hands it validated arguments and takes nothing it says on trust. */
export interface SandboxExecutor {
  execute(
    tool: RegisteredTool,
    args: ValidatedArgs,
    context: ToolExecutionContext,
    run: SandboxRun,
  ): Promise<RawToolOutput>;
}

export type CallStatus = 'ok' | 'error' | 'denied' | 'withheld';

/** What is known of a call before it runs. Every field is cleaned and capped, ready to be stored. */
export interface AgentLogIntent {
  /** The call's id: a UUID, the same in the intent and in the record. */
  readonly id: string;
  readonly toolName: string;
  readonly agentId: string;
  readonly turnIndex: number;
  readonly phaseId: string;
  readonly epicId: string;
  readonly taskId: string;
  readonly principal: string;
  readonly channel: Origin['channel'];
  readonly parentCallId: string | null;
  /** What the tool was asked, as validated; for a refused call, as it came. JSON, capped. */
  readonly input: unknown;
  /** What came, where lenient validation made `input` of it. Null: `input` is what came. JSON. */
  readonly receivedInput: unknown;
  /** The policy rule that decided, `default` when none did; empty when it never came to that. */
  readonly rule: string;
  /** ISO 8601, UTC, milliseconds: when the call came. */
  readonly timestamp: string;
}

/** What became of a call. */
export interface AgentLogRecord extends AgentLogIntent {
  readonly status: CallStatus;
  readonly isError: boolean;
  /** Set when devs refused or the tool failed. */
  readonly code: ErrorCode | null;
  /** Why, for the operator: code, sentence and cause. Never shown to the agent. */
  readonly detail: string | null;
  /** The answer as the agent got it. */
  readonly output: ToolResult;
  /** Milliseconds on the monotonic clock, from the call's arrival to its outcome. */
  readonly durationMs: number;
  readonly sanitization: SanitizationSummary;
}

/** Of a record that is older, or of a call that gave nothing: `truncated` alone. */
export interface SanitizationSummary {
  readonly truncated: boolean;
  /** How often each rule changed something, by `<step>:<rule>`. */
  readonly counts?: Readonly<Record<string, number>>;
  /** What was masked, by keyed fingerprint. */
  readonly findings?: readonly Finding[];
}

/**
 * The evidence. `append` is called on every path, once a call (seed 003). `begin` is written before
 * the tool runs, under the same id; a repository without it is valid and simply has no intents.
 * A promise that resolves means: durable as far as the repository was configured to be.
 */
export interface AgentLogRepository {
  begin?(intent: AgentLogIntent): Promise<void>;
  append(record: AgentLogRecord): Promise<void>;
}

/** One call as the log tells it. `started`: it began, and nothing says how it ended. */
export interface AgentLogEntry extends Omit<AgentLogRecord, 'status' | 'output' | 'durationMs' | 'isError'> {
  readonly status: CallStatus | 'started';
  readonly isError: boolean | null;
  readonly output: ToolResult | null;
  readonly durationMs: number | null;
}

export interface AgentLogQuery {
  /** Most entries to return, 1 to 1,000. Newest first. */
  readonly limit: number;
  readonly toolName?: string;
  readonly agentId?: string;
  readonly status?: AgentLogEntry['status'];
}

/** Reading, apart from writing: the gate never reads its own evidence. */
export interface AgentLogReader {
  list(query: AgentLogQuery): Promise<readonly AgentLogEntry[]>;
  /** `id` is the call's id, or a prefix of at least 8 characters that only one call has. */
  get(id: string): Promise<AgentLogEntry | undefined>;
}
