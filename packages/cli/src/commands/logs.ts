import type { AgentLogEntry } from '@devs/core';
import { openSqliteAgentLogReader } from '@devs/storage';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { printable, printableLine, toJsonText, writeTo } from '../terminal.ts';

export interface LogsListOptions {
  readonly json: boolean;
  readonly limit: number;
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly status?: AgentLogEntry['status'] | undefined;
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
