import { chmodSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqliteAgentLogs } from '../index.ts';
import { readState } from '../sqlite/inspect.ts';
import { migrate } from '../sqlite/migrate.ts';
import { MIGRATIONS } from '../sqlite/schema.ts';
import { entryOf } from './entry-of.ts';
import { callId, createTempFolder, intentOf, recordOf } from './fixtures.ts';

const COLUMNS = 'seq, leaf, header, salt, payload';

describe('append only', () => {
  it.each([
    ['an update of a header', "UPDATE records SET header = '{}'"],
    ['an update of a hash', 'UPDATE records SET leaf = zeroblob(32)'],
    ['an update of a number', 'UPDATE records SET seq = seq + 1'],
    ['an update of a payload', "UPDATE records SET payload = '{}'"],
    ['a delete', 'DELETE FROM records'],
    ['an upsert', `INSERT INTO records (${COLUMNS}) SELECT ${COLUMNS} FROM records WHERE true ON CONFLICT DO UPDATE SET header = '{}'`],
    ['a delete through the view', 'DELETE FROM agent_logs'],
    ['a schema edit', 'DELETE FROM sqlite_schema'],
  ])('%s is refused', async (_name, statement) => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf());
    const other = new Database(folder.log);
    expect(() => other.exec(statement)).toThrow(/append only|already recorded|cannot modify|may not be modified/);
    other.close();
    expect(await logs.list({ limit: 10 })).toEqual([entryOf(recordOf())]);
  });
});

describe('once', () => {
  it.each([
    ['a start', "json_set(header, '$.kind', 'call.started', '$.status', NULL)"],
    ['an outcome', 'header'],
  ])('%s: a second one of a call is refused by the index too', async (_name, header) => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.begin(intentOf());
    await logs.append(recordOf());
    const other = new Database(folder.log);
    const insert = `INSERT INTO records (seq, leaf, header) SELECT seq + 1, leaf, ${header} FROM records ORDER BY seq DESC LIMIT 1`;
    expect(() => other.exec(insert)).toThrow('UNIQUE');
    other.close();
  });
});

describe('the state of a file', () => {
  it('is that of one moment, while another process just makes the log', () => {
    using folder = createTempFolder();
    const maker = new Database(folder.log);
    maker.pragma('journal_mode = WAL');
    const database = new Database(folder.log, { readonly: true });
    const pragma = database.pragma.bind(database);
    database.pragma = (source, options) => {
      const value = pragma(source, options);
      if (source === 'application_id') migrate(maker);
      return value;
    };
    expect(readState(database, folder.log)).toBe('empty');
    expect(readState(database, folder.log)).toBe('current');
    database.close();
    maker.close();
  });
});

describe('migrations', () => {
  const first = ['CREATE TABLE a (x)'];

  it('go forward from where the file is, each once', () => {
    const database = new Database(':memory:');
    migrate(database, [first]);
    migrate(database, [first, ['CREATE TABLE b (x)', 'CREATE TABLE c (x)']]);
    migrate(database, [first, ['CREATE TABLE b (x)', 'CREATE TABLE c (x)']]);
    expect(database.pragma('user_version', { simple: true })).toBe(2);
    expect(database.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['a', 'b', 'c']);
  });

  it('bring a log of the first version forward, with all that is in it', async () => {
    using folder = createTempFolder();
    const database = new Database(folder.log);
    chmodSync(folder.log, 0o600);
    migrate(database, MIGRATIONS.slice(0, 1));
    insertOlder(database, { kind: 'finished', call_id: callId(1) });
    insertOlder(database, { kind: 'started', call_id: callId(3), status: 'started', is_error: null, output: null, output_form: null });
    expect(readState(database, folder.log)).toBe('older');
    database.close();
    const logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf({ id: callId(2), receivedInput: { path: 1 } }));
    const [newest, orphan, oldest] = await logs.list({ limit: 10 });
    expect(newest).toEqual(entryOf(recordOf({ id: callId(2), receivedInput: { path: 1 } })));
    expect(orphan).toMatchObject({ id: callId(3), status: 'unknown', input: { path: 'README.md' } });
    expect(oldest).toEqual(entryOf(recordOf()));
    await logs.close();
    // Not in a free page either.
    expect(readFileSync(folder.log).includes('agent_log_records')).toBe(false);
  });

  it('leave nothing of a step that fails', () => {
    const database = new Database(':memory:');
    expect(() => migrate(database, [first, ['CREATE TABLE b (x)', 'not SQL']])).toThrow('syntax');
    expect(database.pragma('user_version', { simple: true })).toBe(1);
    expect(database.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['a']);
  });
});

/** A row as devs wrote it before there was a chain. */
function insertOlder(database: Database.Database, change: Readonly<Record<string, string | number | null>>): void {
  const names = { tool_name: 'read_file', agent_id: 'agent-1', phase_id: 'phase-2', epic_id: 'epic-4', task_id: 'task-5' };
  const origin = { turn_index: 3, principal: 'local', channel: 'stdio', parent_call_id: null, rule: 'default', timestamp: '2026-01-02T03:04:05.678Z' };
  const end = { kind: 'finished', status: 'ok', is_error: 0, code: null, duration_ms: 12.5, detail: null, sanitization: '{"truncated":false}' };
  const texts = { input: '{"path":"README.md"}', input_form: 'exact', output: '{"content":[{"type":"text","text":"hello"}]}', output_form: 'exact' };
  const row = { ...names, ...origin, ...end, ...texts, ...change };
  const columns = Object.keys(row);
  database.prepare(`INSERT INTO agent_log_records (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`).run(row);
}
