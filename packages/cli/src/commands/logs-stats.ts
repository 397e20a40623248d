import { openSqliteAgentLogReader, type CallStats, type ToolStats } from '@devs/storage';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { toTableLines } from '../terminal/table.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { explainEmptyLog } from './empty-log.ts';
import { showMs, showName } from './logs-format.ts';
import { withTimes } from './logs-query.ts';

export interface LogsStatsOptions {
  readonly json: boolean;
  readonly tool?: string;
  readonly since?: string;
  readonly until?: string;
}

/** `devs logs stats` on the command line. */
export function addLogsStats(logs: Command, session: Session): void {
  const stats = logs
    .command('stats')
    .description('show how often each tool was called, how it ended and how long it took; unfinished calls are counted separately')
    .option('--tool <name>', 'only calls of this tool')
    .option('--json', 'one JSON document', false);
  withPlaceOptions(withTimes(stats)).action(async (options: PlaceOptions & LogsStatsOptions) =>
    runReading(session, options, (place) => logsStatsCommand(options, place)),
  );
}

/** The tool with the most calls first. */
export async function logsStatsCommand({ json, tool, since, until }: LogsStatsOptions, place: Place): Promise<ExitCode> {
  const { state, terminal } = place;
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const stats = await reader.stats({
    ...(tool !== undefined && { toolName: tool }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  });
  await writeTo(terminal.output, `${json ? toJsonText(stats) : toTable(stats)}\n`);
  return (await explainEmptyLog(reader, place)) ?? EXIT.ok;
}

const COLUMNS = ['tool', 'calls', 'ok', 'errors', 'refusals', 'withheld', 'unknown', 'p50', 'p95', 'p99'];
const LONGEST_NAME = 40;

function toTable({ tools, moreTools, total, notEnded, countedRefusals }: CallStats): string {
  const rows = [COLUMNS, ...tools.map(toRow), toRow({ ...total, toolName: 'total', p50: undefined, p95: undefined, p99: undefined })];
  const lines = [...toTableLines(rows, { rightAligned: (column) => column > 0 })];
  // Apart from the tools: anybody may ask for one that is called `total`.
  lines.splice(-1, 0, '');
  if (moreTools > 0) lines.push(`and ${moreTools} more names, which are in the total`);
  if (notEnded > 0) lines.push(`and ${notEnded} that began and ${notEnded === 1 ? 'has' : 'have'} not ended`);
  if (countedRefusals > 0) lines.push(`and ${countedRefusals} refusals that came too fast to be recorded one by one`);
  return lines.join('\n');
}

function toRow({ toolName, calls, ok, errors, refusals, withheld, unknown, p50, p95, p99 }: ToolStats): readonly string[] {
  const name = printableLine(showName(toolName));
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
  return [shown, ...[calls, ok, errors, refusals, withheld, unknown].map(String), ...[p50, p95, p99].map(showMs)];
}
