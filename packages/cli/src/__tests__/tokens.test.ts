import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@devs/core';
import { createToken, type ScopeRules } from '@devs/mcp';
import { parseExpiry, tokensAddCommand } from '../commands/tokens-add.ts';
import { tokensListCommand } from '../commands/tokens-list.ts';
import { tokensRevokeCommand } from '../commands/tokens-revoke.ts';
import { locateState, type StateFolder } from '../state/state-folder.ts';
import { openTokenBook, openTokenUse } from '../state/token-list.ts';
import { LivePrincipals } from '../state/token-watch.ts';

const NOW = new Date('2026-07-28T12:00:00.000Z');

interface Said {
  readonly output: string;
  readonly status: string;
}

interface Desk extends AsyncDisposable {
  readonly state: StateFolder;
  readonly file: string;
  add(name: string, scope?: ScopeRules, expires?: string): Promise<Said>;
  /** As the time goes on. */
  wait(milliseconds: number): void;
  revoke(name: string): Promise<Said>;
  list(json?: boolean): Promise<Said>;
  live(token?: string): Promise<LivePrincipals>;
}

async function open(): Promise<Desk> {
  const place = await mkdtemp(path.join(os.tmpdir(), 'devs-tokens-'));
  const state = locateState(place, { DEVS_STATE_DIR: path.join(place, 'state') });
  const clock = { now: NOW };
  const run = async (command: (site: { readonly state: StateFolder; readonly terminal: Terminals }) => Promise<unknown>): Promise<Said> => {
    const terminal = { input: new PassThrough(), output: new PassThrough(), status: new PassThrough() };
    const said = Promise.all([readAll(terminal.output), readAll(terminal.status)]);
    await command({ state, terminal }).finally(() => {
      terminal.output.end();
      terminal.status.end();
    });
    const [output, status] = await said;
    return { output, status };
  };
  return {
    state,
    file: openTokenBook(state).path,
    add: async (name, scope = {}, expires) => run(async (site) => tokensAddCommand({ name, scope, expires }, site, clock.now)),
    wait: (milliseconds) => {
      clock.now = new Date(clock.now.getTime() + milliseconds);
    },
    revoke: async (name) => run(async (site) => tokensRevokeCommand(name, site)),
    list: async (json = false) => run(async (site) => tokensListCommand({ json }, site, clock.now)),
    live: async (token = createToken()) => new LivePrincipals({ state, token, logger: silentLogger, now: () => clock.now }).open(),
    [Symbol.asyncDispose]: async () => rm(place, { recursive: true, force: true }),
  };
}

interface Terminals {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly status: PassThrough;
}

/** The file with others in the place of its one token, as somebody writes it by hand. */
async function rewrite({ file }: Desk, change: (token: Record<string, unknown>) => readonly object[]): Promise<void> {
  const { tokens }: { readonly tokens: readonly Record<string, unknown>[] } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ version: 1, tokens: tokens.flatMap(change) }));
}

function many(token: object, count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ ...token, name: `t${String(index)}`, id: index.toString(16).padStart(12, '0') }));
}

function who({ principals }: LivePrincipals, { output }: Said): string | undefined {
  return principals.identify(`Bearer ${output.trim()}`)?.origin.principal;
}

