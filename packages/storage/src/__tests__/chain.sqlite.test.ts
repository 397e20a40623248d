import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqliteAgentLogs, openSqliteSource, verifyLog } from '../index.ts';
import type { RecordHeader } from '../chain/header.ts';
import { callId, createTempFolder, intentOf, recordOf } from './fixtures.ts';

interface Row {
  readonly seq: number;
  readonly leaf: Uint8Array;
  readonly header: string;
  readonly salt: Uint8Array | null;
  readonly payload: string | null;
}

function readRows(file: string): readonly Row[] {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare<[], Row>('SELECT seq, leaf, header, salt, payload FROM records ORDER BY seq').all();
  database.close();
  return rows;
}

function headersOf(file: string): readonly RecordHeader[] {
  return readRows(file).map(({ header }) => JSON.parse(header) as RecordHeader);
}

/** Computed here from the bytes alone, as an auditor would. */
function sha256(...parts: readonly (string | Uint8Array)[]): string {
  return hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'hex');
}

describe('the chain', () => {
  it('links each record to the one before, and commits to its payload', async () => {
    using folder = createTempFolder();
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, version: '1.2.3' });
      await logs.begin(intentOf());
      await logs.append(recordOf());
      await logs.append(recordOf({ id: callId(2), status: 'denied' }));
    }
    const rows = readRows(folder.log);
    let prev = '0'.repeat(64);
    for (const [index, { seq, leaf, header, salt, payload }] of rows.entries()) {
      const parsed = JSON.parse(header) as RecordHeader;
      expect([seq, parsed.seq, parsed.prev]).toEqual([index + 1, index + 1, prev]);
      prev = sha256('\0', header);
      expect(Buffer.from(leaf).toString('hex')).toBe(prev);
      expect(parsed.payload).toBe(payload === null || salt === null ? null : sha256(salt, payload));
    }
    const headers = headersOf(folder.log);
    expect(headers.map(({ kind }) => kind)).toEqual(['audit.opened', 'call.started', 'call.finished', 'call.denied', 'audit.closed']);
    expect(headers[0]).toMatchObject({ store: expect.stringMatching(/^[0-9a-f]{32}$/), version: '1.2.3', mode: 'strict', durability: 'power' });
    expect(headers[2]).toMatchObject({ started: 2, status: 'ok', durationMs: 12.5, inputBytes: 20, outputForm: 'exact' });
  });

  it('salts the same payload anew each time, so that nobody can look it up by its commitment', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    for (let number = 1; number <= 600; number += 1) await logs.append(recordOf({ id: callId(number) }));
    const rows = readRows(folder.log).filter(({ salt }) => salt !== null);
    expect(new Set(rows.map(({ salt }) => Buffer.from(salt ?? []).toString('hex'))).size).toBe(600);
    expect(rows.every(({ salt }) => salt?.length === 16)).toBe(true);
  });

  it('goes on where the last session ended, under the same name of the log', async () => {
    using folder = createTempFolder();
    for (const number of [1, 2]) {
      await using logs = openSqliteAgentLogs({ file: folder.log });
      await logs.append(recordOf({ id: callId(number) }));
    }
    const facts = headersOf(folder.log).filter((header) => 'store' in header);
    expect(facts).toHaveLength(4);
    expect(new Set(facts.map((header) => ('store' in header ? header.store : '')))).toHaveProperty('size', 1);
  });

  it.each([undefined, 5, 'now', '2026-01-01'])('takes the clock of the machine where the given one says %p', async (said) => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, now: () => said as string });
    await logs.append(recordOf());
    expect(headersOf(folder.log)[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('says nothing of a session that wrote nothing', async () => {
    using folder = createTempFolder();
    await openSqliteAgentLogs({ file: folder.log }).close();
    expect(readRows(folder.log)).toEqual([]);
  });

  it('keeps times as the clock had them, and its order by number, when the clock goes backwards', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf({ timestamp: '2030-01-01T00:00:00.000Z' }));
    await logs.append(recordOf({ id: callId(2), timestamp: '2020-01-01T00:00:00.000Z' }));
    expect((await logs.list({ limit: 10 })).map(({ id }) => id)).toEqual([callId(2), callId(1)]);
    expect((await logs.list({ limit: 10, until: '2025-01-01T00:00:00.000Z' })).map(({ id }) => id)).toEqual([callId(2)]);
    await logs.close();
    await using source = openSqliteSource({ file: folder.log });
    expect(await verifyLog(source)).toMatchObject({ verdict: 'intact', records: 4 });
  });
});

