import type { RecordRange, RecordSource } from './record-source.ts';
import { toLine } from '../export/line.ts';

/**
 * Writes the records as lines of JSON, byte for byte as they are stored, intact or not. Waits for each write before it
 * reads on, so that memory stays bounded however slow the reader is. Gives how many were written.
 * @param write takes whole lines
 * @throws SourceFailure where the source cannot be read further, after all before it was written; and what `write` throws
 */
export async function exportRecords(source: RecordSource, write: (lines: string) => Promise<void>, range: RecordRange = {}): Promise<number> {
  let count = 0;
  for await (const batch of source.records(range)) {
    if (batch.length > 0) await write(batch.map((record) => `${toLine(record)}\n`).join(''));
    count += batch.length;
  }
  return count;
}
