import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteAgentLogReader, type LogRecord, type OpenAgentLogReader } from '@devs/storage';
import { Option, type Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { writeTo } from '../terminal/terminal.ts';
import { RECORD_COLUMNS_HELP, toRecordJson, toRecordLine } from './logs-format.ts';
import { parseLimit } from './logs-query.ts';

export interface LogsTailOptions {
  readonly lines: number;
  readonly follow: boolean;
  readonly json: boolean;
}

const PAUSE_MS = 200;
const PAGE = 500;

/** `devs logs tail` on the command line. */
export function addLogsTail(logs: Command, session: Session): void {
  const tail = logs
    .command('tail')
    .description('show the last records of every kind, the newest last')
    .addOption(new Option('-n, --lines <n>', 'how many').argParser(parseLimit).default(10))
    .option('-f, --follow', 'keep showing new ones, until Ctrl-C', false)
    .option('--json', 'one JSON object a line', false)
    .addHelpText('after', RECORD_COLUMNS_HELP);
  withPlaceOptions(tail).action(async (options: PlaceOptions & LogsTailOptions) =>
    runReading(session, options, (place) => logsTailCommand(options, place)),
  );
}

/** The last records, and those that come. Stopping it is how following ends: exit 0. */
export async function logsTailCommand(options: LogsTailOptions, { state, terminal, stop }: Place): Promise<ExitCode> {
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const newest = await reader.newest();
  for await (const record of iterate(reader, Math.max(0, newest - options.lines), { stop, newest, follow: options.follow })) {
    await writeTo(terminal.output, `${options.json ? toRecordJson(record) : toRecordLine(record)}\n`);
  }
  return EXIT.ok;
}

interface Following {
  readonly stop: AbortSignal;
  readonly follow: boolean;
  readonly newest: number;
}

async function* iterate(reader: OpenAgentLogReader, start: number, { stop, follow, newest }: Following): AsyncGenerator<LogRecord> {
  for (let after = start; !stop.aborted; ) {
    const records = await reader.tail(after, PAGE);
    for (const record of records) {
      if (!follow && record.seq > newest) return;
      yield record;
      after = record.seq;
    }
    if (!follow && (records.length === 0 || after >= newest)) return;
    // Not the signal's rejection: it ends as the loop does.
    if (records.length === 0) await pause(PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
