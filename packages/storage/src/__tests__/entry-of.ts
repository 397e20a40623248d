import { expect } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';

/** How a log tells what was written so. */
export function entryOf(record: AgentLogRecord): object {
  return { ...record, receipt: { seq: expect.any(Number), leaf: expect.stringMatching(/^[0-9a-f]{64}$/) }, isErased: false };
}
