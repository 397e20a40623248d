import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { safeEnvironment } from '../servers/server-environment.ts';
import { createProject, type Project } from './devs.ts';
import { openTestClient, unwrapped, writeOperatorFile } from './test-client.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const READING = path.resolve(__dirname, '../../../mcp/src/__tests__/fixtures/reading-server.mjs');

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => project[Symbol.asyncDispose]());

const configured = (mcpServers: object) => ['--config', writeOperatorFile(project, { mcpServers })];

describe('a server of the operator’s', () => {
  it.each<[string, object, string]>([
    ['in a folder of its own', {}, 'ENOENT'],
    ['in the root where its entry says so', { cwd: '.' }, 'hello\n'],
  ])('runs %s: what the root brings decides nothing of it', async (_, entry, text) => {
    await using testClient = await openTestClient(project, ['serve', ...configured({ reading: { command: process.execPath, args: [READING], ...entry } })]);
    expect(unwrapped((await testClient.call('reading__read', { path: 'hello.txt' })).text)).toBe(text);
  });

  it.each<[string, (own: Project) => string]>([
    ['its own folder would lie in the root', ({ root }) => path.join(root, 'state')],
    ['a link leads its own folder into the root', ({ outside }) => path.join(outside, 'link', 'state')],
  ])('is not started where %s: what asks the folders above would find what an agent has put there', async (_, stateOf) => {
    await symlink(project.root, path.join(project.outside, 'link'));
    const env = { DEVS_STATE_DIR: stateOf(project) };
    const server = { command: process.execPath, args: [READING] };
    const options = configured({ reading: server, told: { ...server, cwd: project.outside } });
    const { stdout } = await project.run(['tools', ...options], { env });
    expect(stdout).toMatch(/reading: not there: The server is not started: its own folder, .*, is in the root/);
    expect(stdout).toContain('told__read');
  });

  it('is not started where its own folder cannot be made, and says so', async () => {
    await mkdir(project.state, { mode: 0o700 });
    await writeFile(path.join(project.state, 'servers'), '');
    const { stdout } = await project.run(['tools', ...configured({ reading: { command: process.execPath, args: [READING] } })]);
    expect(stdout).toMatch(/reading: not there: The server is not started: its own folder, .*, cannot be made\./);
  });

  it('is refused in what doctor says, too', async () => {
    const { stdout } = await project.run(['doctor', '--json', ...configured({ reading: { command: process.execPath, args: [READING] } })], { env: { DEVS_STATE_DIR: path.join(project.root, 'state') } });
    expect(JSON.parse(stdout)['upstreams']).toMatchObject([{ name: 'reading', confinement: 'refused', fix: expect.stringContaining('"cwd"') }]);
  });

  it.each([
    ['an argument', process.execPath, ['hello.txt'], /"hello\.txt" does not mean what it means in the project/],
    ['the command', './tool', [], /"\.\/tool" does not mean what it means in the project/],
  ])('is said to run elsewhere where %s names something in the root', async (_, command, args, hint) => {
    await writeFile(path.join(project.root, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
    const { stdout, stderr } = await project.run(['tools', ...configured({ other: { command, args } })]);
    expect(stderr).toMatch(hint);
    expect(stdout).toContain('other: not there');
  });

  it('is not the program that a folder of the root brings, though it stands first in the PATH', async () => {
    const bin = path.join(project.root, 'bin');
    await mkdir(bin);
    await writeFile(path.join(bin, 'some-server'), `#!/bin/sh\necho taken > ${path.join(project.outside, 'taken')}\n`);
    await chmod(path.join(bin, 'some-server'), 0o755);
    const { stdout } = await project.run(['tools', ...configured({ some: { command: 'some-server' } })], { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
    expect(stdout).toContain('The command "some-server" was not found');
    await expect(readFile(path.join(project.outside, 'taken'))).rejects.toThrow('ENOENT');
  });
});

describe('what servers get of the PATH', () => {
  it.each([
    ['the root', (root: string) => [root], 0],
    ['what is in it', (root: string) => [path.join(root, 'node_modules', '.bin')], 0],
    ['what a link of another place leads to', () => [path.join(project.outside, 'link')], 0],
    ['what depends on where they run', () => ['', '.', 'bin'], 0],
    ['all else', () => ['/usr/bin', '/nowhere/bin'], 2],
  ])('%s', async (_, foldersOf, left) => {
    await symlink(project.root, path.join(project.outside, 'link'));
    const folders = foldersOf(project.root);
    const { PATH } = safeEnvironment({ PATH: folders.join(':'), TOKEN: 'x' }, project.root);
    expect((PATH ?? '').split(':').filter((folder) => folder !== '')).toHaveLength(left);
  });
});

describe('a devs behind itself', () => {
  it('does not start the next one', async () => {
    const devs = { command: process.execPath, args: [MAIN, 'serve', '--config', path.join(project.outside, 'operator.config.json')], env: { DEVS_STATE_DIR: path.join(project.outside, 'inner') } };
    // Alone: what the server says goes to the standard error of the process.
    const { stdout, stderr } = await project.run(['tools', ...configured({ devs })], { alone: true });
    expect(stdout).toMatch(/devs: not there: .* ended with code 78 before it was ready/);
    expect(stderr).toContain('was started by another devs with the same servers');
  });

  it('may stand behind one that has other servers', async () => {
    const inner = path.join(project.outside, 'inner.json');
    await writeFile(inner, JSON.stringify({ mcpServers: { reading: { command: process.execPath, args: [READING] } } }), { mode: 0o600 });
    const devs = { command: process.execPath, args: [MAIN, 'serve', '--config', inner], env: { DEVS_STATE_DIR: path.join(project.outside, 'inner') } };
    const { stdout } = await project.run(['tools', ...configured({ devs })]);
    expect(stdout).toContain('devs__reading__read');
  });
});

describe('all of a machine', () => {
  it.each([
    ['the home folder', () => project.root, { named: false }, 78],
    ['the home folder, by its name', () => project.root, { named: true }, 0],
    ['a folder in it', () => path.dirname(project.root), { named: false }, 0],
  ])('%s is served only by its name', async (_, home, { named }, code) => {
    const { stderr, ...ended } = await project.run(['tools', ...(named ? ['--root', project.root] : [])], { env: { HOME: home() } });
    expect(ended.code).toBe(code);
    if (code !== 0) expect(stderr).toMatch(/devs would work on all of .* --root <dir>/);
  });

  it('is not the folder in which a client starts it', async () => {
    const { code, stderr } = await project.run(['tools'], { cwd: path.parse(os.tmpdir()).root });
    expect(code).toBe(78);
    expect(stderr).toContain('devs would work on all of "/"');
  });
});
