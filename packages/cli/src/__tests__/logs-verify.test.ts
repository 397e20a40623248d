import { once } from 'node:events';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { typeAt } from './devs-terminal.ts';
import { createProject, parseLines, type Project } from './devs.ts';

let project: Project;
let log: string;
beforeAll(async () => {
  project = await createProject();
  log = path.join(project.state, 'agent_logs.db');
  for (let call = 0; call < 3; call += 1) await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
});
afterAll(async () => project[Symbol.asyncDispose]());

const inside = (name: string) => path.join(project.outside, name);

interface Line {
  readonly seq: number;
  readonly leaf: string;
}

async function exported(...args: readonly string[]): Promise<{ readonly text: string; readonly lines: readonly Line[] }> {
  const { stdout: text, code } = await project.run(['logs', 'export', ...args]);
  expect(code).toBe(0);
  return { text, lines: parseLines(text) as unknown as Line[] };
}

describe('devs logs verify', () => {
  it('is intact, and anchored by what devs itself remembers', async () => {
    const { code, stdout, stderr } = await project.run(['logs', 'verify']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^intact, anchored at record \d+\n/);
    expect(stdout).toMatch(/anchor: the head of .*, signed by the key of this machine/);
  });

  it('does not claim more of a copy than it can', async () => {
    copyFileSync(log, inside('copy.db'));
    const { code, stdout } = await project.run(['logs', 'verify', inside('copy.db')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^intact, not anchored\n/);
    expect(stdout).toMatch(/ head in the log itself, signed by the key of this machine, .*a cut end, an older copy, another log of the same key/);
  });

  it.each(['stdout', 'stderr'] as const)('ends with its verdict though whoever read its %s has gone', async (stream) => {
    const child = project.start(['logs', 'verify', '--against', '-']);
    child[stream].destroy();
    // The first line is said to be broken before the log is read.
    child.stdin.end(`{"head":"\n${JSON.stringify({ seq: 2, leaf: 'f'.repeat(64) })}\n`);
    await once(child, 'exit');
    expect(child.exitCode).toBe(1);
  });

  it('gives one JSON document', async () => {
    const { stdout } = await project.run(['logs', 'verify', '--json']);
    const { lines } = await exported();
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'intact', problem: null, records: lines.length, anchor: { kind: 'head', signature: 'pinned' } });
  });

  it('takes a receipt from standard input, and the heads of a file with the key', async () => {
    const { lines } = await exported();
    const receipt = JSON.stringify({ seq: 2, leaf: lines[1]?.leaf });
    expect((await project.run(['logs', 'verify', '--against', '-'], { input: `${receipt}\n` })).stdout).toContain('the receipt of record 2');
    const wrong = JSON.stringify({ seq: 2, leaf: lines[2]?.leaf });
    const { code, stdout } = await project.run(['logs', 'verify', '--against', '-'], { input: wrong });
    expect([code, stdout]).toEqual([1, expect.stringContaining('first bad record: 2')]);
    const { stdout: key } = await project.run(['logs', 'key', '--json']);
    const { key: id, headsFolder } = JSON.parse(key) as { key: string; headsFolder: string };
    const [name = ''] = readdirSync(headsFolder).filter((entry) => entry.endsWith('.json'));
    copyFileSync(log, inside('copy.db'));
    const args = ['logs', 'verify', inside('copy.db'), '--against', path.join(headsFolder, name)];
    expect((await project.run([...args, '--key', id])).stdout).toContain('signed by the key that was asked for');
    const other = Buffer.alloc(32, 7).toString('base64');
    expect((await project.run([...args, '--key', other])).code).toBe(2);
  });

  it.each([
    [['--against', 'no-such-file'], 64],
    [['--key', 'no-such-file'], 64],
    [['no-such-log.db'], 78],
  ])('%j cannot be used', async (args, expected) => {
    const { code, stdout, stderr } = await project.run(['logs', 'verify', ...args]);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(/^devs: /);
  });

  it('says 2 where there is nothing to hold the log against', async () => {
    const { code, stderr } = await project.run(['logs', 'verify', '--against', '-'], { input: 'nothing\n' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('no head and no receipt')]);
  });
});

