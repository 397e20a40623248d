import type { AgentSource, CallStatus, Enforcement } from '@devs/core';
import type { StoredForm } from './stored-form.ts';

/** Of the header. A verifier that meets another says "unknown", never "ok". */
export const RECORD_VERSION = 1;

/** What a call can become. */
export type CallKind = 'call.started' | 'call.finished' | 'call.denied' | 'call.orphaned' | 'call.suspended';

/** What is said of the log itself, and of what is no single call. */
export type FactKind =
  | 'call.coalesced'
  | 'approval.asked'
  | 'approval.given'
  | 'approval.refused'
  | 'policy.changed'
  | 'tool.changed'
  | 'audit.opened'
  | 'audit.closed'
  | 'audit.erased'
  | 'audit.pruned'
  | 'audit.head'
  | 'audit.adopted';

export type RecordKind = CallKind | FactKind;

/** What every header begins with, in this order. */
export interface HeaderStart<Kind extends RecordKind = RecordKind> {
  readonly v: typeof RECORD_VERSION;
  /** From 1, without a gap. */
  readonly seq: number;
  /** Leaf of the record before, 64 hexadecimal digits; of the first, zeros. */
  readonly prev: string;
  readonly kind: Kind;
  /** ISO 8601, UTC, milliseconds: when a call came; when a fact was written. By the clock as it was: never what orders records. */
  readonly timestamp: string;
}

/** Who asked what of which tool, and what became of it: all that stays when the payload is erased. */
export interface CallHeader extends HeaderStart<CallKind> {
  readonly callId: string;
  readonly toolName: string;
  readonly agentId: string;
  readonly turnIndex: number;
  readonly phaseId: string;
  readonly epicId: string;
  readonly taskId: string;
  readonly principal: string;
  /** `Origin`'s, of whoever keeps to its types. */
  readonly channel: string;
  readonly parentCallId: string | null;
  /** Where `agentId` comes from. Absent: nobody has said, or the record is older. */
  readonly agentSource?: AgentSource;
  readonly rule: string;
  /** Of a start: the session of devs that runs the call, 32 hexadecimal digits. While it lives, nobody else ends the call. */
  readonly session?: string;
  /** Of an outcome alone. `unknown`: it began, and devs ended before it did. */
  readonly status?: CallStatus | 'unknown';
  readonly isError?: boolean;
  readonly code?: string | null;
  /** Milliseconds on the monotonic clock. */
  readonly durationMs?: number;
  /** Of an outcome: what held the tool while it ran. Absent: it did not run, or nobody has said. */
  readonly enforcement?: Enforcement;
  /** Of an outcome: `seq` of its start; null when it never began. */
  readonly started?: number | null;
  readonly inputForm: StoredForm;
  /** Bytes of the whole input's JSON, of which the payload may hold a part. */
  readonly inputBytes: number;
  readonly receivedInputForm?: StoredForm;
  /** Of a call that goes on with what its client has answered. */
  readonly inputResponsesForm?: StoredForm;
  readonly outputForm?: StoredForm;
  readonly outputBytes?: number;
  /** True of a record that an older devs wrote without a chain: its chain begins where it was taken over. */
  readonly imported?: true;
  /** `SHA-256(salt ‖ payload)`, 64 hexadecimal digits. Of a record that never had a payload: null. */
  readonly payload: string | null;
}

/** A fact: its own members after the start, then `payload: null`. */
export interface FactHeader extends HeaderStart<FactKind> {
  /** Random, 32 hexadecimal digits, the same in all facts of one log: which log this is. */
  readonly store: string;
  readonly payload: null;
  readonly [more: string]: unknown;
}

export type RecordHeader = CallHeader | FactHeader;

/** The link before the first record. */
export const NO_LEAF = '0'.repeat(64);
