import path from 'node:path';
import { HeadKeeper } from '../../heads/head-keeper.ts';
import { openSigningKey } from '../../heads/signing-key.ts';
import { LogArchiver, type LogArchiverOptions } from '../log-archiver.ts';

const START = Date.parse('2026-01-01T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** Noon of a day, counted from the first of January 2026 on. */
export function dayAt(day: number): string {
  return new Date(START + day * DAY_MS).toISOString();
}

/** Who signs the log of a folder, by a configuration of its own: the key, and what is remembered. */
export function keeperOf(folder: string, configuration = 'config'): HeadKeeper {
  const own = path.join(folder, configuration);
  const key = openSigningKey(path.join(own, 'log-signing.key'));
  return new HeadKeeper({ key, folder: path.join(own, 'log-heads'), log: logOf(folder), everyRecords: 1_000, everySeconds: 300 });
}

export function logOf(folder: string): string {
  return path.join(folder, 'agent_logs.db');
}

/** The one that archives the log of a folder, on a day. */
export function archiverOf(folder: string, day: number, change: Partial<LogArchiverOptions> = {}): LogArchiver {
  return new LogArchiver({ file: logOf(folder), durability: 'process', now: () => dayAt(day), heads: keeperOf(folder), ...change });
}