describe('what was acknowledged', () => {
  it.each<[name: string, change: string]>([
    ['a record that is gone', 'DELETE FROM records WHERE seq = (SELECT max(seq) FROM records)'],
    ['another leaf', "UPDATE records SET leaf = zeroblob(32) WHERE seq = (SELECT max(seq) FROM records)"],
  ])('%s is noticed by the next write, and nothing is written to such a log', async (_name, change) => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf());
    const other = new Database(folder.log);
    for (const trigger of ['records_no_delete', 'records_erase_only']) other.exec(`DROP TRIGGER ${trigger}`);
    other.exec(change);
    const before = readRows(folder.log).length;
    await expect(logs.begin(intentOf({ id: callId(2) }))).rejects.toMatchObject({ failure: 'rolled-back' });
    await expect(logs.append(recordOf({ id: callId(3) }))).rejects.toMatchObject({ failure: 'rolled-back' });
    expect(readRows(folder.log)).toHaveLength(before);
    other.close();
  });

  it('another end that was grown behind a changed record is noticed too', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf());
    const other = new Database(folder.log);
    other.exec('DROP TRIGGER records_erase_only');
    other.exec('UPDATE records SET leaf = zeroblob(32)');
    other.exec("INSERT INTO records (seq, leaf, header) SELECT max(seq) + 1, zeroblob(32), '{}' FROM records");
    await expect(logs.begin(intentOf({ id: callId(2) }))).rejects.toMatchObject({ failure: 'rolled-back' });
    other.close();
  });

  it('what another process has written meanwhile is none of that', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await using others = openSqliteAgentLogs({ file: folder.log });
    for (let number = 1; number <= 6; number += 2) {
      await logs.append(recordOf({ id: callId(number) }));
      await others.append(recordOf({ id: callId(number + 1) }));
    }
    expect(await logs.list({ limit: 10 })).toHaveLength(6);
  });
});

describe('opened by several', () => {
  it('a call that another one has begun is ended here, its input repeated', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await using others = openSqliteAgentLogs({ file: folder.log });
    await others.begin(intentOf());
    await logs.append(recordOf());
    expect(await others.list({ limit: 10 })).toMatchObject([{ id: callId(1), status: 'ok', input: { path: 'README.md' } }]);
    expect(headersOf(folder.log).at(-1)).toMatchObject({ kind: 'call.finished', started: 2 });
  });

  it('a call of one that lives is left alone by one that comes', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.begin(intentOf());
    await openSqliteAgentLogs({ file: folder.log }).close();
    expect(await logs.get(callId(1))).toMatchObject({ status: 'started' });
    await logs.append(recordOf());
    expect(await logs.get(callId(1))).toMatchObject({ status: 'ok' });
  });

  it('a call of one that is gone gets its end from the next that comes, once', async () => {
    using folder = createTempFolder();
    {
      await using logs = openSqliteAgentLogs({ file: folder.log });
      await logs.begin(intentOf());
    }
    await openSqliteAgentLogs({ file: folder.log }).close();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    expect(await logs.get(callId(1))).toMatchObject({ status: 'unknown', isError: null, input: { path: 'README.md' }, durationMs: null });
    expect(headersOf(folder.log).filter(({ kind }) => kind === 'call.orphaned')).toHaveLength(1);
    await expect(logs.append(recordOf())).rejects.toMatchObject({ failure: 'duplicate' });
  });

  it('goes on, whoever the list of open calls says runs it', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.begin(intentOf());
    const other = new Database(folder.log);
    expect(other.prepare("UPDATE open_calls SET session = ?").run('0'.repeat(32)).changes).toBe(1);
    other.close();
    await openSqliteAgentLogs({ file: folder.log }).close();
    await logs.append(recordOf());
    expect(await logs.list({ limit: 10 })).toMatchObject([{ status: 'ok' }]);
  });
});
