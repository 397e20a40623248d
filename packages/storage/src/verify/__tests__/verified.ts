import { openLogFile } from '../open-log-file.ts';
import type { VerifyReport } from '../report.ts';
import { verifyLog, type VerifyOptions } from '../verify-log.ts';

/** The report on one file. */
export async function verified(file: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  await using source = await openLogFile(file);
  return await verifyLog(source, options);
}

/** Verdict, code and first bad `seq`, as a row of a table has them. */
export function judgement({ verdict, problem }: VerifyReport): string {
  return problem === undefined ? verdict : `${verdict}, ${problem.code} at ${problem.seq ?? 'no record'}`;
}
