import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isWithinAllowed, validatePath, type PathValidationOptions } from '../paths.ts';
import { asUnprivileged } from './as-unprivileged.ts';
import { createPathGround, type PathGround } from './path-ground.ts';

let ground: PathGround;
const within = (changes: PathValidationOptions = {}): PathValidationOptions => ({
  base: ground.root,
  allowedPaths: [ground.root],
  ...changes,
});

beforeAll(() => {
  ground = createPathGround();
});
afterAll(() => {
  ground[Symbol.dispose]();
});

/** No answer tells of a place that was found on the way. */
function expectNothingTold(error: string | undefined): void {
  expect(error).toMatch(/^[A-Z].*\.$/s);
  expect(error).not.toMatch(/devs-paths-|outside\/|\/proc|\/etc|E[A-Z]{3,}:/);
}

describe('validatePath', () => {
  it.each([
    ['..'],
    ['../outside/secret.txt'],
    ['./../outside/secret.txt'],
    ['d/../../outside/secret.txt'],
    ['d/e/../../../outside'],
    ['../root-evil/f'],
    ['../../../../../../../../etc/passwd'],
    ['none/../../outside'],
  ])('should detect path traversal: %s', async (name) => {
    const verdict = await validatePath(name, within());
    expect(verdict).toMatchObject({ valid: false, resolved: path.resolve(ground.root, name) });
    expectNothingTold(verdict.error);
    if (!name.startsWith('none')) {
      expect(verdict).toMatchObject({
        code: 'PATH_NOT_ALLOWED',
        error: 'Path traversal detected: the path points outside allowed paths. Use a path inside an allowed folder.',
      });
    }
  });

  it.each([
    ['to-f', 'f'],
    ['to-e/g', 'd/e/g'],
    ['d/up/f', 'f'],
    ['d/up/d/up/to-e/new', 'd/e/new'],
    ['absolute/f', 'f'],
    ['dangling', 'none/below'],
    ['dangling/new', 'none/below/new'],
  ])('should resolve symlinks: %s is %s', async (name, leads) => {
    expect(await validatePath(name, within())).toEqual({ valid: true, resolved: ground.at(leads) });
  });

  it.each(['out', 'out/secret.txt', 'out/none', 'out-file', 'd/up-out/secret.txt', 'to-out', 'sneaky/secret.txt', 'absolute-out/x', 'dangling-out', 'to-slash/etc/passwd', 'to-proc/etc/passwd'])(
    'should resolve symlinks: %s leads outside',
    async (name) => {
      const verdict = await validatePath(name, within());
      expect(verdict).toEqual({
        valid: false,
        resolved: ground.at(name),
        code: 'PATH_NOT_ALLOWED',
        error: 'A symlink on the path points outside allowed paths. Use a path inside an allowed folder.',
      });
    },
  );

  it('should enforce allowed paths', async () => {
    const allowed = within({ allowedPaths: ['d', ground.at('f')] });
    for (const name of ['d', 'd/', 'd/e/g', 'd/new/er', 'f', ground.at('d/e'), './/d//e/./g']) {
      expect(await validatePath(name, allowed)).toMatchObject({ valid: true });
    }
    for (const name of ['.', '', 'secrets/key', 'none', 'd2', 'f2', 'to-f', 'd/up/secrets/key', `${ground.root}-evil/f`]) {
      expect(await validatePath(name, allowed)).toMatchObject({ valid: false });
    }
    // Not even whether something is there is told of a place that is not allowed.
    const [there, missing] = [await validatePath('secrets/key', allowed), await validatePath('secrets/none', allowed)];
    expect({ ...there, resolved: '' }).toEqual({ ...missing, resolved: '' });
  });

  it.each(['f/x', '../outside/secret.txt/x', '../outside/none/x'])('tells nothing of what is outside: %s', async (name) => {
    const { code } = await validatePath(name, within());
    expect(code).toBe(name === 'f/x' ? 'NOT_A_DIRECTORY' : 'PATH_NOT_ALLOWED');
  });

  it.each([
    ['secrets'],
    ['secrets/key'],
    ['secrets/none'],
    ['SECRETS/key'],
    ['\uFF53ecrets/key'],
    ['secrets./key'],
    ['secrets::$DATA'],
    ['d/../secrets/key'],
    ['to-secrets/key'],
    ['to-secrets'],
    ['absolute/secrets/key'],
    ['secrets/../f'],
    ['secrets/to-d/e/g'],
  ])('should block dangerous paths: %s', async (name) => {
    const verdict = await validatePath(name, within({ blockedPaths: ['secrets'] }));
    expect(verdict).toMatchObject({ valid: false, code: 'PATH_BLOCKED' });
    expectNothingTold(verdict.error);
  });

  it('blocks by whole names, the place of a blocked link, and a link itself', async () => {
    for (const name of ['secrets2', 'd/secrets', 'secret']) {
      expect(await validatePath(name, within({ blockedPaths: ['secrets'] }))).toMatchObject({ valid: true });
    }
    expect(await validatePath('secrets/key', within({ blockedPaths: ['to-secrets'] }))).toMatchObject({ code: 'PATH_BLOCKED' });
    expect(await validatePath('to-f', within({ blockedPaths: ['to-f'] }))).toMatchObject({ code: 'PATH_BLOCKED' });
    expect(await validatePath('f', within({ blockedPaths: [ground.base] }))).toMatchObject({ code: 'PATH_BLOCKED' });
    expect(await validatePath('d/e/g', { base: ground.at('d'), blockedPaths: ['/'] })).toMatchObject({ code: 'PATH_BLOCKED' });
    const alias = { base: path.join(ground.base, 'alias'), blockedPaths: [path.join(ground.base, 'ALIAS')] };
    expect(await validatePath('f', alias)).toMatchObject({ code: 'PATH_BLOCKED' });
    // A name that folds to nothing is a name, not the root.
    expect(await validatePath('f', within({ blockedPaths: ['...'] }))).toMatchObject({ valid: true });
  });

  it('follows no link below the base where links are not allowed, and those on the way to it', async () => {
    const strict = { base: path.join(ground.base, 'alias'), allowedPaths: [path.join(ground.base, 'alias')], allowSymlinks: false };
    expect(await validatePath('d/e/g', strict)).toEqual({ valid: true, resolved: ground.at('d/e/g') });
    expect(await validatePath(path.join(ground.base, 'alias/f'), strict)).toMatchObject({ valid: true });
    expect(await validatePath(ground.at('f'), strict)).toMatchObject({ valid: true });
    for (const name of ['to-f', 'to-e/g', 'd/up/f', 'dangling', 'out', 'circle']) {
      expect(await validatePath(name, strict)).toMatchObject({ valid: false });
    }
  });

  it.each([
    ['f', 1, true],
    ['d/e', 1, false],
    ['d/e/g', 3, true],
    ['d/e/g', 2, false],
    ['to-e/g', 2, false],
    ['.', 0, true],
    ['f', 0, false],
    ['d/../f', 1, true],
    ['none/a/b/c', 3, false],
  ])('counts segments below the allowed folder: %s, at most %d', async (name, maxDepth, valid) => {
    expect(await validatePath(name, within({ maxDepth }))).toMatchObject({ valid });
    expect(await validatePath(name, { base: ground.root, maxDepth })).toMatchObject({ valid });
    expect(await validatePath(name, within({ maxDepth, allowedPaths: [ground.base, ground.root] }))).toMatchObject({ valid });
  });

  it.each<[string, unknown]>([
    ['empty', ''],
    ['NUL', 'f\0'],
    ['NUL before an innocent ending', '../outside/secret.txt\0.md'],
    ['a lone surrogate', 'a\ud800b'],
    ['5,000 characters', 'a/'.repeat(2_500)],
    ['a name of 256 bytes', 'a'.repeat(256)],
    ['a name of 86 characters that are 258 bytes', '日'.repeat(86)],
    ['a number', 7],
    ['nothing', undefined],
    ['null', null],
    ['a list', ['f']],
    ['an object that says it is a text', { toString: () => 'f', valueOf: () => 'f' }],
    ['a circle', 'circle'],
    ['a circle on the way', 'ring-1/x'],
    ['back out of what is not there', 'none/../f'],
    ['back over a link, which programs understand differently', 'to-e/../f'],
  ])('refuses what is no path: %s', async (_, name) => {
    const verdict = await validatePath(name as string, within());
    expect(verdict).toMatchObject({ valid: false, code: 'PATH_REFUSED' });
    expectNothingTold(verdict.error);
    expect(JSON.stringify(verdict).length).toBeLessThan(6_000);
  });

  it.each(['a..b', '...', '..a', 'a..', ' ', '~', '-rf', '%2e%2e', '%2e%2e%2ff', '..\\f', 'C:\\x', '\\\\host\\x', 'file://x', '$HOME', 'NUL', 'con.', '\uFF0E\uFF0E', 'a\nb', '日本'])(
    'takes %j for a name',
    async (name) => {
      expect(await validatePath(name, within())).toEqual({ valid: true, resolved: ground.root + path.posix.resolve('/', name) });
    },
  );

  it('a missing file is fine, for a write; a file is no folder', async () => {
    expect(await validatePath('new/deep/er', within())).toEqual({ valid: true, resolved: ground.at('new/deep/er') });
    for (const name of ['f/x', 'f/../f', 'f/..']) {
      expect(await validatePath(name, within())).toMatchObject({ valid: false, code: 'NOT_A_DIRECTORY' });
    }
  });

  it('fails closed where it may not look', async () => {
    mkdirSync(ground.at('closed/inner'), { recursive: true });
    await asUnprivileged(ground.base, ground.at('closed'), async () => {
      expect(await validatePath('closed/inner', within())).toMatchObject({ valid: false, code: 'PERMISSION_DENIED' });
      expect(await validatePath('closed/none', within())).toMatchObject({ valid: false, code: 'PERMISSION_DENIED' });
    });
    rmSync(ground.at('closed'), { recursive: true });
  });

  it('a root that is a link, and one that is gone', async () => {
    const alias = path.join(ground.base, 'alias');
    for (const name of ['f', path.join(alias, 'f'), ground.at('f')]) {
      expect(await validatePath(name, { base: alias, allowedPaths: [alias] })).toEqual({ valid: true, resolved: ground.at('f') });
    }
    expect(await validatePath('../outside', { base: alias, allowedPaths: [alias] })).toMatchObject({ valid: false });
    const gone = path.join(ground.base, 'gone');
    expect(await validatePath('f', { base: gone, allowedPaths: [gone] })).toEqual({ valid: true, resolved: path.join(gone, 'f') });
    expect(await validatePath('../outside', { base: gone, allowedPaths: [gone] })).toMatchObject({ valid: false });
  });

  it('without a base a path starts at the current folder, and without allowed paths everything is', async () => {
    expect(await validatePath('package.json')).toEqual({ valid: true, resolved: realpathSync('package.json') });
    expect(await validatePath('/')).toEqual({ valid: true, resolved: '/' });
    expect(await validatePath('..', { allowedPaths: ['.'] })).toMatchObject({ valid: false });
    expect(await validatePath('d', { base: ground.root, allowedPaths: [] })).toMatchObject({ valid: true });
  });

  it.each<[string, object]>([
    ['an empty entry', { allowedPaths: [''] }],
    ['a NUL', { blockedPaths: ['a\0'] }],
    ['no list', { allowedPaths: null }],
    ['no text', { allowedPaths: [7] }],
    ['a text for a list', { blockedPaths: 'secrets' }],
    ['a depth that is no number', { maxDepth: Number.NaN }],
    ['a base that is no text', { base: {} }],
    ['a proxy that throws', new Proxy({}, { get: () => { throw new Error('/etc'); } })],
  ])('rules that cannot be used refuse everything: %s', async (_, options) => {
    const { valid, error } = await validatePath('f', options as PathValidationOptions);
    expect(valid).toBe(false);
    expectNothingTold(error);
  });

  it('a link that brings many segments along does not make the walk long', async () => {
    mkdirSync(ground.at('maze'));
    const detour = '../d/../maze/'.repeat(300);
    for (let index = 0; index < 9; index += 1) symlinkSync(`${detour}${String(index + 1)}`, ground.at('maze', String(index)));
    writeFileSync(ground.at('maze/9'), 'x');
    expect(await validatePath('maze/7', within())).toEqual({ valid: true, resolved: ground.at('maze/9') });
    expect(await validatePath('maze/0', within())).toMatchObject({ valid: false, error: expect.stringContaining('too many segments') });
    rmSync(ground.at('maze'), { recursive: true });
  });
});

