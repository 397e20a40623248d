// The call log alone: what a call costs it, against the same bytes written by SQLite and nobody else.
import { randomUUIDv7 } from 'node:crypto';
import { createRequire } from 'node:module';
import { statSync } from 'node:fs';
import { compare, toLines } from '../harness.mjs';
import { timeCalls } from '../load.mjs';
import { makePlace } from '../place.mjs';
import { openSqliteAgentLogs } from '../../packages/storage/dist/index.js';

const Database = createRequire(new URL('../../packages/storage/package.json', import.meta.url))('better-sqlite3');
const ROUNDS = 9;
const LOAD = { calls: 3_200, atOnce: 32 };
const INPUT = { path: 'one-kilobyte.txt' };
const OUTPUT = { content: [{ type: 'text', text: 'x'.repeat(1_024) }] };

/** `started` and `finished`, 32 calls at once, 1 KB; power-safe, and process-safe for comparison. */
export async function measureLog() {
  using place = makePlace();
  await using closing = new AsyncDisposableStack();
  const lines = [];
  for (const durability of ['power', 'process']) {
    const file = place.inside(`p5-${durability}.db`);
    const logs = closing.use(openSqliteAgentLogs({ file, durability }));
    const [bytes, started] = await sizeOf(logs, file);
    const bare = closing.adopt(openBare(place.inside(`bare-${durability}.db`), durability), (database) => database.close());
    const contenders = [
      { name: `bare insert of ${bytes} bytes a call, 32 a transaction, ${durability}`, measure: () => timeBare(bare, bytes) },
      { name: `started + finished, ${durability}-safe`, measure: async () => timeCalls(async () => call(logs), LOAD) },
    ];
    for (const { measure } of contenders) await measure();
    const results = toLines(await compare(contenders, ROUNDS));
    lines.push(...results, { name: `bytes in the database a call, ${durability}`, figures: [`${started} B`] });
  }
  return {
    id: 'P5',
    title: 'the call log: started + finished, 32 calls at once, 1 KB of output',
    against: 'one bare insert of the same bytes a call, 32 in a transaction (SQLite, WAL, the same flushes)',
    goal: 'power-safe <= 2.5 x',
    lines,
  };
}

async function call(logs) {
  const intent = toIntent();
  await logs.begin(intent);
  await logs.append({ ...intent, status: 'ok', isError: false, code: null, detail: null, output: OUTPUT, durationMs: 1.25, sanitization: { truncated: false, counts: {} } });
}

function toIntent() {
  const id = randomUUIDv7();
  const names = { toolName: 'read_file', agentId: 'agent-1', phaseId: 'phase-1', epicId: 'epic-1', taskId: 'task-1' };
  return { id, ...names, turnIndex: 3, principal: 'local', channel: 'stdio', parentCallId: null, input: INPUT, receivedInput: null, rule: 'default', timestamp: '2026-01-01T00:00:00.000Z' };
}

/** Bytes of text that a call stores, and bytes that the file grows by. */
async function sizeOf(logs, file) {
  const calls = 2_000;
  await timeCalls(async () => call(logs), { calls, atOnce: 32 });
  const database = new Database(file);
  const stored = database.prepare('SELECT sum(length(header) + coalesce(length(payload), 0) + 48) FROM records').pluck().get();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return [Math.round(stored / calls), Math.round(statSync(file).size / calls)];
}

function openBare(file, durability) {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
  database.pragma('wal_autocheckpoint = 10000');
  database.exec('CREATE TABLE bare (seq INTEGER PRIMARY KEY, text TEXT)');
  return database;
}

async function timeBare(database, bytes) {
  const insert = database.prepare('INSERT INTO bare (text) VALUES (?)');
  const text = 'x'.repeat(bytes);
  const write = database.transaction(() => {
    for (let index = 0; index < LOAD.atOnce; index += 1) insert.run(text);
  });
  const transactions = LOAD.calls / LOAD.atOnce;
  return (await timeCalls(async () => write.immediate(), { calls: transactions, atOnce: 1 })) / LOAD.atOnce;
}
