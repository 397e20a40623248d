import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeHostile } from '../../../storage/src/__tests__/hostile-pages.ts';
import { runWatched } from '../watch-reader.ts';
import { createProject, type Project } from './devs.ts';
import { isAlive, until } from './processes.ts';

/** What no command may need on a file of 130 KB, however busy this machine is. */
const DEADLINE_MS = 20_000;
const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
/** The index of times leads in a circle, and this asks for a time: one statement that never ends. */
const ENDLESS = ['logs', 'list', '--since', '7d'];

let project: Project;

beforeAll(async () => {
  project = await createProject();
  await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
  makeHostile(path.join(project.state, 'agent_logs.db'), { tree: 'records_time' });
});

afterAll(async () => {
  await project[Symbol.asyncDispose]();
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a command that waits for SQLite, which would never answer', async (signal) => {
  const child = project.start(ENDLESS);
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
  // The reader has begun: from here on it hears nothing.
  await until(() => hasOpen(readerOf(child.pid ?? 0), path.join(project.state, 'agent_logs.db')));
  child.kill(signal);
  const ended = await once(child, 'close');
  clearTimeout(timer);
  expect(ended).toEqual([130, null]);
});

test('what is stopped in time ends by itself, and its sentence is heard', async () => {
  const child = project.start(['logs', 'tail', '--follow', '--root', project.root]);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('a reader does not outlive its watcher', async () => {
  const child = project.start(['logs', 'tail', '--follow']);
  await once(child.stdout, 'data');
  const reader = readerOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await until(() => reader !== undefined && !isAlive(reader));
});

function readerOf(watcher: number): number | undefined {
  const children = readFileSync(`/proc/${watcher}/task/${watcher}/children`, 'utf8').trim();
  return children === '' ? undefined : Number(children.split(' ')[0]);
}

function hasOpen(process: number | undefined, file: string): boolean {
  if (process === undefined) return false;
  const folder = `/proc/${process}/fd`;
  try {
    return readdirSync(folder).some((name) => readlinkSync(path.join(folder, name)) === file);
  } catch {
    // A descriptor that was closed meanwhile.
    return false;
  }
}

test.each([
  { args: ENDLESS, code: 78 },
])('$args is given up when it does not answer', async ({ args, code }) => {
  const environment = { ...process.env, DEVS_STATE_DIR: project.state, XDG_CONFIG_HOME: path.join(project.state, '..', 'config') };
  const given = [...args, '--root', project.root];
  expect(await runWatched(given, { script: MAIN, silenceMs: 3_000, stdio: 'ignore', environment })).toBe(code);
});
