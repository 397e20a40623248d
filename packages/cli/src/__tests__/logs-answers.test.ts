import { mkdirSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { SHOWN_ID } from '../commands/logs-format.ts';
import { createProject, parseLines, type Project } from './devs.ts';

const DAY_MS = 86_400_000;

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => project[Symbol.asyncDispose]());

function logFile(): string {
  mkdirSync(project.state, { mode: 0o700, recursive: true });
  return path.join(project.state, 'agent_logs.db');
}

function recordOf(number: number, change: Partial<AgentLogRecord> = {}): AgentLogRecord {
  const call = { toolName: 'read_file', agentId: 'a', turnIndex: 0, phaseId: '', epicId: '', taskId: '', principal: 'local', parentCallId: null };
  const ending = { status: 'ok' as const, isError: false, code: null, detail: null, output: { content: [] }, durationMs: 1, sanitization: { truncated: false } };
  const timestamp = new Date().toISOString();
  return { id: `call-number-${number}`, ...call, channel: 'stdio', input: {}, receivedInput: null, rule: '', timestamp, ...ending, ...change };
}

/** Records 1 and 2 of a call of 200 days ago, and one of today behind them. */
async function archiveOldOnes(): Promise<void> {
  const then = new Date(Date.now() - 200 * DAY_MS).toISOString();
  {
    await using logs = openSqliteAgentLogs({ file: logFile(), durability: 'process', now: () => then });
    await logs.append(recordOf(1, { timestamp: then }));
  }
  expect(await project.run(['call', 'read_file', '{"path":"hello.txt"}'])).toMatchObject({ code: 0 });
  expect(await project.run(['logs', 'archive', '--keep-days', '100'])).toMatchObject({ code: 0 });
}

describe('devs logs why, of a path', () => {
  let place: Project;
  let config: string;
  beforeAll(async () => {
    place = await createProject();
    config = path.join(place.outside, 'devs.config.json');
    const files = { blocked: ['secrets'], protected: ['lock.json'], symlinks: 'refuse', maxDepth: 4 };
    await writeFile(config, JSON.stringify({ files, tools: { write_file: { files: { allowed: ['src'] } } } }));
    await symlink('hello.txt', path.join(place.root, 'link'));
    mkdirSync(path.join(place.root, 'a', 'b', 'c', 'd'), { recursive: true });
  });
  afterAll(async () => place[Symbol.asyncDispose]());

  /** What the spelling alone decides is refused before the policy is asked. */
  const spelled = 'none: it did not reach the policy';
  const followed = 'default: it had allowed the call';

  it.each([
    ['read_file', 'secrets/key', 'files.blocked: "secrets"', spelled],
    ['write_file', 'src/lock.json', 'files.protected: "lock.json"', spelled],
    ['write_file', 'src/.git/config', 'files.protected, built in: ".git"', spelled],
    ['write_file', 'docs/a', 'tools.write_file.files.allowed: "src"', spelled],
    ['read_file', 'a/b/c/d/e', 'files.maxDepth: 4', followed],
    ['read_file', 'link', 'files.symlinks: "refuse"', followed],
    ['read_file', '../x', 'the project folder, built in: no path leads out of it', spelled],
  ])('%s %s is refused by %s', async (tool, name, rule, policy) => {
    const told = await place.run(['call', tool, JSON.stringify({ path: name, ...(tool === 'write_file' && { content: '' }) }), '--config', config]);
    expect(told.code).toBe(2);
    expect(`${told.stdout}${told.stderr}`).not.toMatch(/files\.|built in/);
    const [{ id } = {}] = parseLines((await place.run(['logs', 'list', '--limit', '1', '--json'])).stdout);
    const { stdout } = await place.run(['logs', 'why', String(id)]);
    expect(stdout).toContain(`\nrule    ${rule}\n`);
    expect(stdout).toContain(`\npolicy  ${policy}\n`);
  });
});

describe('a call that is not in the log', () => {
  it.each(['show', 'why'])('%s says that it may have been counted, or moved out, and not where nothing was', async (command) => {
    const ask = async () => project.run(['logs', command, 'call-number-9999']);
    const plain = 'devs: There is no call with the id call-number-9999.';
    await project.run(['tools']);
    expect(await ask()).toMatchObject({ code: 1, stderr: `${plain}\n` });
    await rm(project.state, { recursive: true });
    await rm(path.join(path.dirname(project.root), 'config'), { recursive: true, force: true });
    await archiveOldOnes();
    expect((await ask()).stderr).toMatch(/9999\. It may be one of those in records 1 to \d+, which were moved to archives, the last of them to agent_logs\.db\.\S+\.gz\.\n$/);
    {
      await using logs = openSqliteAgentLogs({ file: logFile(), durability: 'process' });
      for (let number = 0; number < 120; number += 1) await logs.append(recordOf(number, { status: 'denied', isError: true, code: 'UNKNOWN_TOOL' }));
    }
    expect(await ask()).toMatchObject({ code: 1, stderr: expect.stringMatching(/one of \d+ refusals that came too fast and were only counted \(call\.coalesced\), or one of those in records 1/) });
  });
});

