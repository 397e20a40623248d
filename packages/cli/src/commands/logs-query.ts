import type { AgentLogEntry, AgentLogQuery } from '@devs/core';
import { Option, type Command } from 'commander';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { printableLine } from '../terminal/terminal.ts';

const STATUSES: readonly AgentLogEntry['status'][] = ['started', 'ok', 'error', 'denied', 'withheld', 'unknown'];

/** Which calls are asked for, as the command line says it. */
export interface CallFilterOptions {
  readonly limit: number;
  readonly tool?: string;
  readonly agent?: string;
  readonly phase?: string;
  readonly epic?: string;
  readonly status?: AgentLogEntry['status'];
  readonly since?: string;
  readonly until?: string;
  readonly before?: number;
}

/** The options by which calls are chosen. */
export function withCallFilters(command: Command): Command {
  return withTimes(command)
    .addOption(new Option('--limit <n>', 'maximum number of calls').argParser(parseLimit).default(20))
    .option('--tool <name>', 'only calls of this tool')
    .option('--agent <id>', 'only calls of this agent')
    .option('--phase <id>', 'only calls of this phase')
    .option('--epic <id>', 'only calls of this epic')
    .addOption(new Option('--status <status>', 'only calls that ended this way').choices([...STATUSES]))
    .addOption(new Option('--before <seq>', 'only records before this one: the next page').argParser(seqOf('--before')));
}

/** `--since` and `--until`. */
export function withTimes(command: Command): Command {
  return command
    .addOption(new Option('--since <time>', 'only calls that came then or later: 2h, 7d, 2026-01-31').argParser(parseTime))
    .addOption(new Option('--until <time>', 'only calls that came before').argParser(parseTime));
}

export function toQuery({ limit, tool, agent, phase, epic, status, since, until, before }: CallFilterOptions): AgentLogQuery {
  return {
    limit,
    ...(tool !== undefined && { toolName: tool }),
    ...(agent !== undefined && { agentId: agent }),
    ...(phase !== undefined && { phaseId: phase }),
    ...(epic !== undefined && { epicId: epic }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(before !== undefined && { before }),
  };
}

export function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000) throw new CommandFailure(EXIT.usage, `The limit ${text} is not a whole number from 1 to 1000.`);
  return limit;
}

/** For an option that names a record. */
export function seqOf(option: string): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d{0,14}$/.test(text)) throw new CommandFailure(EXIT.usage, `${option} ${printableLine(text)}: it is the seq of a record, a whole number from 1.`);
    return Number(text);
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const AGO = /^(\d{1,6})([smhdw])$/;
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A moment, or how long ago it was, as the log writes moments. A date alone begins at midnight, UTC. */
export function parseTime(text: string): string {
  const [, count = '', unit = ''] = AGO.exec(text) ?? [];
  const moment = count === '' ? new Date(DATE.test(text) ? text : Number.NaN) : new Date(Date.now() - Number(count) * (UNIT_MS[unit] ?? 0));
  // A day that there is not (February 30) would be taken for another.
  const isThere = !Number.isNaN(moment.getTime()) && moment.getTime() >= 0 && (count !== '' || isDay(text.slice(0, 10)));
  if (!isThere) throw new CommandFailure(EXIT.usage, `The time ${text} is not understood. Examples: 30m, 2h, 7d, 2026-01-31, 2026-01-31T23:59:00Z.`);
  return moment.toISOString();
}

function isDay(day: string): boolean {
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
