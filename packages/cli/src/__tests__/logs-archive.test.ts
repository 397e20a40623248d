import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import { openSqliteAgentLogs } from '@devs/storage';
import { createProject, type Project } from './devs.ts';

const DAY_MS = 86_400_000;
const HOSTILE = 'a\u001b[2Jb\u202ec\rd';
const RAW = /[\u001b\u202e\r]/;

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => project[Symbol.asyncDispose]());

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

async function fill(timestamps: readonly string[], now: string): Promise<void> {
  mkdirSync(project.state, { mode: 0o700, recursive: true });
  await using logs = openSqliteAgentLogs({ file: path.join(project.state, 'agent_logs.db'), durability: 'process', now: () => now });
  for (const [index, timestamp] of timestamps.entries()) await logs.append(recordOf(index, timestamp));
}

function recordOf(number: number, timestamp: string): AgentLogRecord {
  const call = { toolName: HOSTILE, agentId: HOSTILE, turnIndex: 0, phaseId: '', epicId: '', taskId: '', principal: 'local', parentCallId: null };
  const output = { content: [{ type: 'text' as const, text: HOSTILE }] };
  const ending = { status: 'ok' as const, isError: false, code: null, detail: null, output, durationMs: 1, sanitization: { truncated: false } };
  return { id: `call-number-${number}`, ...call, channel: 'stdio', input: {}, receivedInput: null, rule: '', timestamp, ...ending };
}

async function archive(...args: readonly string[]) {
  return await project.run(['logs', 'archive', ...args]);
}

