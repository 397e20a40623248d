import fs from 'node:fs';
import path from 'node:path';
import type { AgentLogIntent, AgentLogRecord } from '@devs/core';
import Database from 'better-sqlite3';
import { callId, createTempFolder, intentOf, recordOf } from '../../__tests__/fixtures.ts';
import { openSqliteAgentLogs, type HeadKeeper, type SqliteAgentLogs } from '../../index.ts';
import { openExportSource } from '../../verify/export-source.ts';
import { joinSources } from '../../verify/series-source.ts';
import { openSqliteSource } from '../../verify/sqlite-source.ts';
import type { VerifyReport } from '../../verify/report.ts';
import { verifyLog } from '../../verify/verify-log.ts';
import { LogArchiver, type LogArchiverOptions } from '../log-archiver.ts';
import { archiverOf, dayAt, keeperOf } from './archiver.ts';

/** A word that lies on the disk for just as long as a payload does. */
export function wordOf(number: number): string {
  return `planted${number}word`;
}

export interface ArchivePlace extends Disposable {
  readonly path: string;
  readonly log: string;
  /** Where archives go by default. */
  readonly archives: string;
  keeper(): HeadKeeper;
  open(day: number, change?: { heads?: HeadKeeper | undefined }): SqliteAgentLogs;
  archiver(day: number, change?: Partial<LogArchiverOptions>): LogArchiver;
  /** Writes whole calls of a day, `from` to `upTo`. */
  write(day: number, numbers: readonly [from: number, upTo: number]): Promise<void>;
  /** Of the log alone. */
  verify(): Promise<VerifyReport>;
  /** Of the archives that are there, and the log. */
  verifyAll(): Promise<VerifyReport>;
  archiveFiles(): readonly string[];
  /** Ids of all calls that have an outcome, in the archives or the log, sorted; each as often as it is there. */
  answered(): Promise<readonly string[]>;
  query<Row>(sql: string): Row[];
  /** Changes the log as somebody does who is not devs. */
  tamper(sql: string): void;
}

/** A log that is signed, and the folder of the key apart from it. */
export function createArchivePlace({ isSigned = true } = {}): ArchivePlace {
  const temp = createTempFolder();
  const { log } = temp;
  const keeper = () => keeperOf(temp.path);
  const signed = () => (isSigned ? { heads: keeper() } : {});
  const archives = path.join(temp.path, 'archives');
  const archiveFiles = () => (fs.existsSync(archives) ? fs.readdirSync(archives).filter((name) => name.endsWith('.gz')).toSorted(byFirst) : []);
  const open: ArchivePlace['open'] = (day, change = signed()) => openSqliteAgentLogs({ file: log, durability: 'process', now: () => dayAt(day), ...(change.heads !== undefined && { heads: change.heads }) });
  const openAll = async () => {
    const parts = archiveFiles().map(async (name) => openExportSource({ file: path.join(archives, name), isCompressed: true }));
    return joinSources([...(await Promise.all(parts)), openSqliteSource({ file: log })]);
  };
  return {
    path: temp.path,
    log,
    archives,
    keeper,
    open,
    archiver: (day, change = {}) => (isSigned ? archiverOf(temp.path, day, change) : new LogArchiver({ file: log, durability: 'process', now: () => dayAt(day), ...change })),
    write: async (day, [from, upTo]) => {
      await using logs = open(day);
      for (let number = from; number <= upTo; number += 1) {
        await logs.begin(callOf(number, day));
        await logs.append(outcomeOf(number, day));
      }
    },
    verify: async () => {
      await using source = openSqliteSource({ file: log });
      return await verifyLog(source);
    },
    verifyAll: async () => {
      await using source = await openAll();
      return await verifyLog(source);
    },
    archiveFiles,
    answered: async () => {
      await using source = await openAll();
      const ids: string[] = [];
      for await (const batch of source.records()) {
        for (const { header } of batch) {
          const { callId: id, status } = JSON.parse(header);
          if (typeof id === 'string' && typeof status === 'string') ids.push(id);
        }
      }
      return ids.toSorted();
    },
    query: (sql) => withDatabase(log, (database) => database.prepare<[], never>(sql).all()),
    tamper: (sql) => withDatabase(log, (database) => void database.exec(sql)),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  };
}

export function callOf(number: number, day: number, change: Partial<AgentLogIntent> = {}): AgentLogIntent {
  return intentOf({ id: callId(number), input: { path: wordOf(number) }, timestamp: dayAt(day), ...change });
}

export function outcomeOf(number: number, day: number, change: Partial<AgentLogRecord> = {}): AgentLogRecord {
  return recordOf({ ...callOf(number, day), output: { content: [{ type: 'text', text: `${wordOf(number)} `.repeat(20) }] }, ...change });
}

/** The numbers of the calls of which a word lies in any byte of any file of a folder, and of those in it. */
export function plantedIn(folder: string): readonly number[] {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
  const numbers = texts.flatMap((text) => [...text.matchAll(/planted(\d+)word/g)].map(([, number]) => Number(number)));
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}

function withDatabase<Result>(file: string, work: (database: Database.Database) => Result): Result {
  const database = new Database(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function byFirst(one: string, other: string): number {
  return firstOf(one) - firstOf(other);
}

function firstOf(name: string): number {
  return Number(/\.(\d+)-\d+\.jsonl/.exec(name)?.[1] ?? 0);
}
