import type { AgentLogEntry } from '@devs/core';
import { openSqliteAgentLogReader, type LogRecord } from '@devs/storage';
import type { Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printable, printableLine, toJsonText, writeTo } from '../terminal.ts';
import { toRecordLine, toShown } from './logs-format.ts';

/** `devs logs show` on the command line. */
export function addLogsShow(logs: Command, session: Session): void {
  const show = logs
    .command('show')
    .description('one call, whole, and its records')
    .argument('<id>', 'its id, or the first 8 or more characters of it')
    .option('--json', 'one JSON document', false);
  withPlaceOptions(show).action(async (id: string, options: PlaceOptions & { json: boolean }) =>
    runReading(session, options, (place) => logsShowCommand(id, options, place)),
  );
}

/** One call, whole. Exit 1 when there is none of this id. */
export async function logsShowCommand(id: string, { json }: { json: boolean }, { state, terminal }: Place): Promise<ExitCode> {
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const entry = await reader.get(id);
  if (entry === undefined) throw noSuchCall(id);
  const records = await reader.records(entry.id);
  const text = json ? toJsonText({ ...toShown(entry), records: records.map(toPlace) }) : toText(entry, records);
  await writeTo(terminal.output, `${text}\n`);
  if (entry.isErased) await writeTo(terminal.status, 'Its payload is erased, as its age asked for: what it was asked and what it answered is not in the log any more.\n');
  return EXIT.ok;
}

export function noSuchCall(id: string): CommandFailure {
  return new CommandFailure(EXIT.toolError, `There is no call with the id ${printableLine(id)}.`);
}

function toText(entry: AgentLogEntry, records: readonly LogRecord[]): string {
  return [printable(toIndented(toShown(entry))), '', 'Records:', ...records.map(toRecordLine)].join('\n');
}

/** What is nested too deeply for lines of its own stands on one. devs writes none such; somebody who changes the log may. */
function toIndented(value: object): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return JSON.stringify(value);
  }
}

/** Its own words are those of the call. */
function toPlace({ seq, leaf, header, isErased }: LogRecord): object {
  return { seq, leaf, kind: header?.['kind'] ?? null, isErased };
}