describe('devs tokens', () => {
  it('prints a token once, alone, and keeps only its digest, for its owner', async () => {
    await using desk = await open();
    const { output, status } = await desk.add('ci', { readOnly: true }, '30d');
    expect(output).toMatch(/^devs_[0-9a-f]{12}_[\w-]{43}\n$/);
    expect(status).toContain('until 2026-08-27T12:00:00.000Z');
    expect(status).not.toContain(output.trim());
    const kept = await readFile(desk.file, 'utf8');
    expect(kept).not.toContain(output.trim().slice(18));
    expect((await stat(desk.file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(kept)).toMatchObject({ version: 1, tokens: [{ name: 'ci', scope: { readOnly: true }, expiresAt: '2026-08-27T12:00:00.000Z' }] });
    expect((await readdir(desk.state.path)).sort()).toEqual(['tokens.json', 'tokens.json-lock', 'tokens.json-lock-next']);
    for (const listed of [await desk.list(), await desk.list(true)]) {
      expect(listed.output).toContain('ci');
      expect(listed.output).not.toContain(output.trim().slice(18));
      expect(listed.output).not.toContain(JSON.parse(kept).tokens[0].sha256);
    }
  });

  it('lists what each allows, until when, and when it was last used', async () => {
    await using desk = await open();
    const token = await desk.add('files', { tools: ['files__*', 'read_file'], servers: ['files'], interactive: true });
    await desk.add('old', {}, '2026-07-28T12:30Z');
    await using live = await desk.live();
    expect(who(live, token)).toBe('token:files');
    await live.look();
    const lines = (await desk.list(true)).output.trim().split('\n').map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { name: 'files', scope: { tools: ['files__*', 'read_file'], servers: ['files'], interactive: true }, expiresAt: null, expired: false, lastUsed: '2026-07-28' },
      { name: 'old', expiresAt: '2026-07-28T12:30:00.000Z', lastUsed: null },
    ]);
    const text = (await desk.list()).output;
    expect(text).toMatch(/files .*does not expire.*used 2026-07-28.*tools files__\* read_file, of files, interactive/);
    expect(text).toMatch(/old .*expires 2026-07-28T12:30Z.*used never.*all tools/);
  });

  it.each<[string, string, ScopeRules, string | undefined]>([
    ['a name that is none', '../ci', {}, undefined],
    ['an empty name', '', {}, undefined],
    ['a name with an escape', 'a\u001b[2J', {}, undefined],
    ['a pattern that no tool fits', 'ci', { tools: ['read file'] }, undefined],
    ['a server of no possible name', 'ci', { servers: ['files/'] }, undefined],
    ['a time that is past', 'ci', {}, '2026-07-28'],
    ['a time of nothing', 'ci', {}, '0d'],
    ['a time that is none', 'ci', {}, 'tomorrow'],
    ['a day that does not exist', 'ci', {}, '2027-02-31T99:00Z'],
    ['a time beyond all', 'ci', {}, '999999w'],
  ])('makes no token of %s', async (_name, name, scope, expires) => {
    await using desk = await open();
    await expect(desk.add(name, scope, expires)).rejects.toMatchObject({ exitCode: 64, message: expect.not.stringContaining('\u001b') });
    expect((await openTokenBook(desk.state).read()).tokens).toEqual([]);
    if (name !== 'ci') await expect(desk.revoke(name)).rejects.toMatchObject({ exitCode: 64, message: expect.not.stringContaining('\u001b') });
  });

  it('keeps one token of a name, and lets a new one take the place of an expired one', async () => {
    await using desk = await open();
    await desk.add('ci');
    await expect(desk.add('ci')).rejects.toMatchObject({ exitCode: 64 });
    await expect(desk.revoke('cy')).rejects.toMatchObject({ exitCode: 1 });
    await desk.revoke('ci');
    await desk.add('ci', {}, '1m');
    expect(parseExpiry('1m', NOW)).toBe('2026-07-28T12:01:00.000Z');
    await expect(desk.add('ci')).rejects.toMatchObject({ exitCode: 64 });
    desk.wait(60_000);
    expect((await desk.list()).output).toContain('expired 2026-07-28T12:01Z');
    await desk.add('ci');
    expect((await openTokenBook(desk.state).read()).tokens).toMatchObject([{ name: 'ci', createdAt: '2026-07-28T12:01:00.000Z' }]);
  });

  it('loses none of those that are made at once', async () => {
    await using desk = await open();
    const names = Array.from({ length: 12 }, (_, index) => `ci-${index}`);
    await Promise.all(names.map(async (name) => desk.add(name)));
    const { tokens } = await openTokenBook(desk.state).read();
    expect(tokens.map(({ name }) => name).sort()).toEqual(names.sort());
  });
});

describe('the file of tokens', () => {
  it.each<[string, (token: Record<string, unknown>) => readonly object[]]>([
    ['a member that nobody knows', (token) => [{ ...token, hosts: [] }]],
    ['no scope', ({ scope: _scope, ...token }) => [token]],
    ['a scope of what nobody knows', (token) => [{ ...token, scope: { hosts: [] } }]],
    ['tools that are no list', (token) => [{ ...token, scope: { tools: 'read_file' } }]],
    ['tools that are no names', (token) => [{ ...token, scope: { tools: [7] } }]],
    ['servers that are no list', (token) => [{ ...token, scope: { servers: 'files' } }]],
    ['a word for read-only', (token) => [{ ...token, scope: { readOnly: 'yes' } }]],
    ['a word for interactive', (token) => [{ ...token, scope: { interactive: 'no' } }]],
    ['a name that is none', (token) => [{ ...token, name: 'a b' }]],
    ['an id that is none', (token) => [{ ...token, id: 'x' }]],
    ['an end that is no time', (token) => [{ ...token, expiresAt: 'never' }]],
    ['no beginning', ({ createdAt: _createdAt, ...token }) => [token]],
    ['one id twice', (token) => [token, { ...token, name: 'other' }]],
    ['more tokens than anybody hands out', (token) => many(token, 257)],
  ])('is not believed with %s', async (_name, change) => {
    await using desk = await open();
    await desk.add('ci');
    await rewrite(desk, change);
    await expect(openTokenBook(desk.state).read()).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining('is broken') });
  });

  it('holds as many as may be, and no more', async () => {
    await using desk = await open();
    await desk.add('ci');
    await rewrite(desk, (token) => many(token, 256));
    expect((await openTokenBook(desk.state).read()).tokens).toHaveLength(256);
    await expect(desk.add('more')).rejects.toMatchObject({ exitCode: 64, message: expect.stringContaining('There are already 256 tokens') });
    await desk.revoke('t7');
    await desk.add('more');
  });

  it('is not believed when it belongs to another user, or lies in a folder that others may write to', async () => {
    await using desk = await open();
    await desk.add('ci');
    await chmod(desk.state.path, 0o707);
    await expect(openTokenBook(desk.state).read()).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining('The state folder') });
    await chmod(desk.state.path, 0o700);
    expect((await openTokenBook(desk.state).read()).tokens).toHaveLength(1);
    if (process.getuid?.() !== 0) return;
    await chown(desk.file, 65_534, 65_534);
    await expect(openTokenBook(desk.state).read()).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining('belongs to another user') });
  });
});