describe('a log that was changed', () => {
  it('ends with 1, also when nobody reads what it says', async () => {
    const { text } = await exported();
    writeFileSync(inside('changed.jsonl'), text.replace('hello.txt', 'hallo.txt'));
    const { code, stdout } = await project.run(['logs', 'verify', inside('changed.jsonl')]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^tampered\nfirst bad record: 2: /)]);
    const child = project.start(['logs', 'verify', inside('changed.jsonl')]);
    child.stdout.destroy();
    const [ended]: unknown[] = await once(child, 'close');
    expect(ended).toBe(1);
  });

  it('shows nothing of a record as it is', async () => {
    const { text } = await exported();
    const hostile = '\u001b[2J\u202e';
    writeFileSync(inside('hostile.jsonl'), text.replaceAll('audit.opened', `audit.${hostile}`));
    const { stdout, stderr } = await project.run(['logs', 'verify', inside('hostile.jsonl')]);
    expect(stdout + stderr).not.toMatch(/[\u001b\u202e]/);
  });

  it('that was cut, and one that an older copy took the place of, are found by what devs remembers', async () => {
    await using other = await createProject();
    const file = path.join(other.state, 'agent_logs.db');
    await other.run(['call', 'read_file', '{"path":"hello.txt"}']);
    copyFileSync(file, `${file}.old`);
    await other.run(['call', 'read_file', '{"path":"hello.txt"}']);
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    copyFileSync(`${file}.old`, file);
    const { code, stdout } = await other.run(['logs', 'verify']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('its end was cut off, or this is an older copy')]);
    expect((await other.run(['logs', 'verify', file])).code).toBe(0);
  });
});

describe('a log that a devs that starts refuses', () => {
  let signed: Project;
  let file: string;
  beforeEach(async () => {
    signed = await createProject();
    file = path.join(signed.state, 'agent_logs.db');
    await signed.run(['call', 'read_file', '{"path":"hello.txt"}']);
  });
  afterEach(async () => signed[Symbol.asyncDispose]());

  const own = () => path.join(signed.root, '..', 'config', 'devs');
  const removeLog = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  };
  const replaceLog = async (env: Readonly<Record<string, string>>) => {
    const state = path.join(signed.outside, 'state');
    await signed.run(['call', 'read_file', '{"path":"hello.txt"}'], { env: { DEVS_STATE_DIR: state, ...env } });
    removeLog();
    copyFileSync(path.join(state, 'agent_logs.db'), file);
  };
  const remembered = (pattern: RegExp) => {
    const folder = path.join(own(), 'log-heads');
    return readdirSync(folder).filter((name) => pattern.test(name)).map((name) => path.join(folder, name));
  };
  const HEADS = /^[0-9a-f]{32}\.json$/;
  const PLACES = /^place-/;

  /** What the log says of itself is whole each time. */
  it.each<[string, () => unknown, number, string]>([
    [
      'another log of the same user was put in its place',
      async () => replaceLog({}),
      1,
      'signed up to record 4, is not: another one lies in its place',
    ],
    [
      'it was written anew, without any key',
      async () => replaceLog({ XDG_CONFIG_HOME: path.join(signed.root, 'config') }),
      1,
      'is not: another one lies in its place',
    ],
    ['it is gone', () => removeLog(), 1, 'is not: it is gone or empty'],
    ['its head is gone', () => remembered(HEADS).forEach((name) => rmSync(name)), 1, 'the last head of the call log that devs remembered is gone'],
    ['all that was remembered is gone', () => rmSync(path.join(own(), 'log-heads'), { recursive: true }), 1, 'the log says that it was signed up to record 4 here'],
    ['its head is broken', () => remembered(HEADS).forEach((name) => writeFileSync(name, '{')), 1, 'that devs remembered is broken'],
    ['its place is broken', () => remembered(PLACES).forEach((name) => writeFileSync(name, '{}')), 1, 'of the place of the call log is not what it wrote'],
    ['the key is gone', () => rmSync(path.join(own(), 'log-signing.key')), 2, 'was signed with another key than the one that is there now'],
    ['what is remembered can be read by others', () => remembered(HEADS).forEach((name) => chmodSync(name, 0o644)), 2, 'is accessible to other users'],
  ])('is not intact: %s', async (_name, change, expected, words) => {
    await change();
    const { code, stdout, stderr } = await signed.run(['logs', 'verify']);
    expect([code, stdout + stderr]).toEqual([expected, expect.stringContaining(words)]);
    expect((await signed.run(['call', 'read_file', '{"path":"hello.txt"}'])).code).toBe(78);
  });

  it('is not intact either against a receipt that agrees with it', async () => {
    await replaceLog({});
    const { stdout } = await signed.run(['logs', 'export', '--from', '2', '--to', '2']);
    const [record] = parseLines(stdout);
    const receipt = JSON.stringify({ seq: 2, leaf: record?.['leaf'] });
    expect(await signed.run(['logs', 'verify', '--against', '-'], { input: receipt })).toMatchObject({ code: 1, stdout: expect.stringContaining('the receipt of record 2') });
    expect((await signed.run(['logs', 'verify', file, '--against', '-'], { input: receipt })).code).toBe(0);
  });

  it('is there, or there is none to be missed', async () => {
    expect((await signed.run(['logs', 'verify'])).code).toBe(0);
    const env = { DEVS_STATE_DIR: path.join(signed.outside, 'none') };
    expect((await signed.run(['logs', 'verify'], { env })).code).toBe(78);
  });
});

