import type { AgentLogQuery } from '@devs/core';
import { openSqliteAgentLogReader } from '@devs/storage';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { writeTo } from '../terminal/terminal.ts';
import { explainEmptyLog } from './empty-log.ts';
import { showInPages } from './in-pages.ts';
import { COLUMNS_HELP, toJsonLine, toLine } from './logs-format.ts';
import { toQuery, withCallFilters, type CallFilterOptions } from './logs-query.ts';

export interface LogsListOptions extends CallFilterOptions {
  readonly json: boolean;
}

/** `devs logs list`, and `devs logs` alone. */
export function addLogsList(logs: Command, session: Session): void {
  const list = logs
    .command('list', { isDefault: true })
    .description('list calls, the newest first')
    .option('--json', 'one JSON object a line', false)
    .addHelpText('after', COLUMNS_HELP);
  withPlaceOptions(withCallFilters(list)).action(async (options: PlaceOptions & LogsListOptions) =>
    runReading(session, options, (place) => logsListCommand(options, place)),
  );
}

/** The newest calls first, one a line. */
export async function logsListCommand(options: LogsListOptions, place: Place): Promise<ExitCode> {
  const { state, terminal } = place;
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const ask = async (query: AgentLogQuery) => {
    const found = await reader.list(query);
    return { found, next: found.length === query.limit ? found.at(-1)?.receipt.seq : undefined };
  };
  const { shown, next } = await showInPages(toQuery(options), ask, async (entry) =>
    writeTo(terminal.output, `${options.json ? toJsonLine(entry) : toLine(entry)}\n`),
  );
  const emptied = shown === 0 ? await explainEmptyLog(reader, place) : undefined;
  if (emptied !== undefined) return emptied;
  // A program sees what there is, and has the receipt of the last call.
  if (options.json) return EXIT.ok;
  if (shown === 0) await writeTo(terminal.status, 'No calls.\n');
  if (next !== undefined) await writeTo(terminal.status, `There may be more: --before ${next}\n`);
  return EXIT.ok;
}