describe('a server that runs', () => {
  it('ends whose time has come though they ask for nothing, as long as it looks', async () => {
    await using desk = await open();
    const [short, long] = [await desk.add('short', {}, '1m'), await desk.add('long', {}, '2m')];
    await using live = await desk.live();
    const [first, second] = [short, long].map(({ output }) => live.principals.identify(`Bearer ${output.trim()}`));
    desk.wait(60_000);
    expect(first?.ended.aborted).toBe(false);
    await live.look();
    expect([first, second].map((each) => each?.ended.aborted)).toEqual([true, false]);
  });

  it('forgets when a token was used last once it is revoked', async () => {
    await using desk = await open();
    const [ci, laptop] = [await desk.add('ci'), await desk.add('laptop')];
    await using live = await desk.live();
    expect([ci, laptop].map((said) => who(live, said))).toEqual(['token:ci', 'token:laptop']);
    await live.look();
    await desk.revoke('ci');
    desk.wait(86_400_000);
    expect(who(live, laptop)).toBe('token:laptop');
    await live.look();
    expect(Object.values(await openTokenUse(desk.state).read())).toEqual(['2026-07-29']);
  });

  it('takes over what is made, revoked and changed, and keeps who is not concerned', async () => {
    await using desk = await open();
    const [ci, laptop] = [await desk.add('ci'), await desk.add('laptop')];
    await using live = await desk.live();
    const before = live.principals.identify(`Bearer ${ci.output.trim()}`);
    const stays = live.principals.identify(`Bearer ${laptop.output.trim()}`);
    const late = await desk.add('late');
    expect(who(live, late)).toBeUndefined();
    await live.look();
    expect([ci, laptop, late].map((said) => who(live, said))).toEqual(['token:ci', 'token:laptop', 'token:late']);
    await desk.revoke('ci');
    await live.look();
    expect(before?.ended.aborted).toBe(true);
    expect([ci, laptop, late].map((said) => who(live, said))).toEqual([undefined, 'token:laptop', 'token:late']);
    expect(live.principals.identify(`Bearer ${laptop.output.trim()}`)).toBe(stays);
  });

  it('looks by itself', async () => {
    await using desk = await open();
    const ci = await desk.add('ci');
    await using live = await desk.live();
    const { ended } = live.principals.identify(`Bearer ${ci.output.trim()}`) ?? {};
    const seen = new Promise((resolve) => ended?.addEventListener('abort', resolve));
    await desk.revoke('ci');
    await seen;
    expect(who(live, ci)).toBeUndefined();
  });

  it.each<[string, (file: string) => Promise<void>]>([
    ['is broken', async (file) => writeFile(file, '{"version":1,"tokens":')],
    ['is of another version', async (file) => writeFile(file, (await readFile(file, 'utf8')).replace('"version": 1', '"version": 2'))],
    ['says of a scope what is not understood', async (file) => writeFile(file, (await readFile(file, 'utf8')).replace('"scope": {}', '"scope": {"hosts": []}'))],
    ['has a digest that is none', async (file) => writeFile(file, (await readFile(file, 'utf8')).replace(/"sha256": "\w/, '"sha256": "'))],
    ['has an end that is no time', async (file) => writeFile(file, (await readFile(file, 'utf8')).replace('"createdAt"', '"expiresAt": "never", "createdAt"'))],
    ['is open to others', async (file) => chmod(file, 0o644)],
    ['is gone', async (file) => rm(file)],
    ['is a link', async (file) => {
      await rm(file);
      await symlink('/etc/passwd', file);
    }],
    ['is huge', async (file) => writeFile(file, ' '.repeat(1_048_577))],
  ])('lets nobody in by a name when the file %s, and goes on', async (_name, spoil) => {
    await using desk = await open();
    const ci = await desk.add('ci');
    const first = createToken();
    await using live = await desk.live(first);
    const { ended } = live.principals.identify(`Bearer ${ci.output.trim()}`) ?? {};
    await spoil(desk.file);
    await live.look();
    expect(who(live, ci)).toBeUndefined();
    expect(ended?.aborted).toBe(true);
    expect(live.principals.identify(`Bearer ${first}`)?.origin.principal).toBe('token');
  });

  it('does not start with a file that it cannot believe', async () => {
    await using desk = await open();
    await desk.add('ci');
    await chmod(desk.file, 0o604);
    await expect(desk.live()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    await expect(desk.list()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    await expect(desk.add('more')).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });
});
