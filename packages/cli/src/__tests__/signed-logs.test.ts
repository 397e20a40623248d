import { chmod, copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readPublicKey } from '@devs/storage';
import { runWithoutTerminal, typeAt } from './devs-terminal.ts';
import { createProject, type Project } from './devs.ts';

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => project[Symbol.asyncDispose]());

const own = () => path.join(project.root, '..', 'config', 'devs');
const log = () => path.join(project.state, 'agent_logs.db');
const call = async () => project.run(['call', 'read_file', '{"path":"hello.txt"}']);

function kindsInLog(): readonly string[] {
  const database = new DatabaseSync(log(), { readOnly: true });
  const rows = database.prepare('SELECT kind FROM records ORDER BY seq').all();
  database.close();
  return rows.map(({ kind }) => String(kind));
}

/** Three calls, a backup after the first of them, which is put back: 4 records of it are gone, or more. */
async function restoreBackup(): Promise<{ readonly signed: number; readonly now: number }> {
  await call();
  await copyFile(log(), `${log()}.backup`);
  const now = kindsInLog().length;
  await call();
  await call();
  const signed = kindsInLog().length - 1;
  for (const suffix of ['', '-wal', '-shm']) await rm(log() + suffix, { force: true });
  await copyFile(`${log()}.backup`, log());
  await chmod(log(), 0o600);
  return { signed, now };
}

/** As a system log keeps them. */
async function allHeads(): Promise<string> {
  const folder = path.join(own(), 'log-heads');
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{32}\./.test(name));
  return (await Promise.all(names.map(async (name) => readFile(path.join(folder, name), 'utf8')))).join('');
}

describe('the signed log', () => {
  it('is signed at the end of a command, with a key and heads apart from it', async () => {
    expect(await call()).toMatchObject({ code: 0 });
    expect(kindsInLog().slice(-2)).toEqual(['audit.closed', 'audit.head']);
    expect(await readdir(own())).toEqual(['log-heads', 'log-signing.key']);
    expect((await stat(path.join(own(), 'log-signing.key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(project.state)).not.toContain('log-signing.key');
  });

  it('goes to the file that the configuration names', async () => {
    const file = path.join(project.outside, 'heads');
    const config = path.join(project.outside, 'devs.json');
    await writeFile(config, JSON.stringify({ audit: { heads: { file, systemLog: false } } }));
    await project.run(['call', 'read_file', '{"path":"hello.txt"}', '--config', config]);
    const heads = await readdir(path.join(own(), 'log-heads'));
    const [remembered = ''] = heads.filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
    expect(await readFile(file, 'utf8')).toContain(await readFile(path.join(own(), 'log-heads', remembered), 'utf8'));
  });

  it('keeps the key from tools, where the root holds it', async () => {
    await call();
    const root = path.join(project.root, '..');
    const { code, stderr, stdout } = await project.run(['call', 'read_file', '{"path":"config/devs/log-signing.key"}', '--root', root]);
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toContain('BEGIN');
    expect(stderr).toContain('belongs to devs and is closed to tools');
  });
});

describe('devs logs key', () => {
  it('prints the public key, and never the private one', async () => {
    const { code, stdout, stderr } = await project.run(['logs', 'key']);
    expect(code).toBe(0);
    const { stdout: pem } = await project.run(['logs', 'key', '--pem']);
    expect(readPublicKey(stdout).equals(readPublicKey(pem))).toBe(true);
    expect([stdout, pem]).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]{43}=\n$/), expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/)]);
    expect(stdout + pem + stderr).not.toContain('PRIVATE');
    expect(stderr).toContain(path.join(own(), 'log-signing.key'));
    const json = await project.run(['logs', 'key', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ key: stdout.trim(), pem, keyFile: path.join(own(), 'log-signing.key'), file: null });
  });

  it('ends with 78 where logs are not signed', async () => {
    const { code, stderr } = await project.run(['logs', 'key'], { env: { XDG_CONFIG_HOME: path.join(project.root, 'config') } });
    expect([code, stderr]).toEqual([78, expect.stringContaining('is inside the project')]);
    expect(await readdir(project.root)).toEqual(['hello.txt']);
  });
});

