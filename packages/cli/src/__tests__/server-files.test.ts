import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DevsError } from '@devs/core';
import { createServerCheck } from '../config/server-check.ts';
import { listServerFiles, namesOfServerFiles } from '../config/server-files.ts';
import { describeQuestion, describeReview } from '../config/review.ts';
import { findCandidate } from '../config/trust.ts';
import { readTrustRecord, writeTrustRecord } from '../config/trust-record.ts';
import { createConfigPlace, type ConfigPlace } from './config-place.ts';

let place: ConfigPlace;
let config: string;
beforeEach(async () => {
  place = await createConfigPlace();
  config = path.join(place.repository, 'devs.config.json');
  await mkdir(path.join(place.repository, 'bin'));
  await mkdir(path.join(place.repository, 'nested', 'deep'), { recursive: true });
  for (const name of ['server.js', 'hook.js', 'bin/run', 'index.js', 'tool.py', 'a b.mjs', 'c=d:e.mjs', 'nested/one.mjs', 'nested/deep/two.txt']) await writeFile(path.join(place.repository, name), name);
  await writeFile(path.join(place.repository, 'package.json'), '{"main":"./server"}');
  await writeFile(path.join(place.outside, 'own.js'), 'own');
  await symlink(path.join(place.repository, 'server.js'), path.join(place.outside, 'link.js'));
});
afterEach(async () => place[Symbol.asyncDispose]());

const trusted = async () => {
  const { record } = await findCandidate(place.request(), new Date(0));
  await writeTrustRecord(place.state, record);
};
/** What devs says of starting the server, empty when it may. */
const refusalOf = async (name: string) => {
  const check = createServerCheck(await place.load(), { root: place.repository, variables: {}, trustCommand: () => 'devs config trust' });
  return check(name).then(() => '', (cause: unknown) => (DevsError.is(cause) ? `${cause.code}: ${cause.sentence}` : String(cause)));
};

const NODE = { command: 'node', args: ['server.js'] };

