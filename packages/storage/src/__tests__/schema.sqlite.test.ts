import { chmodSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqliteAgentLogs } from '../index.ts';
import { readState } from '../sqlite/inspect.ts';
import { toOutcomeRow } from '../record/to-row.ts';
import { migrate } from '../sqlite/migrate.ts';
import { MIGRATIONS } from '../sqlite/schema.ts';
import { callId, createTempFolder, recordOf } from './fixtures.ts';

describe('append only', () => {
  it.each([
    ['an update', "UPDATE agent_log_records SET rule = 'x'"],
    ['a delete', 'DELETE FROM agent_log_records'],
    ['a replacement of the row', 'INSERT OR REPLACE INTO agent_log_records SELECT * FROM agent_log_records'],
    [
      'an upsert',
      "INSERT INTO agent_log_records SELECT * FROM agent_log_records WHERE true ON CONFLICT DO UPDATE SET rule = 'x'",
    ],
    ['a delete through the view', 'DELETE FROM agent_logs'],
    ['a schema edit', 'DELETE FROM sqlite_schema'],
  ])('%s is refused', async (_name, statement) => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf());
    const other = new Database(folder.log);
    expect(() => other.exec(statement)).toThrow(/append only|already recorded|cannot modify|may not be modified/);
    other.close();
    expect(await logs.list({ limit: 10 })).toEqual([recordOf()]);
  });
});

describe('once', () => {
  it('holds by the index too, should the trigger be gone', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    const other = new Database(folder.log);
    other.exec('DROP TRIGGER agent_log_records_once');
    other.close();
    await logs.append(recordOf());
    await expect(logs.append(recordOf())).rejects.toMatchObject({ failure: 'duplicate' });
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
    const { received_input: _input, received_input_form: _form, ...row } = toOutcomeRow(recordOf());
    const columns = Object.keys(row);
    database.prepare(`INSERT INTO agent_log_records (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`).run(row);
    expect(readState(database, folder.log)).toBe('older');
    database.close();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf({ id: callId(2), receivedInput: { path: 1 } }));
    expect(await logs.list({ limit: 10 })).toEqual([recordOf({ id: callId(2), receivedInput: { path: 1 } }), recordOf()]);
  });

  it('leave nothing of a step that fails', () => {
    const database = new Database(':memory:');
    expect(() => migrate(database, [first, ['CREATE TABLE b (x)', 'not SQL']])).toThrow('syntax');
    expect(database.pragma('user_version', { simple: true })).toBe(1);
    expect(database.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['a']);
  });
});