describe('devs logs export', () => {
  it('makes a file for its owner alone, which verifies', async () => {
    const { text } = await exported();
    const { code, stderr } = await project.run(['logs', 'export', '--gzip', '--out', inside('log.jsonl.gz')]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ records\.\n$/)]);
    expect(statSync(inside('log.jsonl.gz')).mode & 0o777).toBe(0o600);
    expect(gunzipSync(readFileSync(inside('log.jsonl.gz'))).toString()).toBe(text);
    expect((await project.run(['logs', 'verify', inside('log.jsonl.gz')])).code).toBe(0);
  });

  it('never overwrites, and leaves nothing beside', async () => {
    writeFileSync(inside('mine'), 'mine');
    const { code } = await project.run(['logs', 'export', '--out', inside('mine')]);
    expect([code, readFileSync(inside('mine'), 'utf8')]).toEqual([64, 'mine']);
    expect((await project.run(['logs', 'export', '--out', inside('no/folder')])).code).toBe(78);
    expect(readdirSync(project.outside).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('shows a terminal nothing that it obeys, and the same values', async () => {
    await using other = await createProject();
    await other.run(['call', 'read_file', JSON.stringify({ path: 'a\u009b2J\u202e' })]);
    const { stdout } = await typeAt(other, ['logs', 'export'], { typed: '' });
    expect(stdout).not.toMatch(/[\u009b\u202e]/);
    const { stdout: exact } = await other.run(['logs', 'export']);
    expect(parseLines(stdout.slice(0, stdout.lastIndexOf('}\n') + 2))).toEqual(parseLines(exact));
    expect((await typeAt(other, ['logs', 'export', '--gzip'], { typed: '' })).code).toBe(64);
  });

  it('gives a range', async () => {
    const { lines } = await exported('--from', '2', '--to', '3');
    expect(lines.map(({ seq }) => seq)).toEqual([2, 3]);
    expect((await project.run(['logs', 'export', '--from', '0'])).code).toBe(64);
  });

  it('of a part verifies as incomplete', async () => {
    const { text } = await exported('--from', '2');
    writeFileSync(inside('part.jsonl'), text);
    expect((await project.run(['logs', 'verify', inside('part.jsonl')])).code).toBe(2);
  });

  it('ends with 1, and no file, where the log cannot be read to its end', async () => {
    await using other = await createProject();
    await other.run(['call', 'read_file', '{"path":"hello.txt"}']);
    const file = path.join(other.state, 'agent_logs.db');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 100, 4_096));
    const out = path.join(other.outside, 'out.jsonl');
    const { code, stderr } = await other.run(['logs', 'export', '--out', out]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('could not be read to its end')]);
    expect(readdirSync(other.outside)).toEqual(['secret.txt']);
  });
});