describe('an older copy of the log', () => {
  it('is refused until it is adopted, and the log says that it was', async () => {
    const { signed, now } = await restoreBackup();
    const refused = await call();
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(refused.stderr).toContain(`The call log ends with record ${now}, and record ${signed} was in it when devs signed it last`);
    expect(refused.stderr).toContain('devs logs adopt');
    expect(kindsInLog()).toHaveLength(now);

    expect(await project.run(['logs', 'adopt', '--yes', String(now + 1)])).toMatchObject({ code: 64, stderr: expect.stringContaining(`ends with record ${now}`) });
    const adopted = await project.run(['logs', 'adopt', '--yes', String(now), '--json']);
    expect(adopted).toMatchObject({ code: 0, stderr: expect.stringContaining('Adopted.') });
    expect(JSON.parse(adopted.stdout)).toMatchObject({ from: { seq: signed }, at: { seq: now + 1 } });
    expect(kindsInLog()).toContain('audit.adopted');
    expect(await readdir(path.join(own(), 'log-heads'))).toContainEqual(expect.stringMatching(/^[0-9a-f]{32}\.1\.json$/));
    expect(await call()).toMatchObject({ code: 0 });
    expect(await project.run(['logs', 'adopt'])).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to adopt') });
  });

  it('agrees, once it was adopted, with all heads that were ever signed of it, and says what was given up', async () => {
    const { signed, now } = await restoreBackup();
    const before = await project.run(['logs', 'verify']);
    expect([before.code, before.stdout]).toEqual([1, expect.stringContaining('its end was cut off')]);
    await project.run(['logs', 'adopt', '--yes', String(now)]);
    // Shorter than the branch that was given up, and longer.
    for (let round = 0; round < 2; round += 1) {
      const { code, stdout } = await project.run(['logs', 'verify', '--against', '-'], { input: await allHeads() });
      expect([code, stdout]).toEqual([0, expect.stringContaining(`adopted at record ${now + 2}: records up to ${signed} of another branch, or of another log, were given up`)]);
      for (let calls = 0; calls < 2; calls += 1) await call();
    }
  });

  it('is adopted at a terminal by whoever types both numbers', async () => {
    const { signed, now } = await restoreBackup();
    const question = `Type "${now} instead of ${signed}"`;
    const no = await typeAt(project, ['logs', 'adopt'], { typed: 'yes\n', question });
    expect([no.code, no.stdout]).toEqual([1, expect.stringContaining('Nothing was adopted.')]);
    expect(kindsInLog()).not.toContain('audit.adopted');
    const yes = await typeAt(project, ['logs', 'adopt'], { typed: `${now} instead of ${signed}\n`, question });
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('Adopted.')]);
    expect(kindsInLog()).toContain('audit.adopted');
  });

  it('is not adopted by what is piped in', async () => {
    const { signed, now } = await restoreBackup();
    const { code, stderr } = await runWithoutTerminal(project, ['logs', 'adopt'], `${now} instead of ${signed}\n`);
    expect([code, stderr]).toEqual([78, expect.stringContaining(`devs logs adopt --yes ${now}`)]);
    expect(kindsInLog()).toHaveLength(now);
  });

  it('is not adopted when it was changed besides', async () => {
    const { now } = await restoreBackup();
    const database = new DatabaseSync(log());
    const sql = String(database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'records_erase_only'").get()?.['sql']);
    database.exec('DROP TRIGGER records_erase_only');
    database.exec(`UPDATE records SET header = replace(header, 'read_file', 'reat_file')`);
    database.exec(sql);
    database.close();
    const { code, stderr } = await project.run(['logs', 'adopt', '--yes', String(now)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The log is tampered in itself')]);
    expect(kindsInLog()).toHaveLength(now);
  });

  it('that is none at all: a log that was deleted is missed, and a new one is adopted as one', async () => {
    await call();
    for (const suffix of ['', '-wal', '-shm']) await rm(log() + suffix, { force: true });
    expect(await call()).toMatchObject({ code: 78, stderr: expect.stringContaining('it is gone or empty') });
    expect(await project.run(['logs', 'adopt', '--yes', '0'])).toMatchObject({ code: 0 });
    expect(await call()).toMatchObject({ code: 0 });
    expect(kindsInLog().slice(0, 2)).toEqual(['audit.opened', 'audit.adopted']);
  });
});
