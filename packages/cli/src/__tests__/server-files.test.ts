import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DevsError } from '@devs/core';
import { createServerCheck } from '../config/server-check.ts';
import { listServerFiles, namesOfServerFiles } from '../config/server-files.ts';
import { findCandidate } from '../config/trust.ts';
import { writeTrustRecord } from '../config/trust-record.ts';
import { createConfigPlace, type ConfigPlace } from './config-place.ts';

let place: ConfigPlace;
let config: string;
beforeEach(async () => {
  place = await createConfigPlace();
  config = path.join(place.repository, 'devs.config.json');
  await mkdir(path.join(place.repository, 'bin'));
  for (const name of ['server.js', 'hook.js', 'bin/run']) await writeFile(path.join(place.repository, name), name);
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
    ['none', { command: 'node', args: ['-e', 'server', '$OUTSIDE/own.js', 'bin', 'gone.js'] }, []],
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