describe('isWithinAllowed', () => {
  it.each([
    ['/allowed', ['/allowed'], true],
    ['/allowed/', ['/allowed'], true],
    ['/allowed/a..b', ['/allowed/'], true],
    ['/allowed/x/../y', ['/allowed'], true],
    ['/allowed-evil', ['/allowed'], false],
    ['/allowed-evil/x', ['/allowed'], false],
    ['/allowed/../etc', ['/allowed'], false],
    ['/allowe', ['/allowed'], false],
    ['/Allowed/x', ['/allowed'], false],
    ['/x/allowed', ['/allowed'], false],
    ['/b/c', ['/a', '/b'], true],
    ['/anything', ['/'], true],
    [path.join(process.cwd(), 'x'), [''], false],
    ['/anything', [], true],
    ['/anything', undefined, true],
  ])('%s in %j: %s', (name, allowed, expected) => {
    expect(isWithinAllowed(name, allowed)).toBe(expected);
  });
});

it('a file beside a folder of the same beginning is told apart on the disk too', async () => {
  writeFileSync(ground.at('d-evil'), 'x');
  expect(await validatePath('d-evil', within({ allowedPaths: ['d'] }))).toMatchObject({ valid: false });
  expect(await validatePath('d-evil', within({ blockedPaths: ['d'] }))).toMatchObject({ valid: true });
  rmSync(ground.at('d-evil'));
});