describe('devs logs archive', () => {
  it('takes its days from the configuration, and what it is told before them', async () => {
    await fill([daysAgo(120)], daysAgo(120));
    expect(JSON.parse((await archive('--dry-run', '--json', '--payload-days', '150')).stdout)).toMatchObject({ plan: { erasure: { payloads: 0 } } });
    expect(JSON.parse((await archive('--dry-run', '--json', '--payload-days', '0')).stdout)).toMatchObject({ plan: { erasure: { before: null } } });
    const dry = await archive('--dry-run', '--json');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(dry.stdout)).toMatchObject({ plan: { erasure: { payloads: 1, from: { seq: 2 } }, pruning: { before: null }, forbidden: null } });
    const done = await archive('--json', '--keep-days', '100');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(done.stdout)).toMatchObject({ erased: 1, archives: [{ from: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }], problems: [], isJournalEmpty: true });
    expect(readdirSync(path.join(project.state, 'archives'))).toHaveLength(1);
    expect(await project.run(['logs', 'verify'])).toMatchObject({ code: 0 });
  });

  it('makes no key to say what it would do, and says what it would do with one', async () => {
    await fill([daysAgo(200)], daysAgo(200));
    const keyFile = path.join(path.dirname(project.root), 'config', 'devs', 'log-signing.key');
    const dry = await archive('--dry-run', '--json', '--keep-days', '100');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(dry.stdout)).toMatchObject({ plan: { pruning: { forbidden: null, archives: [{}] } } });
    expect(existsSync(keyFile)).toBe(false);
    expect(await archive('--keep-days', '100')).toMatchObject({ code: 0 });
    expect(existsSync(keyFile)).toBe(true);
  });

  it('lets no record leave a log that another configuration signs, and that one goes on', async () => {
    await fill([daysAgo(200)], daysAgo(200));
    const call = async () => project.run(['call', 'read_file', '{"path":"hello.txt"}']);
    expect(await call()).toMatchObject({ code: 0 });
    const env = { XDG_CONFIG_HOME: path.join(project.outside, 'config') };
    for (const args of [['--dry-run'], [], ['--unsigned'], ['--unsigned', '--dry-run']]) {
      const { code, stdout, stderr } = await project.run(['logs', 'archive', '--keep-days', '100', ...args], { env });
      expect(code).toBe(1);
      expect(`${stdout}${stderr}`).toMatch(/No record may leave the log: it was signed last, in record \d+, with the key [A-Za-z0-9+/]{43}=, and (there is none here|here it is [A-Za-z0-9+/]{43}=)\./);
    }
    expect(await call()).toMatchObject({ code: 0 });
    expect(await archive('--keep-days', '100')).toMatchObject({ code: 0 });
  });

  it('ends with 1 and says why where nothing may be done, and with 78 where there is no log', async () => {
    expect(await archive()).toMatchObject({ code: 78, stdout: '' });
    await fill([daysAgo(200), new Date(Date.now() + 9 * DAY_MS).toISOString()], daysAgo(200));
    const dry = await archive('--dry-run');
    expect(dry).toMatchObject({ code: 1, stderr: '' });
    expect(dry.stdout).toMatch(/^Refused: Record 3 says that it was written at .* the clock is wrong/m);
    const done = await archive();
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/^Record 3 says that it was written at /);
    expect(done.stdout).toMatch(/^Nothing was erased\.$/m);
  });

  it('leaves out what was written while the clock was ahead, when somebody names it', async () => {
    await fill([daysAgo(200), new Date(Date.now() + 9_000 * DAY_MS).toISOString(), daysAgo(150)], daysAgo(200));
    const refused = await archive();
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('exclude those with wrong dates by --ignore-future 3.');
    const dry = await archive('--dry-run', '--keep-days', '100', '--ignore-future', '3');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain('Record 3 is dated later than now, and left out as you said; 1 payload of theirs stays.\n');
    expect(dry.stdout).toContain('Records stay from record 3 on: its payload is not erased before that date, and an archive would keep it. With --payload-days 0 it may leave.\n');
    const done = await archive('--keep-days', '100', '--ignore-future', '3');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/^Erased 2 payloads, records 2 to 4,/);
    expect(await archive('--payload-days', '0', '--keep-days', '100', '--ignore-future', '3')).toMatchObject({ code: 0, stderr: '' });
    // It is not in the log any more: nobody has to name it again.
    expect(await archive('--keep-days', '100')).toMatchObject({ code: 0, stderr: '' });
    expect(await project.run(['logs', 'verify'])).toMatchObject({ code: 0 });
  });

  it('looks at the folder of the archives before it does anything, as its dry run does', async () => {
    await fill([daysAgo(200)], daysAgo(200));
    const folder = path.join(project.outside, 'archives');
    mkdirSync(folder, { mode: 0o755 });
    const said = `The archive folder ${folder} is accessible to other users. Run chmod 700 on it.\n`;
    const dry = await archive('--dry-run', '--keep-days', '100', '--to', folder);
    expect(dry).toMatchObject({ code: 1, stderr: '' });
    expect(dry.stdout).toContain(`Refused: ${said}`);
    expect(await archive('--keep-days', '100', '--to', folder)).toEqual({ code: 1, stdout: 'Nothing was erased.\nNo record was moved.\n', stderr: said });
    chmodSync(folder, 0o700);
    expect(await archive('--keep-days', '100', '--to', folder)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends between two steps on %s with 130, and says what is done', async (signal) => {
    await fill(Array.from({ length: 8_000 }, () => daysAgo(200)), daysAgo(200));
    const child = project.start(['logs', 'archive', '--json', '--keep-days', '100']);
    const [stdout, stderr] = [readAll(child.stdout), readAll(child.stderr)];
    const closed = once(child, 'close');
    // There from when the work begins.
    while (!existsSync(path.join(project.state, 'agent_logs.db-archiving'))) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill(signal);
    expect((await closed)[0]).toBe(130);
    if ((await stdout) === '') expect(await stderr).toContain('stopped; nothing was erased, and no record was moved.');
    else expect(JSON.parse(await stdout)).toMatchObject({ isStopped: true, problems: [] });
    expect(await project.run(['logs', 'verify'])).toMatchObject({ code: 0 });
    expect(await archive('--keep-days', '100')).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes nothing of a record to the terminal as it stands', async () => {
    await fill([daysAgo(200), `9999-${HOSTILE}`], daysAgo(200));
    for (const args of [[], ['--dry-run'], ['--json'], ['--dry-run', '--json']]) {
      const { stdout, stderr, code } = await archive(...args);
      expect(code).toBe(1);
      expect(`${stdout}${stderr}`).toContain('Record 3');
      expect(`${stdout}${stderr}`).not.toMatch(RAW);
    }
  });

  it.each([['--keep-days', '0'], ['--keep-days', 'x'], ['--payload-days', '-1'], ['--payload-days', '99999'], ['--keep-days', '30'], ['--ignore-future', '0'], ['--ignore-future', 'x']])('%s %s is no command', async (...args) => {
    await fill([daysAgo(200)], daysAgo(200));
    expect(await archive(...args)).toMatchObject({ code: 64, stdout: '' });
  });

  it('puts archives nowhere where tools reach, by whatever name', async () => {
    await fill([daysAgo(200)], daysAgo(200));
    symlinkSync(project.root, path.join(project.outside, 'link'));
    for (const folder of [project.root, path.join(project.root, 'a', 'b'), path.join(project.outside, 'link', 'a'), '.']) {
      expect(await archive('--keep-days', '100', '--to', folder)).toMatchObject({ code: 64, stdout: '' });
    }
    expect(await archive('--keep-days', '100', '--to', path.join(project.outside, 'archives'))).toMatchObject({ code: 0 });
    expect(readdirSync(path.join(project.outside, 'archives'))).toHaveLength(1);
  });
});
