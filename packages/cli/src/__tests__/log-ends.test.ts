import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, type Project } from './devs.ts';

let project: Project;
beforeAll(async () => {
  project = await createProject();
  await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
});
afterAll(async () => project[Symbol.asyncDispose]());

const configured = async (file: string) => {
  const folder = path.join(project.outside, '..', 'config', 'devs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'devs.config.json'), JSON.stringify({ audit: { heads: { file } } }), { mode: 0o600 });
  const { code, stderr } = await project.run(['call', 'read_file', '{"path":"hello.txt"}'], { env: { XDG_STATE_HOME: path.join(project.outside, 'states') } });
  writeFileSync(path.join(folder, 'devs.config.json'), '{}', { mode: 0o600 });
  return { code, stderr, folder };
};

describe('audit.heads.file', () => {
  it.each<[name: string, file: () => string, why: string]>([
    ['in the root', () => path.join(project.root, 'heads.jsonl'), 'where agents could change it'],
    ['in the root, by a link', () => path.join(project.outside, 'link', 'heads.jsonl'), 'where agents could change it'],
    ['in the root, by a way around', () => `${project.outside}/../project/heads.jsonl`, 'where agents could change it'],
    ['beside the log', () => path.join(project.state, 'agent_logs.db-journal'), 'whose files it could break'],
    ['beside the log of another root', () => path.join(project.outside, 'states', 'devs', 'other-0123456789ab', 'agent_logs.db-journal'), 'whose files it could break'],
    ['where that would be without any variables', () => path.join(os.homedir(), '.local', 'state', 'devs', 'other-0123456789ab', 'x'), 'whose files it could break'],
    ['among what is remembered', () => path.join(project.outside, '..', 'config', 'devs', 'log-heads', 'x.json'), 'whose files it could break'],
  ])('%s is refused, and nothing runs', async (_name, file, why) => {
    if (!readdirSync(project.outside).includes('link')) symlinkSync(project.root, path.join(project.outside, 'link'));
    const before = (await project.log()).length;
    const { code, stderr } = await configured(file());
    expect([code, stderr]).toEqual([78, expect.stringContaining(why)]);
    expect(await project.log()).toHaveLength(before);
    expect(readdirSync(project.root)).toEqual(['hello.txt']);
  });

  it('elsewhere gets a line a head', async () => {
    const file = path.join(project.outside, 'heads.jsonl');
    expect((await configured(file)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^\{"head":/);
  });
});

describe('what a command ends with', () => {
  it('a search that is stopped while it waits for another: 130', async () => {
    const lock = `${path.join(project.state, 'agent_logs.db')}-search-lock`;
    await project.run(['logs', 'search', 'hello']);
    const other = new DatabaseSync(lock);
    other.exec('BEGIN EXCLUSIVE');
    const child = project.start(['logs', 'search', 'hello']);
    // The log is read in a process that the command watches.
    const readers = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean);
    const holds = () => readers().some((reader) => readdirSync(`/proc/${reader}/fd`).some((name) => linkOf(`/proc/${reader}/fd/${name}`) === lock));
    while (!holds()) await pause(1);
    child.kill('SIGINT');
    await once(child, 'exit');
    other.close();
    expect(child.exitCode).toBe(130);
  });

  it('verify is not held up by a pipe among what is remembered', async () => {
    const heads = path.join(project.outside, '..', 'config', 'devs', 'log-heads');
    execFileSync('mkfifo', ['-m', '600', path.join(heads, `${'f'.repeat(32)}.json`)]);
    expect((await project.run(['logs', 'verify'])).code).toBe(0);
  });

  it('a payload that somebody has put in: it is shown, however deep or odd', async () => {
    const file = path.join(project.state, 'agent_logs.db');
    const [call] = await project.log();
    const id = String(call?.['id']);
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const payload of [`{"input":${deep},"output":{"content":[]}}`, '{"output":{"content":[null]}}', '{"output":{"content":[{}]}}']) {
      replacePayload(file, id, payload);
      for (const command of ['show', 'why']) expect(await project.run(['logs', command, id])).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('a damaged log is said to be that, and 78', async () => {
    const log = path.join(project.state, 'agent_logs.db');
    await project.run(['logs', 'list']);
    renameSync(log, `${log}.whole`);
    writeFileSync(log, readFileSync(`${log}.whole`), { mode: 0o600 });
    const pages = new DatabaseSync(log, { readOnly: true });
    const page = Number(pages.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'records'").get()?.['rootpage']);
    pages.close();
    const bytes = readFileSync(log);
    bytes.fill(0xa5, (page - 1) * 4_096, page * 4_096);
    writeFileSync(log, bytes);
    const { code, stderr } = await project.run(['logs', 'list']);
    expect([code, stderr]).toEqual([78, expect.stringContaining('is damaged')]);
    expect(stderr).not.toContain('unexpected');
  });
});

/** One that is closed meanwhile is none. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** As whoever can write the file can: the trigger is put back as it was. */
function replacePayload(file: string, id: string, payload: string): void {
  const log = new DatabaseSync(file);
  const trigger = String(log.prepare("SELECT sql FROM sqlite_schema WHERE name = 'records_erase_only'").get()?.['sql']);
  log.exec('DROP TRIGGER records_erase_only');
  log.prepare('UPDATE records SET payload = ? WHERE call_id = ? AND status IS NOT NULL').run(payload, id);
  log.exec(trigger);
  log.close();
}
