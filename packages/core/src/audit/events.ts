import type { ErrorCode } from '../error-codes.ts';

/** The closed list of event names (seed 003 names the first four). */
export const AUDIT_EVENT_NAMES = [
  'TOOL_EXECUTED',
  'TOOL_ARG_VALIDATION_FAILURE',
  'TOOL_EXECUTION_ERROR',
  'UNKNOWN_TOOL',
  'TOOL_CALL_REFUSED',
  'OUTPUT_WITHHELD',
] as const;

export type AuditEventName = (typeof AUDIT_EVENT_NAMES)[number];

export interface AuditEvent {
  readonly event: AuditEventName;
  readonly toolName: string;
  readonly agentId?: string;
  readonly turnIndex?: number;
  readonly callId?: string;
  /** Milliseconds, monotonic. */
  readonly durationMs?: number;
  readonly isError?: boolean;
  readonly code?: ErrorCode;
  /** What went wrong, for operators. May quote a thrown error; never shown to an agent. */
  readonly error?: string;
  /** JSON Pointer to the argument that was refused. */
  readonly pointer?: string;
}

/** A tap of named events, for dashboards and alerts. Not the evidence: that is `AgentLogRepository`. */
export interface AuditLogger {
  log(event: AuditEvent): void | Promise<void>;
}

/** Hands the event to the tap. A tap that throws or rejects is reported, and changes nothing else. */
export function emit(auditLogger: AuditLogger, event: AuditEvent, report: (cause: unknown) => void): void {
  try {
    const done = auditLogger.log(event);
    // An unhandled rejection would end the process: a dashboard could then stop the gate.
    if (done !== undefined) Promise.resolve(done).catch(report);
  } catch (cause) {
    report(cause);
  }
}