describe('devs logs export', () => {
  it('is told no range that ends before it begins', async () => {
    await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
    expect(await project.run(['logs', 'export', '--from', '5', '--to', '2'])).toMatchObject({ code: 64, stdout: '' });
    expect(await project.run(['logs', 'export', '--from', '1', '--to', '1'])).toMatchObject({ code: 0, stderr: '1 record.\n' });
  });

  it('says where records are that have left the log', async () => {
    await archiveOldOnes();
    const moved = /^(\d+) records?\.\nOf these, records (\d+) to (\d+) have left the log: they are in agent_logs\.db\.1-\d+\.jsonl\.gz\.\n$/;
    for (const [args, records] of [[['--from', '1', '--to', '2'], ['0', '1', '2']], [['--to', '1'], ['0', '1', '1']]] as const) {
      const { code, stdout, stderr } = await project.run(['logs', 'export', ...args]);
      expect([code, stdout, moved.exec(stderr)?.slice(1)]).toEqual([1, '', records]);
    }
    const partly = await project.run(['logs', 'export', '--from', '2']);
    expect([partly.code, moved.exec(partly.stderr)?.[2]]).toEqual([1, '2']);
    expect(parseLines(partly.stdout)).not.toHaveLength(0);
    expect(await project.run(['logs', 'export'])).toMatchObject({ code: 0 });
  });
});

describe('devs logs adopt --json', () => {
  it('prints a document where there is nothing to adopt', async () => {
    await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
    const { code, stdout } = await project.run(['logs', 'adopt', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { adopted: false, from: null, at: null }]);
  });
});

describe('a log that was deleted', () => {
  it.each([['list'], ['list', '--json'], ['stats'], ['search', 'hello']])('devs logs %s %s does not say that nothing was called', async (...args) => {
    const call = async () => project.run(['call', 'read_file', '{"path":"hello.txt"}']);
    await call();
    for (const suffix of ['', '-wal', '-shm']) await rm(logFile() + suffix, { force: true });
    // Leaves an empty log in its place.
    expect(await call()).toMatchObject({ code: 78 });
    const { code, stderr } = await project.run(['logs', ...args]);
    expect(code).not.toBe(0);
    expect(stderr).not.toContain('No calls.');
    expect(stderr).toContain('devs logs verify');
  });
});

it('a log that nothing was called in says so', async () => {
  await project.run(['tools']);
  expect(await project.run(['logs', 'list'])).toMatchObject({ code: 0, stderr: 'No calls.\n' });
});

describe('names and figures', () => {
  it('shows a call without a name of a tool as "", so that columns stay where they are', async () => {
    {
      await using logs = openSqliteAgentLogs({ file: logFile(), durability: 'process' });
      await logs.append(recordOf(1, { toolName: '', status: 'denied', isError: true, code: 'UNKNOWN_TOOL' }));
    }
    expect((await project.run(['logs', 'list'])).stdout.split(/ {2,}/)[3]).toBe('""');
    expect((await project.run(['logs', 'stats'])).stdout).toMatch(/^"" +1 /m);
    expect((await project.run(['logs', 'why', 'call-number-1'])).stdout).toContain('call    "", called by a\n');
  });

  it('counts calls that have not ended apart', async () => {
    await using logs = openSqliteAgentLogs({ file: logFile(), durability: 'process' });
    await logs.append(recordOf(1));
    await logs.begin(recordOf(2));
    expect((await project.run(['logs', 'stats'])).stdout).toContain('and 1 that began and has not ended\n');
    expect((await project.run(['logs', 'stats', '--tool', 'other'])).stdout).not.toContain('not ended');
  });
});

it.each<[string, string]>([
  ['of another program', 'CREATE TABLE t (x)'],
  ['of a newer devs', 'PRAGMA user_version = 99999'],
])('a file %s in the place of the log is answered with what a user can do', async (_name, sql) => {
  if (sql.startsWith('PRAGMA')) await project.run(['tools']);
  else await writeFile(logFile(), '', { mode: 0o600 });
  const database = new DatabaseSync(logFile());
  database.exec(sql);
  database.close();
  const { code, stderr } = await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
  expect([code, stderr]).toEqual([78, expect.stringContaining('run `devs logs adopt` to start a new one')]);
  expect(stderr).not.toContain('another file');
});

describe('the help', () => {
  it.each(['show', 'why'])('of %s asks for no more of an id than tells it from others', async (command) => {
    expect((await project.run(['logs', command, '--help'])).stdout.replaceAll(/\s+/g, ' ')).toContain(`at least 8 (list shows ${SHOWN_ID})`);
  });

  it('shows ids as long as `list` does, says what the columns are, and what devs ends with', async () => {
    const ids = [...(await project.run(['logs', '--help'])).stdout.matchAll(/devs logs (?:show|why) (\S+)/g)].map(([, id = '']) => id.length);
    expect(ids).toEqual([SHOWN_ID, SHOWN_ID]);
    for (const command of ['list', 'search', 'tail']) expect((await project.run(['logs', command, '--help'])).stdout).toContain('\nColumns: ');
    const { stdout } = await project.run(['--help']);
    for (const code of [0, 1, 2, 64, 69, 70, 78, 130]) expect(stdout).toMatch(new RegExp(`[ \n]${code} [a-z]`));
  });
});
