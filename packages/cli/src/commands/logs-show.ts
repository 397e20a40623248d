import type { AgentLogEntry } from '@devs/core';
import { openSqliteAgentLogReader, type LogRecord, type OpenAgentLogReader } from '@devs/storage';
import type { Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printable, printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { SHOWN_ID, toRecordLine, toShown } from './logs-format.ts';
import { readArchives } from './moved-records.ts';

export const ID_HELP = `its id, or as many of its first characters as tell it from others, at least 8 (list shows ${SHOWN_ID})`;

/** `devs logs show` on the command line. */
export function addLogsShow(logs: Command, session: Session): void {
  const show = logs
    .command('show')
    .description('show one whole call and its records')
    .argument('<id>', ID_HELP)
    .option('--json', 'one JSON document', false);
  withPlaceOptions(show).action(async (id: string, options: PlaceOptions & { json: boolean }) =>
    runReading(session, options, (place) => logsShowCommand(id, options, place)),
  );
}

/** One call, whole. Exit 1 when there is none of this id. */
export async function logsShowCommand(id: string, { json }: { json: boolean }, { state, terminal }: Place): Promise<ExitCode> {
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const entry = await reader.get(id);
  if (entry === undefined) throw await noSuchCall(id, state.logFile, reader);
  const records = await reader.records(entry.id);
  const text = json ? toJsonText({ ...toShown(entry), records: records.map(toPlace) }) : toText(entry, records);
  await writeTo(terminal.output, `${text}\n`);
  if (entry.isErased) await writeTo(terminal.status, 'Its payload is erased, as its age asked for: what it was asked and what it answered is not in the log any more.\n');
  return EXIT.ok;
}

/** The same sentence for a call that was, and for one that never was, would let somebody believe in the second. */
export async function noSuchCall(id: string, file: string, reader: OpenAgentLogReader): Promise<CommandFailure> {
  const { countedRefusals } = await reader.stats({});
  const archives = await readArchives(file);
  const maybe = [
    ...(countedRefusals > 0 ? [`one of ${countedRefusals} refusals that came too fast and were only counted (call.coalesced)`] : []),
    ...archives.slice(-1).map(({ upTo, name }) => `one of those in records 1 to ${upTo}, which were moved to archives, the last of them to ${name}`),
  ];
  const hint = maybe.length === 0 ? '' : ` It may be ${maybe.join(', or ')}.`;
  return new CommandFailure(EXIT.toolError, printableLine(`There is no call with the id ${id}.${hint}`));
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
