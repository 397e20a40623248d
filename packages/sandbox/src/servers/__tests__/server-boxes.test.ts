import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { inSystemFolders } from '../../__tests__/in-system-folders.ts';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import type { Configuration } from '../../confinement/__tests__/box-scene.ts';
import { FOLDING } from '../../disks/__tests__/folding-disks.ts';
import type { ServerOrder } from '../server-order.ts';
import { CONFIGURATIONS, SEARCH_PATH, ServerScene } from './server-scene.ts';

const READ = (file: string) => `return (await load('node:fs')).readFileSync(${JSON.stringify(file)}, 'utf8')`;
const LIST = (folder: string) => `return (await load('node:fs')).readdirSync(${JSON.stringify(folder)})`;
const WRITE = (file: string) => `(await load('node:fs')).writeFileSync(${JSON.stringify(file)}, 'written'); return 'written'`;
const CONNECT = (port: number) => `const net = await load('node:net');
  return new Promise((resolve, reject) => {
    const socket = net.connect(${String(port)}, '127.0.0.1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed')));
    socket.on('data', (text) => { resolve(String(text)); socket.destroy(); });
    socket.write('hello');
  })`;
const REFUSED = { error: expect.stringMatching(/^(ENOENT|EACCES|EROFS|ECONNREFUSED|ENETUNREACH|closed)$/) };

type Changes = (scene: ServerScene) => Partial<ServerOrder>;

interface Attack {
  readonly name: string;
  readonly code: (scene: ServerScene) => string;
  readonly held: Changes;
  /** What its user would have to write for it to succeed. */
  readonly allowed: Changes;
}

const ATTACKS: readonly Attack[] = [
  { name: 'reads a key in the home folder', code: ({ home }) => READ(`${home}/.ssh/id`), held: () => ({}), allowed: ({ home }) => ({ readOnly: [`${home}/.ssh`] }) },
  { name: 'reads the project', code: ({ root }) => READ(`${root}/notes`), held: () => ({}), allowed: ({ root }) => ({ readOnly: [root] }) },
  { name: 'writes the project that it may read', code: ({ root }) => WRITE(`${root}/made`), held: ({ root }) => ({ readOnly: [root] }), allowed: ({ root }) => ({ readWrite: [root] }) },
  { name: 'writes its own program', code: ({ program }) => WRITE(program), held: () => ({}), allowed: ({ programs }) => ({ readWrite: [programs] }) },
];

async function prepare(configuration: Configuration): Promise<ServerScene> {
  const scene = new ServerScene(configuration);
  scene.write('home/.ssh/id', 'the key');
  scene.write('project/notes', 'the notes');
  const { account } = configuration;
  if (account !== undefined) execFileSync('chown', ['-R', `${String(account.uid)}:${String(account.gid)}`, scene.root, scene.programs]);
  return scene;
}

