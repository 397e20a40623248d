import type { Command } from 'commander';
import type { AddCommand, Session } from '../session.ts';
import { addLogsAdopt } from './logs-adopt.ts';
import { addLogsArchive } from './logs-archive.ts';
import { addLogsExport } from './logs-export.ts';
import { addLogsKey } from './logs-key.ts';
import { addLogsList } from './logs-list.ts';
import { addLogsSearch } from './logs-search.ts';
import { addLogsShow } from './logs-show.ts';
import { addLogsStats } from './logs-stats.ts';
import { addLogsTail } from './logs-tail.ts';
import { addLogsVerify } from './logs-verify.ts';
import { addLogsWhy } from './logs-why.ts';

/** Each of them lives in its own file. */
const COMMANDS: readonly AddCommand[] = [
  addLogsList,
  addLogsShow,
  addLogsTail,
  addLogsSearch,
  addLogsStats,
  addLogsWhy,
  addLogsVerify,
  addLogsExport,
  addLogsKey,
  addLogsAdopt,
  addLogsArchive,
];

/** `devs logs` on the command line. */
export function addLogs(program: Command, session: Session): void {
  const logs = program.command('logs').description('read the call log').addHelpText('after', EXAMPLES);
  for (const add of COMMANDS) add(logs, session);
}

const EXAMPLES = `
Examples:
  devs logs list --limit 5 --status denied --since 7d
  devs logs show 019cc7b2-4d1e-7a05
  devs logs why 019cc7b2-4d1e-7a05
  devs logs tail --follow
  devs logs search invoice 'out of memory'
  devs logs stats --since 24h`;
