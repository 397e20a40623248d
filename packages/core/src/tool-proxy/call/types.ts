import type { ErrorCode } from '../../error-codes.ts';
import type { RawToolOutput, ToolResult } from '../../protocol/tool-result.ts';
import type { Finding } from '../../sanitization/pipeline/tally.ts';
import type { TextView } from '../../sanitization/pipeline/text-view.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Enforcement } from '../../tool-registry/confinement.ts';
import type { CallNotice, Continuation, UpstreamCall } from '../../tool-registry/upstream-call.ts';
import type { RegisteredTool, ToolExecutionContext } from '../../tool-registry/types.ts';
import type { ValidatedArgs } from '../../validation/schema.ts';

/** What the transport has proven about a caller, beside what the caller says of itself. */
export interface Origin {
  readonly principal: string;
  readonly channel: 'stdio' | 'http' | 'cli' | 'library';
  /** The call that made this call, when a tool calls tools. */
  readonly parentCallId?: string;
  /** Where the transport has the name of the agent from. Absent: it was given none, or an embedder has named it. */
  readonly agentSource?: AgentSource;
}

/** `claimed`: the call says so itself. `clientInfo`: devs made it of what the client calls itself. Neither is proven. */
export type AgentSource = 'claimed' | 'clientInfo';

export interface ToolCallRequest {
  readonly toolName: string;
  readonly args: unknown;
  readonly context: ToolExecutionContext;
  /** Absent: an embedder's own call, principal `local`, channel `library`. */
  readonly origin?: Origin;
  /** Aborted when the caller cancels or goes away. */
  readonly signal?: AbortSignal;
  /** False for what this caller may not see: it is unknown then, for its children too. Absent: all. Must not throw. */
  readonly admits?: (tool: RegisteredTool) => boolean;
  /** Whose servers a call behind devs reaches, as the edge has it. Opaque to the gate. */
  readonly session?: object;
  /** The call was made before, and its server has asked the client something. */
  readonly continuation?: Continuation;
  /** `_meta` of the request, for a server behind devs: without what belongs to the protocol or to devs. */
  readonly meta?: JsonObject;
  /** Told, cleaned, what a server behind devs says of the call while it works on it. Must not throw. */
  readonly onNotice?: (notice: CallNotice) => void;
  /** False: of progress `onNotice` wants to hear nothing, so the server is not asked for it. Default true. */
  readonly wantsProgress?: boolean;
}

export interface SandboxRun {
  /** Aborted at the deadline, and when the caller cancels. The gate does not wait beyond it. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** What an agent is shown of these bytes of the file at `path`; without one, of files such as this call has read. */
  readonly view: (bytes: Uint8Array, path?: string) => TextView;
  /**
   * What a budget has cut off of an earlier answer to this caller; for `read_more` alone.
   * Throws `OVERFLOW_NOT_FOUND`.
   */
  readonly readMore: (handle: string) => string;
  /** Milliseconds that the tool may take. One that ends itself by then is still heard. */
  readonly timeoutMs: number;
  /** To be told what holds the call, before the tool begins: it goes into the record, and into the answer. */
  readonly enforced: (enforcement: Enforcement) => void;
  /** The tools that this call may call, by name. */
  readonly callable: readonly string[];
  /**
   * Calls one of them as a child of this call, through the whole gate, with what its caller may and no more. The answer is
   * cleaned and stands in no boundary; what the child's tool is labelled, this call is from now on.
   */
  readonly callTool: (toolName: string, args: unknown, signal: AbortSignal) => Promise<ToolResult>;
  /** This answer is redacted and goes into a boundary, whatever the labels say. */
  readonly bound: () => void;
  /** To be told which file the answer shows something of: relative to the root, links followed, `/` between segments. */
  readonly read: (path: string) => void;
  /** What a call of another server's tool is handed. */
  readonly upstream: UpstreamCall;
}

