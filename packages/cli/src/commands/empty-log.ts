import { DevsError } from '@devs/core';
import { examineSqliteLog, type OpenAgentLogReader } from '@devs/storage';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openHeadWitness } from '../log-keys.ts';
import type { Place } from '../place.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';

/**
 * For a reading that has found nothing: a log without one record, where devs remembers one, was deleted or emptied. "No calls"
 * would be what whoever did it wants to be read. Says so, and gives exit 1; undefined of every other log.
 */
export async function explainEmptyLog(reader: OpenAgentLogReader, place: Place): Promise<ExitCode | undefined> {
  if ((await reader.newest()) > 0) return undefined;
  const problem = examineRemembered(place);
  if (problem === undefined) return undefined;
  await writeTo(place.terminal.status, `${printableLine(problem)} Check: devs logs verify\n`);
  return EXIT.toolError;
}

function examineRemembered({ logKeys, state, config }: Place): string | undefined {
  try {
    const heads = openHeadWitness({ keys: logKeys, logFile: state.logFile, audit: config.audit });
    return heads === undefined ? undefined : examineSqliteLog({ file: state.logFile, heads }).problem?.what;
  } catch (cause) {
    // Fail closed: where it cannot be asked what is remembered, an empty log is no proof that nothing was called.
    if (!DevsError.is(cause)) throw cause;
    return `There is no record in the log, and it was not compared with what devs remembers of it: ${cause.sentence}`;
  }
}
