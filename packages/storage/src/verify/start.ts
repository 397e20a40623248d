import type { LinkedRecord } from './chain-walk.ts';
import type { Pruning } from './facts.ts';
import { tampered, type Problem } from './report.ts';

/** Whether the first record may be the first: it is record 1, or those before it were pruned and a record says so. */
export function checkStart({ record: { seq }, header: { prev } }: LinkedRecord, prunings: readonly Pruning[], isWhole: boolean): Problem | undefined {
  if (seq === 1) return undefined;
  const pruning = prunings.find(({ upTo }) => upTo === seq - 1);
  if (pruning !== undefined) {
    if (pruning.leaf === prev) return undefined;
    return tampered(seq, 'start', `record ${seq} does not follow the last one that was pruned, as record ${pruning.seq} names it`);
  }
  const missing = prunings.reduce((most, { upTo }) => (upTo < seq ? Math.max(most, upTo) : most), 0) + 1;
  if (isWhole) return tampered(missing, 'start', `records ${missing} to ${seq - 1} are missing, and no record says that they were pruned`);
  const what = `it begins at record ${seq}: nothing here says what became of the records before; give the other parts of the log too`;
  return { seq: missing, code: 'start', what, verdict: 'incomplete' };
}
