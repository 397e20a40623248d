import { SAOP_SCHEMA_VERSION, type SAOPEnvelope } from '../protocol/envelope.ts';
import { describeBlock } from '../protocol/tool-result.ts';
import type { AgentLogRecord } from './call/types.ts';

export interface ObservationParts {
  readonly record: AgentLogRecord;
  readonly source: string;
  readonly sequenceNumber: number;
}

/** Of a call in which a server has asked something: nothing was found out yet. */
const WAITS = '[the tool waits for an answer of its client]';

/** The envelope of one finished call. Blocks stay apart: joined without a line between, two could make a third. */
export function toEnvelope({ record, source, sequenceNumber }: ObservationParts): SAOPEnvelope {
  const { taskId, agentId, turnIndex, timestamp, toolName, isError, output, sanitization } = record;
  return {
    schemaVersion: SAOP_SCHEMA_VERSION,
    type: 'observation',
    taskId,
    agentId,
    turnIndex,
    sequenceNumber,
    timestamp,
    observation: {
      toolName,
      status: isError ? 'error' : 'ok',
      content: output.inputRequired === undefined ? output.content.map(describeBlock).join('\n') : WAITS,
      truncated: sanitization.truncated,
      source,
    },
  };
}
