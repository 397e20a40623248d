import type { AgentLogEntry } from '@devs/core';
import { openSqliteAgentLogReader } from '@devs/storage';
import { Option, type Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printable, printableLine, toJsonText, writeTo } from '../terminal.ts';

const STATUSES: readonly AgentLogEntry['status'][] = ['started', 'ok', 'error', 'denied', 'withheld'];

export interface LogsListOptions {
  readonly json: boolean;
  readonly limit: number;
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly status?: AgentLogEntry['status'] | undefined;
}

/** `devs logs` on the command line. */
export function addLogs(program: Command, session: Session): void {
  const logs = program.command('logs').description('read the call log').addHelpText('after', EXAMPLES);
  const list = logs
    .command('list', { isDefault: true })
    .description('the newest calls first')
    .addOption(new Option('--limit <n>', 'most calls to show').argParser(parseLimit).default(20))
    .option('--tool <name>', 'only calls of this tool')
    .option('--agent <id>', 'only calls of this agent')
    .addOption(new Option('--status <status>', 'only calls that ended so').choices([...STATUSES]))
    .option('--json', 'one JSON object a line', false);
  withPlaceOptions(list).action(async (options: PlaceOptions & LogsListOptions) =>
    runReading(session, options, (place) => logsListCommand(options, place)),
  );
  const show = logs
    .command('show')
    .description('one call, whole')
    .argument('<id>', 'its id, or the first 8 or more characters of it')
    .option('--json', 'one JSON document', false);
  withPlaceOptions(show).action(async (id: string, options: PlaceOptions & { json: boolean }) =>
    runReading(session, options, (place) => logsShowCommand(id, options, place)),
  );
}

function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000) throw new CommandFailure(EXIT.usage, `--limit ${text}: it is a whole number from 1 to 1000.`);
  return limit;
}

/** The newest calls first, one a line. */
export async function logsListCommand(options: LogsListOptions, { state, terminal }: Place): Promise<ExitCode> {
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const { json, limit, tool, agent, status } = options;
  const entries = await reader.list({
    limit,
    ...(tool !== undefined && { toolName: tool }),
    ...(agent !== undefined && { agentId: agent }),
    ...(status !== undefined && { status }),
  });
  for (const entry of entries) await writeTo(terminal.output, `${json ? toJsonLine(entry) : toLine(entry)}\n`);
  if (entries.length === 0 && !json) await writeTo(terminal.status, 'No calls.\n');
  return EXIT.ok;
}

/** One call, whole. Exit 1 when there is none of this id. */
export async function logsShowCommand(id: string, { json }: { json: boolean }, place: Place): Promise<ExitCode> {
  await using reader = openSqliteAgentLogReader({ file: place.state.logFile });
  const entry = await reader.get(id);
  if (entry === undefined) throw new CommandFailure(EXIT.toolError, `There is no call with the id ${printableLine(id)}.`);
  const text = json ? toJsonLine(entry) : printable(JSON.stringify(toShown(entry), null, 2));
  await writeTo(place.terminal.output, `${text}\n`);
  return EXIT.ok;
}

function toLine(entry: AgentLogEntry): string {
  const { timestamp, id, status, toolName, agentId, turnIndex, durationMs, code } = entry;
  const duration = durationMs === null ? '-' : `${durationMs.toFixed(1)} ms`;
  const fields = [timestamp, id.slice(0, 13), status.padEnd(8), toolName.padEnd(18), `${agentId}#${turnIndex}`, duration, code ?? ''];
  return printableLine(fields.join('  ').trimEnd());
}

function toJsonLine(entry: AgentLogEntry): string {
  return toJsonText(toShown(entry));
}

/** The policy's decision as one object: later decisions have more to say than a rule. */
function toShown({ rule, ...entry }: AgentLogEntry): object {
  return { ...entry, decision: rule === '' ? null : { rule } };
}

const EXAMPLES = `
Examples:
  devs logs list --limit 5 --status denied
  devs logs list --json
  devs logs show 0f8fad5b`;