/** Where tools run. The gate hands it validated arguments and takes nothing it says on trust. */
export interface SandboxExecutor {
  /**
   * Throws one of the `PATH_*` errors that `execute` would throw for these paths, as far as their spelling tells. Called
   * before the log is told that the tool begins: a refusal then costs one record, and a flood of them is counted. It
   * looks at no disk and decides nothing in favour of a path. Not called for tools of other servers.
   */
  refusePaths?(tool: RegisteredTool, paths: readonly string[]): void;
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
  /** Where `agentId` comes from. Absent: nobody has said, or the record is older. */
  readonly agentSource?: AgentSource;
  /** What the tool was asked, as validated; for a refused call, as it came. JSON, capped. */
  readonly input: unknown;
  /** What came, where lenient validation made `input` of it. Null: `input` is what came. JSON. */
  readonly receivedInput: unknown;
  /** What the client has answered to what the tool's server asked in the round before. Absent: it was asked nothing. JSON. */
  readonly inputResponses?: Json;
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
  /** What held the tool while it ran. Null or absent: it did not run, or whatever ran it does not say. */
  readonly enforcement?: Enforcement | null;
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

/** Where a record stands in the log: whoever keeps it can show later that the log is still the same up to there. */
export interface AgentLogReceipt {
  /** From 1. */
  readonly seq: number;
  /** The record's hash, 64 hexadecimal digits; it depends on all records before. */
  readonly leaf: string;
}

export interface IntentWishes {
  /**
   * The tool changes nothing anywhere: if a crash takes its intent, nothing has happened that nobody knows of. So it may
   * be written together with the record; the promise resolves when the log has taken it on.
   */
  readonly mayWait: boolean;
}

/**
 * The evidence. `append` is called on every path, once a call (seed 003). `begin` is written before
 * the tool runs, under the same id; a repository without it is valid and simply has no intents.
 * A promise that resolves means: durable as far as the repository was configured to be.
 * One that keeps a chain gives a receipt for the record; none where refusals are counted together.
 * It may reject with an error whose `failure` says why: `full`, `disk`, `read-only`, `busy`, `damaged`, `moved`,
 * `rolled-back`, `quota`, `reserve` or `overloaded`; the agent is told in devs's words.
 */
export interface AgentLogRepository {
  begin?(intent: AgentLogIntent, wishes?: IntentWishes): Promise<void>;
  append(record: AgentLogRecord): Promise<AgentLogReceipt | void>;
  /**
   * The gate has waited long enough for what it asked to be written of this call, and answers without: what is not
   * written by now must not be written any more, else the log tells of an answer that nobody got.
   */
  abandon?(callId: string): void;
}

/**
 * One call as the log tells it. `started`: it began, and nothing says how it ended. `unknown`: it began, and devs
 * ended before it did, so nobody knows.
 */
export interface AgentLogEntry extends Omit<AgentLogRecord, 'status' | 'output' | 'durationMs' | 'isError'> {
  readonly status: CallStatus | 'started' | 'unknown';
  readonly isError: boolean | null;
  readonly output: ToolResult | null;
  readonly durationMs: number | null;
  /** Of the call's latest record. */
  readonly receipt: AgentLogReceipt;
  /** The payload is gone, as its age asked for: `input`, `receivedInput`, `output` and `detail` are null, `inputResponses` is absent. */
  readonly isErased: boolean;
}

export interface AgentLogQuery {
  /** Most entries to return, 1 to 1,000. Newest first, by the latest record of each call. */
  readonly limit: number;
  readonly toolName?: string;
  readonly agentId?: string;
  readonly phaseId?: string;
  readonly epicId?: string;
  readonly status?: AgentLogEntry['status'];
  /** ISO 8601, UTC, milliseconds. When the call came: not before. */
  readonly since?: string;
  /** The same: before. */
  readonly until?: string;
  /** Only records before this `seq`: the last one's of a page gives the next page. */
  readonly before?: number;
}

/** Reading, apart from writing: the gate never reads its own evidence. */
export interface AgentLogReader {
  list(query: AgentLogQuery): Promise<readonly AgentLogEntry[]>;
  /** `id` is the call's id, or a prefix of at least 8 characters that only one call has. */
  get(id: string): Promise<AgentLogEntry | undefined>;
}