async function listen(): Promise<Server & Disposable> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (text) => socket.end(`heard ${String(text)}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(server, { [Symbol.dispose]: () => server.close() });
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

withBoxes('servers of others', () => {
  describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
    it.each(ATTACKS)('$name: not in its box, and only where its user has said so', async ({ code, held, allowed }) => {
      await using scene = await prepare(configuration);
      expect(await (await scene.start(held(scene))).ask(code(scene))).toEqual(REFUSED);
      const opened = await scene.start(allowed(scene));
      expect(await opened.ask(code(scene))).toEqual({ value: expect.stringMatching(/^(the key|the notes|written)$/) });
    });

    it('sees neither devs’s own folder nor that of another server, and keeps its own', async () => {
      await using scene = await prepare(configuration);
      const one = await scene.start({ name: 'one' });
      await one.ask("(await load('node:fs')).writeFileSync(process.env.HOME + '/kept', 'by one')");
      const kept = path.join(scene.state, 'servers/one/home/kept');
      expect(readFileSync(kept, 'utf8')).toBe('by one');
      const other = await scene.start({ name: 'other' });
      expect(await other.ask(LIST('/var/lib/server'))).toEqual({ value: ['tmp'] });
      for (const place of [kept, scene.state]) expect(await other.ask(LIST(place))).toEqual(REFUSED);
      await one.server.end();
      const again = await scene.start({ name: 'one' });
      expect(await again.ask(READ('/var/lib/server/kept'))).toEqual({ value: 'by one' });
    });

    it('gets nothing of devs’s environment but what it is given, and no way to a proxy of the machine', async () => {
      await using scene = await prepare(configuration);
      const env = { PATH: SEARCH_PATH, HTTPS_PROXY: 'http://10.0.0.1:3128', XDG_STATE_HOME: scene.state, GIVEN: 'yes' };
      const { ask } = await scene.start({ env, ownEnv: { GIVEN: 'yes', https_proxy: 'http://10.0.0.1:3128', PATH: '/nowhere' } });
      const { HOME, TMPDIR, GIVEN, PATH, ...others } = Object((await ask('return process.env')) as { value: object })['value'] as Record<string, string>;
      expect({ HOME, TMPDIR, GIVEN }).toEqual({ HOME: '/var/lib/server', TMPDIR: '/var/lib/server/tmp', GIVEN: 'yes' });
      expect(PATH).toMatch(/\/usr\/bin/);
      expect(Object.keys(others).toSorted()).toEqual(['LANG', 'PWD']);
    });

    it('reaches a port of this machine that it was given, as localhost too, and no other', async () => {
      using given = await listen();
      using other = await listen();
      await using scene = await prepare(configuration);
      const held = await scene.start({ name: 'held' });
      expect(await held.ask(CONNECT(portOf(given)))).toEqual(REFUSED);
      const opened = await scene.start({ name: 'opened', loopbackPorts: [portOf(given)] });
      expect(await opened.ask(CONNECT(portOf(given)))).toEqual({ value: 'heard hello' });
      expect(await opened.ask(CONNECT(portOf(given)).replace("'127.0.0.1'", "'localhost'"))).toEqual({ value: 'heard hello' });
      expect(await opened.ask(CONNECT(portOf(other)))).toEqual(REFUSED);
    });

    it('writes nothing that is protected in a project that it may write', async () => {
      await using scene = await prepare(configuration);
      mkdirSync(path.join(scene.root, '.git/hooks'), { recursive: true });
      const { account } = configuration;
      if (account !== undefined) execFileSync('chown', ['-R', `${String(account.uid)}:${String(account.gid)}`, scene.root]);
      const { ask } = await scene.start({ readWrite: [scene.root] });
      expect(await ask(WRITE(`${scene.root}/.git/hooks/post-commit`))).toEqual({ error: 'EROFS' });
      expect(await ask(WRITE(`${scene.root}/free`))).toEqual({ value: 'written' });
    });

    it('does not see what is blocked, in what it may read and in what it may write', async () => {
      await using scene = new ServerScene(configuration, { files: { ...DEFAULT_CONFIG.files, blocked: ['secrets'] } });
      scene.write('project/secrets/key', 'hidden');
      for (const access of ['readOnly', 'readWrite'] as const) {
        const { ask } = await scene.start({ [access]: [scene.root] });
        expect(await ask(LIST(`${scene.root}/secrets`))).toEqual({ value: [] });
        expect(await ask(READ(`${scene.root}/secrets/key`))).toEqual(REFUSED);
      }
    });

    it('writes nothing that is protected around what is blocked', async () => {
      await using scene = new ServerScene(configuration, { files: { ...DEFAULT_CONFIG.files, blocked: ['.vscode/a/secret'] } });
      scene.write('project/.vscode/a/secret', 'hidden');
      const { ask } = await scene.start({ readWrite: [scene.root] });
      expect(await ask(WRITE(`${scene.root}/.vscode/a/tasks.json`))).toEqual({ error: 'EROFS' });
    });

    it('says on standard error what it says', async () => {
      await using scene = await prepare(configuration);
      const { ask } = await scene.start();
      const said: string[] = [];
      const all = new Promise<void>((resolve) => scene.errors.on('data', (chunk) => said.push(String(chunk)) && said.join('').includes('more') && resolve()));
      await ask('process.stderr.write("more\\n")');
      await all;
      expect(said.join('')).toBe('the server begins\nmore\n');
    });
  });

  inSystemFolders('a server of a project there', (make) => {
    it.each(CONFIGURATIONS)('in a box of $name sees nothing of it, of the home and of devs but what was named', async (each) => {
      using around = make();
      await using scene = new ServerScene(each, { around: around.path, files: { ...DEFAULT_CONFIG.files, blocked: ['.env'] } });
      chmodSync(around.path, 0o755);
      const places = [scene.write('project/notes', 'the notes'), scene.write('project/.env', 'secret'), scene.write('state/key', 'secret'), scene.write('home/.ssh/id', 'secret')];
      const { ask } = await scene.start({ name: 'one' });
      for (const place of places) expect([place, await ask(READ(place))]).toEqual([place, REFUSED]);
      const named = await scene.start({ name: 'named', readOnly: [scene.root] });
      expect(await named.ask(READ(`${scene.root}/notes`))).toEqual({ value: 'the notes' });
      expect(await named.ask(READ(`${scene.root}/.env`))).toEqual(REFUSED);
    });

    it('has no program of the project, unless it was named', async () => {
      using around = make();
      await using scene = new ServerScene(CONFIGURATIONS[0] ?? { name: 'root' }, { around: around.path });
      const command = scene.write('project/tool', '#!/bin/sh\n');
      chmodSync(command, 0o755);
      await expect(scene.plan({ command })).rejects.toMatchObject({ sentence: expect.stringContaining('is in the project') });
      expect((await scene.plan({ command, readOnly: [scene.root], args: [scene.home] })).unseen).toEqual([scene.home]);
    });
  });

  describe('what is not shown', () => {
    const [configuration] = CONFIGURATIONS as readonly [Configuration];

    it.each<readonly [string, (scene: ServerScene) => Partial<ServerOrder>, string]>([
      ['a folder that is not there', ({ base }) => ({ readOnly: [`${base}/gone`] }), 'is not there'],
      ['a link, which an agent may have planted', ({ root }) => ({ readOnly: [`${root}/link`] }), 'leads through a link to'],
      ['devs’s own folder', ({ state }) => ({ readOnly: [state] }), 'is devs’s own'],
      ['what lies in it', ({ state }) => ({ readOnly: [`${state}/keys`] }), 'is devs’s own'],
      ['what is around it, to be written', ({ base }) => ({ readWrite: [base] }), 'holds what is devs’s own'],
      ['a protected folder of the project, to be written', ({ root }) => ({ readWrite: [`${root}/.git`] }), 'is a protected file or folder'],
      ['what lies in it, too', ({ root }) => ({ readWrite: [`${root}/sub/.git/hooks`] }), 'is a protected file or folder'],
      ['a protected file, too', ({ root }) => ({ readWrite: [`${root}/.npmrc`] }), 'is a protected file or folder'],
      ['the whole machine', () => ({ readOnly: ['/'] }), 'holds the folder for temporary files'],
      ['other processes', () => ({ readOnly: ['/proc'] }), 'is the kernel’s'],
      ['a port that takes privileges', () => ({ loopbackPorts: [443] }), 'cannot have port 443'],
      ['a program of the project', ({ root }) => ({ command: `${root}/tool` }), 'is in the project'],
      ['a program that is not there', () => ({ command: 'no-such-program' }), 'was not found'],
    ])('%s', async (_, changes, problem) => {
      await using scene = await prepare(configuration);
      symlinkSync(`${scene.home}/.ssh`, `${scene.root}/link`);
      writeFileSync(`${scene.root}/tool`, '#!/bin/sh\n', { mode: 0o755 });
      mkdirSync(`${scene.state}/keys`);
      for (const folder of ['.git', 'sub/.git/hooks']) mkdirSync(`${scene.root}/${folder}`, { recursive: true });
      writeFileSync(`${scene.root}/.npmrc`, '');
      await expect(scene.plan(changes(scene))).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringContaining(problem) });
      await expect(scene.plan()).resolves.toBeDefined();
    });

    it.each<[string, string, (scene: ServerScene) => Partial<ServerOrder>]>([
      ['to be written', 'project/.git/config', ({ root }) => ({ readWrite: [root] })],
      ['to be read, with something blocked in it', 'project/secrets/key', ({ root }) => ({ readOnly: [root] })],
    ])('a project on a disk that gives its files under more than one name, %s', async (_, file, changes) => {
      await using scene = new ServerScene(configuration, { disks: FOLDING, files: { ...DEFAULT_CONFIG.files, blocked: ['secrets'] } });
      scene.write(file, '');
      for (const make of [async () => scene.plan(changes(scene)), async () => scene.start(changes(scene))]) {
        await expect(make()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringContaining('its disk also gives it the name'), suggestion: expect.stringContaining('ext4') });
      }
      await expect(scene.plan()).resolves.toBeDefined();
    });

    it('what is protected may be shown to be read, and what lies beside it to be written', async () => {
      await using scene = await prepare(configuration);
      for (const folder of ['.git', 'src']) mkdirSync(`${scene.root}/${folder}`);
      const { request } = await scene.plan({ readOnly: [`${scene.root}/.git`], readWrite: [`${scene.root}/src`] });
      expect(request.mounts.map(({ source, access }) => `${access} ${source}`)).toEqual(expect.arrayContaining([`read ${scene.root}/.git`, `write ${scene.root}/src`]));
    });

    it('devs’s own in what is shown to be read', async () => {
      await using scene = await prepare(configuration);
      const { ask } = await scene.start({ readOnly: [scene.base] });
      writeFileSync(`${scene.state}/token`, 'secret');
      expect(await ask(READ(`${scene.home}/.ssh/id`))).toEqual({ value: 'the key' });
      expect(await ask(READ(`${scene.state}/token`))).toEqual(REFUSED);
    });

    it('what comes to be in a folder of devs’s own that was not there when its box was made', async () => {
      await using scene = await prepare(configuration);
      const { ask } = await scene.start({ readOnly: [scene.home] });
      writeFileSync(`${scene.settings}/log-signing.key`, 'secret');
      expect(await ask(READ(`${scene.home}/.ssh/id`))).toEqual({ value: 'the key' });
      expect(await ask(READ(`${scene.settings}/log-signing.key`))).toEqual(REFUSED);
    });

    it('a link by which devs comes to its own folder, to be written', async () => {
      await using scene = await prepare(configuration);
      scene.write('writable/x', 'x');
      symlinkSync('/nowhere', `${scene.base}/writable/link`);
      symlinkSync('../writable/link', `${scene.home}/.config`);
      const started = scene.start({ readWrite: [`${scene.base}/writable`] });
      await expect(started).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', sentence: expect.stringContaining('is a link that a command could replace') });
    });

    it.each([
      ['a link', (place: string) => `fs.symlinkSync(${JSON.stringify(place)}, '/var/lib/server/tmp')`],
      ['a link that leads nowhere', () => "fs.symlinkSync('/nowhere/at/all', '/var/lib/server/tmp')"],
      ['a file', () => "fs.writeFileSync('/var/lib/server/tmp', '')"],
    ])('where it has put %s in the place of its own folder: nothing is made or given away there, and it starts again', async (_, planting) => {
      await using scene = await prepare(configuration);
      const { ask, server } = await scene.start({ name: 'one' });
      const secrets = `${scene.home}/.ssh`;
      const ownerOf = () => (({ ino, uid, gid, mode, mtimeMs, ctimeMs }) => [ino, uid, gid, mode, mtimeMs, ctimeMs])(lstatSync(secrets));
      const before = ownerOf();
      const planted = await ask(`const fs = await load('node:fs'); fs.rmSync('/var/lib/server/tmp', { recursive: true }); ${planting(secrets)}`);
      expect(planted).toEqual({ value: null });
      await server.end();
      const again = await scene.start({ name: 'one' });
      expect(await again.ask(WRITE('/var/lib/server/tmp/x'))).toEqual({ value: 'written' });
      expect(ownerOf()).toEqual(before);
      expect(lstatSync(`${scene.state}/servers/one/home/tmp`).isDirectory()).toBe(true);
    });

    it('arguments that name what is not in the box are told of', async () => {
      await using scene = await prepare(configuration);
      const args = [scene.home, '--flag', '/usr/bin', '/no/such'];
      expect((await scene.plan({ args })).unseen).toEqual([scene.home]);
      expect((await scene.plan({ args, readOnly: [scene.home] })).unseen).toEqual([]);
    });

    it('a program that is named by its path is shown with its installation, and nothing around', async () => {
      await using scene = await prepare(configuration);
      scene.write('elsewhere/installed/bin/tool', '#!/bin/sh\ncat "${0%/*}/../lib/text"\n');
      scene.write('elsewhere/installed/lib/text', 'of the installation');
      scene.write('elsewhere/beside', 'secret');
      execFileSync('chmod', ['755', `${scene.base}/elsewhere/installed/bin/tool`]);
      const { request } = await scene.plan({ command: `${scene.base}/elsewhere/installed/bin/tool`, args: [] });
      const sources = request.mounts.map(({ source }) => source);
      expect(sources).toEqual(expect.arrayContaining([`${scene.base}/elsewhere/installed/bin`, `${scene.base}/elsewhere/installed/lib`]));
      for (const around of ['elsewhere', 'elsewhere/installed']) expect(sources).not.toContain(`${scene.base}/${around}`);
      expect(existsSync(`${scene.base}/elsewhere/beside`)).toBe(true);
    });
  });
});
