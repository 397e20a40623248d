import { spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { EXIT } from '../exit-codes.ts';
import { createProject, parseLines, type Project } from './devs.ts';
import { unwrapped, writeOperatorFile } from './test-client.ts';
import { createSmallDisk, runToEnd, type SmallDisk } from './log-disk.ts';
import { until } from './processes.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const WITNESS = path.join(__dirname, 'log-witness.mjs');
const PAGE = 4_096;

/** A log, and how it becomes one that cannot be written. */
interface Scene {
  readonly project: Project;
  readonly log: string;
  /** Of the running devs. */
  readonly pid: number;
  /** Where the log is not on the disk of all. */
  readonly disk: SmallDisk | undefined;
}

/** Gives what makes it whole again. */
type Break = (scene: Scene) => Promise<Heal> | Heal;
type Heal = () => Promise<void> | void;

/** A disk without room; where nobody may mount one, a file that may not grow, which the system tells as another error. */
const fill: Break = (scene) => {
  const { disk, log } = scene;
  if (disk === undefined) return endGrowth(scene);
  const filler = path.join(path.dirname(log), 'filler');
  disk.run('sh', '-c', `head -c 2000000 /dev/zero > '${filler}' || true`);
  return () => void disk.run('rm', filler);
};

/** Each write beyond where the file ends now fails: the system's errors of a disk, without a disk that is broken. */
const endGrowth: Break = ({ log, pid }) => {
  const limit = (bytes: number | string) => runToEnd(['prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  limit(statSync(`${log}-wal`).size);
  return () => void limit('unlimited');
};

/** For longer than devs waits. */
const lock: Break = ({ log }) => {
  const other = new DatabaseSync(log);
  // devs itself may just be writing.
  other.exec('PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE');
  return () => other.close();
};

const move: Break = ({ log }) => {
  renameSync(log, `${log}.away`);
  return () => renameSync(`${log}.away`, log);
};

/** Every page but the first, in the file itself, when a write of another process has made devs forget those that it knows. */
const damage: Break = async ({ log, project }) => {
  const whole = path.join(project.outside, 'whole.db');
  await writeBeside(project);
  const other = new DatabaseSync(log);
  other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  other.close();
  const { size } = statSync(log);
  copyFileSync(log, whole);
  overwrite(log, Buffer.alloc(size - PAGE, 0xa5));
  return async () => {
    overwrite(log, readFileSync(whole).subarray(PAGE));
    await writeBeside(project);
  };
};

async function writeBeside(project: Project): Promise<void> {
  expect((await project.run(['call', 'read_file', '{"path":"hello.txt"}'])).code).toBe(0);
}

function overwrite(file: string, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, PAGE);
  closeSync(descriptor);
}

const CONDITIONS: readonly (readonly [name: string, breakIt: Break, reason: RegExp])[] = [
  ['a full disk', fill, /its disk is full|its disk gives errors/],
  ['a disk with errors', endGrowth, /its disk gives errors/],
  ['a lock that is kept', lock, /another process holds its lock/],
  ['a file that was moved away', move, /its file was moved or replaced/],
  ['a damaged page', damage, /its file is damaged/],
];

describe('a log that cannot be written, under a server that runs', () => {
  it.each(CONDITIONS)('%s: nothing runs, what ran is withheld, and it goes on by itself', async (_name, breakIt, reason) => {
    await using project = await createProject();
    mkdirSync(project.state, { mode: 0o700 });
    await using disk = breakIt === fill ? await createSmallDisk(project.state) : undefined;
    const devs = createDevs(project, disk);
    const { root } = project;
    const [go, config] = [path.join(project.outside, 'go'), writeOperatorFile(project, { audit: { minFreeBytes: 0, heads: { systemLog: false } } })];
    const testClient = await connect(devs, ['run', '--root', root, '--config', config, '--', process.execPath, WITNESS, MAIN, go]);
    await using _closing = testClient;
    const countRuns = () => (existsSync(`${go}.begun`) ? readFileSync(`${go}.begun`).length : 0);

    const running = testClient.call();
    await until(() => countRuns() === 1);
    const heal = await breakIt({ project, disk, pid: testClient.pid, log: path.join(project.state, 'agent_logs.db') });
    expect(await testClient.call()).toEqual({ code: 'AUDIT_UNAVAILABLE', reason: expect.stringMatching(reason), retryAllowed: true });
    writeFileSync(go, '');
    expect(await running).toEqual({ code: 'ANSWER_WITHHELD', reason: expect.stringMatching(reason), retryAllowed: false });
    expect(countRuns()).toBe(1);

    await heal();
    expect(await testClient.call()).toBe('waited');
    expect(countRuns()).toBe(2);
    await testClient[Symbol.asyncDispose]();
    expect(devs.run('logs', 'verify', '--root', root)).toMatchObject({ code: 0 });
    const calls = parseLines(devs.run('logs', 'list', '--json', '--root', root, '--tool', 'wait').output);
    expect(calls.map(({ status }) => status)).toEqual(['ok', 'started']);
  });
});

describe('a log on a disk that is read-only', () => {
  it('keeps devs from starting, nothing runs, and the log can be read; it goes on when the disk does', async () => {
    await using project = await createProject();
    mkdirSync(project.state, { mode: 0o700 });
    await using disk = await createSmallDisk(project.state);
    const devs = createDevs(project, disk);
    // A disk of one megabyte has nothing to keep free.
    const config = writeOperatorFile(project, { audit: { minFreeBytes: 0 } });
    const write = (name: string) => devs.run('call', 'write_file', JSON.stringify({ path: name, content: 'x' }), '--root', project.root, '--config', config);
    expect(write('before.txt').code).toBe(0);
    // The mount, not the disk: of that nobody but the true root may change anything. Where nobody may mount one, a limit of
    // size 0 is the same to whoever wants to write.
    disk?.run('mount', '-o', 'remount,bind,ro', project.state);
    const limit = disk === undefined ? ['prlimit', '--fsize=0', '--'] : [];
    const refused = runIn(devs.env, [...limit, ...devs.command(['call', 'write_file', '{"path":"during.txt","content":"x"}', '--root', project.root])]);
    expect(refused.code).toBe(EXIT.configuration);
    expect(refused.output).toMatch(/cannot be (?:written|opened for writing)/);
    expect(existsSync(path.join(project.root, 'during.txt'))).toBe(false);
    expect(devs.run('logs', 'list', '--root', project.root).output).toContain('write_file');
    expect(devs.run('logs', 'verify', '--root', project.root).code).toBe(0);
    disk?.run('mount', '-o', 'remount,bind,rw', project.state);
    expect(write('after.txt').code).toBe(0);
    expect(devs.run('logs', 'verify', '--root', project.root).code).toBe(0);
  });
});

/** What the agent was told: the text of an answer, or of a refusal what it says to machines. */
type Told = string | { readonly code: string; readonly reason: string; readonly retryAllowed: boolean };

interface TestClient extends AsyncDisposable {
  readonly pid: number;
  /** Calls `wait`. */
  call(): Promise<Told>;
}

async function connect(devs: Devs, args: readonly string[]): Promise<TestClient> {
  const [command = '', ...rest] = devs.command(args);
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({ command, args: rest, env: devs.env, stderr: 'ignore' });
  await client.connect(transport);
  return {
    pid: transport.pid ?? 0,
    call: async () => {
      const { content, _meta } = Object(await client.callTool({ name: 'wait', arguments: {} }));
      const { code, reason, retryAllowed } = Object(_meta?.['devs/refusal']);
      return code === undefined ? unwrapped(content[0].text) : { code, reason, retryAllowed };
    },
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** How `devs` is started where its log is. */
interface Devs {
  readonly env: Record<string, string>;
  command(args: readonly string[]): readonly string[];
  /** Runs it to its end. */
  run(...args: readonly string[]): { readonly code: number | null; readonly output: string };
}

function createDevs({ root, state }: Project, disk: SmallDisk | undefined): Devs {
  const env = { PATH: process.env['PATH'] ?? '', DEVS_STATE_DIR: state, XDG_CONFIG_HOME: path.join(root, '..', 'config') };
  const command = (args: readonly string[]) => {
    const own = [process.execPath, MAIN, ...args];
    return disk === undefined ? own : disk.inside(own);
  };
  return {
    env,
    command,
    run: (...args) => runIn(env, command(args)),
  };
}

function runIn(env: Record<string, string>, [program = '', ...args]: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
  return { code: status, output: status === 0 ? stdout : stdout + stderr };
}
