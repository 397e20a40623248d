import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { createProject, type Project } from './devs.ts';

const SCRIPT = path.resolve(__dirname, '../../../../docs/security/verify-log.mjs');
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => project[Symbol.asyncDispose]());

const log = () => path.join(project.state, 'agent_logs.db');
const inside = (name: string) => path.join(project.outside, name);
const call = async () => project.run(['call', 'read_file', '{"path":"hello.txt"}']);
const verify = async (...args: readonly string[]) => project.run(['logs', 'verify', ...args]);

function removeLog(): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(log() + suffix, { force: true });
}

/** What devs remembers of the log, as somebody keeps it elsewhere. */
function keepHead(): string {
  const folder = path.join(project.root, '..', 'config', 'devs', 'log-heads');
  const [name = ''] = readdirSync(folder).filter((entry) => /^[0-9a-f]{32}\.json$/.test(entry));
  copyFileSync(path.join(folder, name), inside('head.json'));
  return inside('head.json');
}

async function verifyAlone(...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], { timeout: 240_000 }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

describe('what `devs logs key` prints, kept in a file', () => {
  beforeEach(async () => {
    await call();
  });

  it.each([
    ['as one line', [], 'devs.pub'],
    ['as PEM', ['--pem'], 'devs.pem'],
    // Of the letters of base64 alone: it is no key all the same.
    ['under a long name', [], 'devs'.repeat(20)],
  ])('is whom to believe: %s', async (_name, options, name) => {
    // Where the command runs, so that it is named by its name alone.
    writeFileSync(path.join(project.root, name), (await project.run(['logs', 'key', ...options])).stdout);
    copyFileSync(log(), inside('copy.db'));
    const { code, stdout } = await verify(inside('copy.db'), '--against', keepHead(), '--key', name);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^intact, anchored at record \d+\n[^]*signed by the key that was asked for/)]);
  });

  it('is what verify-log.mjs takes', async () => {
    writeFileSync(inside('devs.pub'), (await project.run(['logs', 'key'])).stdout);
    await project.run(['logs', 'export', '--out', inside('export.jsonl')]);
    expect(await verifyAlone(inside('export.jsonl'), keepHead(), inside('devs.pub'))).toMatch(/^intact: anchored .* signed by the key that you gave/);
  });

  it('is one line or PEM, not both', async () => {
    expect((await project.run(['logs', 'key', '--json', '--pem'])).code).toBe(64);
  });

  it('leaves it open where it signed nothing of a log', async () => {
    copyFileSync(log(), inside('copy.db'));
    expect((await verify(inside('copy.db'))).stdout).toMatch(/^intact, not anchored\n[^]*\nheads in the log: 1 agrees with it, the newest by the key of this machine at record 4/);
    const { code, stdout } = await verify(inside('copy.db'), '--key', OTHER_KEY);
    expect([code, stdout]).toEqual([2, expect.stringContaining('of the log as a whole: no head of it, in the log or beside it, is signed by the key that was asked for.')]);
  });
});

describe('the log of this root', () => {
  it('is vouched for by its own heads, where an older copy of it was put back', async () => {
    await call();
    copyFileSync(log(), inside('backup.db'));
    await call();
    removeLog();
    copyFileSync(inside('backup.db'), log());
    const { code, stdout } = await verify();
    expect(code).toBe(1);
    expect(stdout).toContain('Up to record 4 a head in the log itself, signed by the key of this machine, vouches for the records');
    expect(stdout).not.toContain('Nothing vouches');
  });

  it('is a new one, where the old one is gone and that was adopted', async () => {
    await call();
    removeLog();
    expect((await project.run(['logs', 'adopt', '--yes', '0'])).code).toBe(0);
    const { code, stdout } = await verify();
    expect([code, stdout]).toEqual([0, expect.stringContaining('adopted at record 2: the log that lay here before, signed up to record 4, was given up, and this one begun in its place')]);
  });

  it('is whole with the archives of another folder, where that is named', async () => {
    const then = new Date(Date.now() - 120 * 86_400_000).toISOString();
    mkdirSync(project.state, { mode: 0o700 });
    {
      await using logs = openSqliteAgentLogs({ file: log(), durability: 'process', now: () => then });
      await logs.append({ ...CALL, timestamp: then });
    }
    const disk = inside('disk');
    mkdirSync(disk, { mode: 0o700 });
    expect(await project.run(['logs', 'archive', '--keep-days', '100', '--to', disk])).toMatchObject({ code: 0 });
    const without = await verify();
    expect([without.code, without.stdout]).toEqual([2, expect.stringContaining('name its folder with --archives')]);
    const { code, stdout } = await verify('--archives', path.relative(project.root, disk));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^intact, anchored at record \d+\nrecords: \d+ read, 1 /)]);
    expect((await verify(log(), '--archives', disk)).code).toBe(64);
    expect((await verify('--archives', inside('none'))).code).toBe(2);
  });
});

const CALL: Omit<AgentLogRecord, 'timestamp'> = {
  id: 'call-0001', toolName: 'read_file', agentId: '', phaseId: '', epicId: '', taskId: '', turnIndex: 0, principal: 'local', channel: 'stdio',
  input: {}, receivedInput: null, rule: '', parentCallId: null,
  status: 'ok', isError: false, code: null, detail: null, durationMs: 0, sanitization: { truncated: false },
  output: { content: [{ type: 'text', text: 'yes' }] },
};
