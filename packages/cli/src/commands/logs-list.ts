import { openSqliteAgentLogReader } from '@devs/storage';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { writeTo } from '../terminal.ts';
import { toJsonLine, toLine } from './logs-format.ts';
import { toQuery, withCallFilters, type CallFilterOptions } from './logs-query.ts';

export interface LogsListOptions extends CallFilterOptions {
  readonly json: boolean;
}

/** `devs logs list`, and `devs logs` alone. */
export function addLogsList(logs: Command, session: Session): void {
  const list = logs.command('list', { isDefault: true }).description('the newest calls first').option('--json', 'one JSON object a line', false);
  withPlaceOptions(withCallFilters(list)).action(async (options: PlaceOptions & LogsListOptions) =>
    runReading(session, options, (place) => logsListCommand(options, place)),
  );
}

/** The newest calls first, one a line. */
export async function logsListCommand(options: LogsListOptions, { state, terminal }: Place): Promise<ExitCode> {
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const entries = await reader.list(toQuery(options));
  for (const entry of entries) await writeTo(terminal.output, `${options.json ? toJsonLine(entry) : toLine(entry)}\n`);
  const last = entries.at(-1);
  // A program sees what there is, and has the receipt of the last call.
  if (options.json) return EXIT.ok;
  if (last === undefined) await writeTo(terminal.status, 'No calls.\n');
  if (last !== undefined && entries.length === options.limit) await writeTo(terminal.status, `There may be more: --before ${last.receipt.seq}\n`);
  return EXIT.ok;
}
