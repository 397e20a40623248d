import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { AgentLogRecord } from '@devs/core';
import { callId, createTempFolder, intentOf, recordOf } from '../../__tests__/fixtures.ts';
import { openSqliteAgentLogReader, openSqliteAgentLogs, type SearchPage } from '../../index.ts';
import { connectReadOnly } from '../../sqlite/open-read-only.ts';
import { checkSearchIndex, type IndexProblem } from '../check-search-index.ts';
import { indexFileOf } from '../index-file.ts';

/** A log of its own, and what is asked of it. */
export interface Scene extends Disposable {
  readonly log: string;
  readonly index: string;
  write(...records: readonly Partial<AgentLogRecord>[]): Promise<void>;
  begin(id: string, input: unknown): Promise<void>;
  search(words: string, query?: object): Promise<SearchPage>;
  /** Numbers of the calls that are found, in their order. */
  found(words: string, query?: object): Promise<readonly number[]>;
  check(): Promise<IndexProblem | undefined>;
  /** Changes the index by another program. */
  tamper(sql: string): void;
}

export function createScene(): Scene {
  const folder = createTempFolder();
  const { log } = folder;
  let calls = 0;
  const search = async (words: string, query: object = {}) => {
    await using reader = openSqliteAgentLogReader({ file: log });
    return await reader.search(words, { limit: 100, ...query });
  };
  return {
    log,
    index: indexFileOf(log),
    search,
    write: async (...records) => {
      await using logs = openSqliteAgentLogs({ file: log, durability: 'process' });
      for (const record of records) {
        calls += 1;
        const call = { id: callId(calls), ...record };
        await logs.begin(intentOf(call));
        await logs.append(recordOf(call));
      }
    },
    begin: async (id, input) => {
      await using logs = openSqliteAgentLogs({ file: log, durability: 'process' });
      await logs.begin(intentOf({ id, input }));
    },
    found: async (words, query) => (await search(words, query)).hits.map(({ entry }) => Number(entry.id.slice(0, 8))),
    check: async () => {
      const database = connectReadOnly(log, 1_000);
      try {
        return await checkSearchIndex({ database, file: log });
      } finally {
        database.close();
      }
    },
    tamper: (sql) => {
      const database = new Database(indexFileOf(log));
      database.exec(sql);
      database.close();
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

export function textOf(text: string): Pick<AgentLogRecord, 'output'> {
  return { output: { content: [{ type: 'text', text }] } };
}

/** Every file beside the log whose name begins as the index's. */
export function indexFiles({ index }: Scene): readonly string[] {
  const folder = path.dirname(index);
  return fs.readdirSync(folder).filter((name) => name.startsWith(path.basename(index)));
}

/** An index of another call log, under the name of this one's. */
export async function putForeignIndex(scene: Scene): Promise<void> {
  using other = createScene();
  await other.write(textOf('foreign words'));
  await other.found('foreign');
  fs.copyFileSync(other.index, scene.index);
  fs.chmodSync(scene.index, 0o600);
}

/** What `LogArchiver` writes beside it; of the chain only the place matters here. */
export function sayErased(scene: Scene, from = 1): void {
  const database = new Database(scene.log);
  const seq = Number(database.prepare('SELECT max(seq) FROM records').pluck().get()) + 1;
  const header = { v: 1, seq, prev: '', kind: 'audit.erased', timestamp: '', store: '', from, upTo: seq - 1, before: '9', days: 0, count: 1, payload: null };
  database.prepare('INSERT INTO records (seq, leaf, header) VALUES (?, zeroblob(32), ?)').run(seq, JSON.stringify(header));
  database.close();
}