describe('the files of the root that a server runs', () => {
  it.each<[string, object, readonly string[]]>([
    ['its program', { command: './bin/run' }, ['bin/run']],
    ['an argument', { command: 'node', args: ['server.js'] }, ['server.js']],
    ['an absolute argument', { command: 'node', args: ['$ROOT/server.js'] }, ['server.js']],
    ['a flag’s value', { command: 'node', args: ['--import=./hook.js', 'server.js'] }, ['hook.js', 'server.js']],
    ['a variable', { command: 'node', args: ['-e', '1'], env: { NODE_OPTIONS: '--require ./hook.js' } }, ['hook.js']],
    ['a URL', { command: 'node', args: ['file://$ROOT/server.js'] }, ['server.js']],
    ['from another folder', { command: './run', cwd: 'bin' }, ['bin/run']],
    ['a link to it from outside', { command: 'node', args: ['$OUTSIDE/link.js'] }, ['../outside/link.js']],
    ['a program that is looked for in the root', { command: 'run', env: { PATH: 'bin' } }, ['bin/run']],
    ['all of a folder', { command: 'node', args: ['./nested'] }, ['nested/deep/two.txt', 'nested/one.mjs']],
    ['where the folder that is the root begins', { command: 'node', args: ['.'] }, ['index.js', 'package.json', 'server.js']],
    ['none of a root that is another program’s to read', { command: 'serve-files', args: ['.'] }, []],
    ['a name without its ending', { command: 'node', args: ['./server'] }, ['server.js']],
    ['a Python module’s', { command: 'python3', args: ['-m', 'tool'] }, ['tool.py']],
    ['in quotes of a shell', { command: 'sh', args: ['-c', "exec node './server.js'"] }, ['server.js']],
    ['half in quotes', { command: 'sh', args: ['-c', 'node a" "b.mjs'] }, ['a b.mjs']],
    ['behind a backslash', { command: 'sh', args: ['-c', 'node ./a\\ b.mjs'] }, ['a b.mjs']],
    ['after a shell has gone to a folder', { command: 'sh', args: ['-c', 'cd nested && exec node one.mjs'] }, ['nested/deep/two.txt', 'nested/one.mjs']],
    ['with a space in a flag’s value', { command: 'node', args: ['--import=./a b.mjs', '-e', '0'] }, ['a b.mjs']],
    ['with what parts names in it', { command: 'node', args: ['x,./c=d:e.mjs'] }, ['c=d:e.mjs']],
    ['right behind a letter', { command: 'ruby', args: ['-I./nested'] }, ['nested/deep/two.txt', 'nested/one.mjs']],
    ['a file of words', { command: 'java', args: ['@hook.js'] }, ['hook.js']],
    ['a URL with a query', { command: 'node', args: ['--import=file://$ROOT/a%20b.mjs?x=1', '-e', '0'] }, ['a b.mjs']],
    ['a folder of modules', { command: 'python3', args: ['-u'], env: { PYTHONPATH: '/usr/lib:nested' } }, ['nested/deep/two.txt', 'nested/one.mjs']],
    ['none', { command: 'node', args: ['-e', 'x', '$OUTSIDE/own.js', 'gone.js'] }, []],
    ['none of a URL', { url: 'https://a.example/server.js' }, []],
  ])('are found: %s', async (_name, server, expected) => {
    const text = JSON.stringify(server).replaceAll('$ROOT', place.repository).replaceAll('$OUTSIDE', place.outside);
    const files = await listServerFiles(JSON.parse(text), { root: place.repository, variables: {} });
    expect(files.map((file) => path.relative(place.repository, file.path))).toEqual(expected);
    expect(files.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['as they were trusted', async () => undefined, /^$/],
    ['one changed', async () => writeFile(path.join(place.repository, 'server.js'), 'evil'), /^UPSTREAM_UNAVAILABLE: .*server\.js", which has changed since it was trusted on 1970.*devs config trust/],
    ['one changed, its time and size kept', async () => writeFile(path.join(place.repository, 'server.js'), 'Server.js'), /has changed/],
    ['another in its place', async () => rename(path.join(place.repository, 'hook.js'), path.join(place.repository, 'server.js')), /has changed/],
    ['one that was not there', async () => writeFile(path.join(place.repository, 'later.js'), 'evil'), /later\.js", which was not there/],
  ])('are held against what was trusted at each start: %s', async (_name, change, expected) => {
    await place.write(config, { mcpServers: { one: { command: 'node', args: ['server.js', 'later.js'] }, far: { url: 'https://a.example/' } } });
    await trusted();
    await change();
    expect(await refusalOf('one')).toMatch(expected);
    expect(await refusalOf('far')).toBe('');
    expect((await place.notes()).some((note) => note.includes('is not started'))).toBe(expected.source !== '^$');
  });

  // Each of these has run, with every file that was still there as it was trusted.
  it.each<[string, object, (root: string) => Promise<unknown>, RegExp]>([
    ['is gone', NODE, async () => undefined, /server\.js", which is gone, or no regular file any more/],
    ['is a folder that Node runs', NODE, async (root) => (await mkdir(path.join(root, 'server.js')), writeFile(path.join(root, 'server.js', 'index.cjs'), 'evil')), /server\.js", which is gone/],
    ['is another name that Node runs', NODE, async (root) => writeFile(path.join(root, 'server.js.js'), 'evil'), /server\.js", which is gone/],
    ['is a folder that Python runs', { command: 'python3', args: ['server.js'] }, async (root) => (await mkdir(path.join(root, 'server.js')), writeFile(path.join(root, 'server.js', '__main__.py'), 'evil')), /server\.js", which is gone/],
    ['is a pipe', { command: 'sh', args: ['server.js'] }, async (root) => execFileSync('mkfifo', [path.join(root, 'server.js')]), /server\.js" is not a regular file/],
    ['is a link to the same bytes elsewhere', NODE, async (root) => (await writeFile(path.join(root, 'nested', 'same.js'), 'server.js'), symlink(path.join('nested', 'same.js'), path.join(root, 'server.js'))), /server\.js", which leads to another place/],
  ])('are refused when one of them %s', async (_name, server, change, expected) => {
    await place.write(config, { mcpServers: { one: server, other: { command: 'node', args: ['hook.js'] } } });
    await trusted();
    expect(await refusalOf('one')).toBe('');
    await rm(path.join(place.repository, 'server.js'));
    await change(place.repository);
    expect(await refusalOf('one')).toMatch(/^UPSTREAM_UNAVAILABLE: The server "one" is not started: .*devs config trust$/);
    expect(await refusalOf('one')).toMatch(expected);
    expect(await refusalOf('other')).toBe('');
  });

  it.each<[string, readonly string[], () => Promise<unknown>]>([
    ['a file of a folder', ['./nested'], async () => writeFile(path.join(place.repository, 'nested', 'deep', 'two.txt'), 'evil')],
    ['a new file of a folder', ['./nested'], async () => writeFile(path.join(place.repository, 'nested', 'index.js'), 'evil')],
    ['a file that is found by its ending', ['./server'], async () => writeFile(path.join(place.repository, 'server.js'), 'evil')],
    ['another ending of it', ['./server'], async () => writeFile(path.join(place.repository, 'server.json'), 'evil')],
    ['where a root begins', ['.'], async () => writeFile(path.join(place.repository, 'package.json'), '{"main":"./evil.js"}')],
    ['a file that comes where a link led nowhere', ['./empty'], async () => writeFile(path.join(place.repository, 'later.js'), 'evil')],
  ])('are refused once an agent has written %s', async (_name, args, change) => {
    await mkdir(path.join(place.repository, 'empty'));
    await symlink('../later.js', path.join(place.repository, 'empty', 'index.js'));
    await place.write(config, { mcpServers: { one: { command: 'node', args } } });
    await trusted();
    expect(await refusalOf('one')).toBe('');
    await change();
    expect(await refusalOf('one')).toMatch(/is not started: it runs .*devs config trust$/);
  });

  it.each<[string, readonly string[], () => Promise<unknown>, RegExp]>([
    ['more words than are looked for', Array.from({ length: 5_001 }, (_, index) => `w${String(index)}`).concat('server.js'), async () => undefined, /more than 5000 words/],
    ['more files in a folder than are hashed', ['./nested'], async () => Promise.all(Array.from({ length: 1_000 }, async (_, index) => writeFile(path.join(place.repository, 'nested', String(index)), ''))), /more than 1000 files and folders lie in ".*nested"/],
    ['more bytes in a folder than are hashed', ['./nested'], async () => Promise.all(['one.mjs', 'deep/two.txt'].map(async (name) => truncate(path.join(place.repository, 'nested', name), 33_554_433))), /two\.txt" is larger than/],
    ['a pipe', ['./pipe'], async () => execFileSync('mkfifo', [path.join(place.repository, 'pipe')]), /pipe" is not a regular file/],
    ['a pipe in a folder', ['./nested'], async () => execFileSync('mkfifo', [path.join(place.repository, 'nested', 'pipe')]), /pipe" is not a regular file/],
  ])('that cannot all be known, %s, are trusted with no yes, and the review says so', async (_name, args, make, expected) => {
    await make();
    await place.write(config, { mcpServers: { one: { command: 'node', args }, other: { command: 'node', args: ['hook.js'] } } });
    const { review, isTrusted } = await findCandidate(place.request(), new Date(0));
    expect(describeReview(review).join('\n')).toMatch(new RegExp(`Servers that do not start anyway \\(1\\):\n  one: .*${expected.source}`));
    await trusted();
    expect(isTrusted).toBe(false);
    expect(await refusalOf('one')).toMatch(/is not started: what it runs in the project was not recorded when its file was trusted/);
    expect(await refusalOf('other')).toBe('');
  });

  it('of a record of an earlier devs, which did not note them by server, are to be trusted anew', async () => {
    await place.write(config, { mcpServers: { one: { command: 'npx', args: ['-y', 'x'] }, far: { url: 'https://a.example/' } } });
    await trusted();
    expect(await refusalOf('one')).toBe('');
    const record = await readTrustRecord(place.state, config);
    if (record === undefined) throw new Error('There is a record.');
    await writeTrustRecord(place.state, { ...record, servers: undefined });
    expect(await refusalOf('one')).toMatch(/was not recorded when its file was trusted\. Review it, then: devs config trust$/);
    expect(await refusalOf('far')).toBe('');
    expect(await findCandidate(place.request(), new Date(0))).toMatchObject({ isTrusted: false });
  });

  it.each<[string, object, string | undefined]>([
    ['a shell’s text', { command: '/bin/bash', args: ['-lc', 'node server.js'] }, 'bash -lc'],
    ['a shell’s text behind another program', { command: 'env', args: ['-S', 'sh -c x'] }, 'sh -c'],
    ['a text', { command: 'node', args: ['--import', './hook.js', '--eval=x'] }, 'node --eval'],
    ['a text behind a file that is loaded before', { command: 'node', args: ['-r', './hook.js', '-e', 'x'] }, 'node -r'],
    ['a text behind a name with a space', { command: 'node', args: ['--import=./a b.mjs', '-e', '0'] }, 'node -e'],
    ['a module', { command: 'python3.12', args: ['-um', 'tool'] }, 'python3.12 -um'],
    ['npx', { command: 'npx', args: ['-y', 'some-server'] }, 'npx'],
    ['uvx', { command: '/usr/bin/uvx', args: ['x'] }, 'uvx'],
    ['make', { command: 'make', args: ['serve'] }, 'make'],
    ['a script of package.json', { command: 'npm', args: ['run', 'serve'] }, 'npm'],
    ['the whole project', { command: 'serve-files', args: ['$ROOT'] }, 'it is given the whole project'],
    ['the whole project from elsewhere', { command: 'serve-files', args: ['$ROOT'], cwd: '/' }, 'it is given the whole project'],
    ['a file', { command: 'node', args: ['--enable-source-maps=1', 'server.js', '-c', 'x'] }, undefined],
    ['a runner elsewhere', { command: 'npx', args: ['x'], cwd: '/' }, undefined],
    ['a runner in a box', { command: 'npx', args: ['x'], sandbox: { mode: 'require' } }, undefined],
    ['a runner in a box that may be missing', { command: 'npx', args: ['x'], sandbox: { mode: 'prefer' } }, 'npx'],
  ])('are no answer to %s, which the review says among what weakens', async (_name, server, reason) => {
    await place.write(config, JSON.stringify({ mcpServers: { one: server } }).replaceAll('$ROOT', place.repository));
    const { review } = await findCandidate(place.request(), new Date(0));
    const lines = describeReview(review).join('\n');
    const weakened = lines.slice(lines.indexOf('It weakens 1 key'));
    const warning = `mcpServers: what one (${reason ?? ''}) runs in the project is not known, and an agent can change it later; run it in a sandbox`;
    expect(weakened.includes(reason === undefined ? 'is not known' : warning)).toBe(reason !== undefined);
    expect(describeQuestion(review)).toContain('It weakens 1 key');
  });

  it('are told by server in the record, with where links lead', async () => {
    await symlink('server.js', path.join(place.repository, 'link.js'));
    await place.write(config, { mcpServers: { one: { command: 'node', args: ['link.js'] }, far: { url: 'https://a.example/' } } });
    await trusted();
    const [link, real] = [path.join(place.repository, 'link.js'), path.join(place.repository, 'server.js')];
    expect(await readTrustRecord(place.state, config)).toMatchObject({ servers: [{ name: 'one', files: [{ path: link, real, sha256: expect.any(String) }] }] });
    expect(await readFile(link, 'utf8')).toBe('server.js');
  });

  it('make a file that is trusted as it is one to look at again', async () => {
    await place.write(config, { mcpServers: { one: { command: 'node', args: ['server.js'] } } });
    await trusted();
    expect(await findCandidate(place.request(), new Date(0))).toMatchObject({ isTrusted: true });
    await writeFile(path.join(place.repository, 'server.js'), 'new');
    expect(await findCandidate(place.request(), new Date(0))).toMatchObject({ isTrusted: false });
    await trusted();
    expect(await refusalOf('one')).toBe('');
  });

  it('of a record that was made without them are not those that were trusted', async () => {
    await place.write(config, { mcpServers: { one: { command: 'node', args: ['server.js'] } } });
    await place.trust(config);
    expect(await refusalOf('one')).toContain('is not started');
  });

  it('are the operator’s to change, but no tool’s, where the operator names the server', async () => {
    await place.write(place.userFile, { mcpServers: { one: { command: 'node', args: ['server.js', path.join(place.outside, 'link.js')] } } });
    expect(await refusalOf('one')).toBe('');
    const { config: inForce } = await place.load();
    expect(inForce.files.protected.toSorted()).toEqual(['link.js', 'server.js']);
    expect(await namesOfServerFiles({ command: 'node' }, { root: place.repository, variables: {} })).toEqual([]);
  });
});
