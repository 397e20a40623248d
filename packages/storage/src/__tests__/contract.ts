import { afterEach, beforeEach } from '@jest/globals';
import type { AgentLogs } from '../index.ts';
import { describeReads } from './contract-reads.ts';
import { describeValues } from './contract-values.ts';
import { describeWrites } from './contract-writes.ts';

export interface LogUnderTest {
  readonly logs: AgentLogs;
  dispose(): Promise<void>;
}

/** What every log of calls must do. `create` gives an empty one. */
export function describeAgentLogsContract(create: () => Promise<LogUnderTest>): void {
  let current: LogUnderTest;
  beforeEach(async () => {
    current = await create();
  });
  afterEach(async () => await current.dispose());
  const subject = {
    get logs() {
      return current.logs;
    },
  };
  describeWrites(subject);
  describeValues(subject);
  describeReads(subject);
}
