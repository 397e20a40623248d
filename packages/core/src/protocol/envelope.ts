/** SAOP, the structured agent output protocol: one observation of one tool call (seed 000). */
export interface Observation {
  readonly toolName: string;
  readonly status: 'ok' | 'error';
  readonly content: string;
  readonly truncated: boolean;
  /** Where the content comes from: the tool's source, for example `built-in`. */
  readonly source: string;
}

export interface SAOPEnvelope {
  readonly schemaVersion: '1.0';
  readonly type: 'observation';
  readonly taskId: string;
  readonly agentId: string;
  readonly turnIndex: number;
  /** Counts the observations of one proxy, from 1. */
  readonly sequenceNumber: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
  readonly observation: Observation;
}

export const SAOP_SCHEMA_VERSION = '1.0';
