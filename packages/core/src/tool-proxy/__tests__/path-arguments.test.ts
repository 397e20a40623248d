import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_CONFIG, settingsFor, type ToolConfig } from '../../config/schema.ts';
import type { JsonObject } from '../../json.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import type { Authorship } from '../../validation/schema.ts';
import { createPathGround, type PathGround } from '../../validation/__tests__/path-ground.ts';
import { codeOf, context, createScene, describeTool, request, wholeText, type Scene } from './scene.ts';

const PATH: JsonObject = { type: 'string', format: 'devs-path' };
const FLAT: JsonObject = { type: 'object', properties: { path: PATH }, required: ['path'], additionalProperties: false };

/** Every place in which a schema can hide a path, with the pointer that the refusal must name. */
const NESTED: readonly (readonly [name: string, schema: JsonObject, nest: (value: string) => JsonObject, pointer: string])[] = [
  ['a property', FLAT, (value) => ({ path: value }), '/path'],
  ['an item', { type: 'object', properties: { paths: { type: 'array', items: PATH } } }, (value) => ({ paths: ['f', value] }), '/paths/1'],
  ['an item of an item', { type: 'object', properties: { a: { type: 'array', items: { type: 'array', items: PATH } } } }, (value) => ({ a: [['f'], [value]] }), '/a/1/0'],
  ['a prefix item', { type: 'object', properties: { a: { type: 'array', prefixItems: [{ type: 'string' }, PATH] } } }, (value) => ({ a: ['x', value] }), '/a/1'],
  ['an object in an array', { type: 'object', properties: { edits: { type: 'array', items: { type: 'object', properties: { path: PATH } } } } }, (value) => ({ edits: [{ path: 'f' }, { path: value }] }), '/edits/1/path'],
  ['an object in an object', { type: 'object', properties: { from: { type: 'object', properties: { file: PATH } } } }, (value) => ({ from: { file: value } }), '/from/file'],
  ['any other property', { type: 'object', additionalProperties: PATH }, (value) => ({ x: 'f', y: value }), '/y'],
  ['a property by its pattern', { type: 'object', patternProperties: { '^to': PATH } }, (value) => ({ x: '/etc', to: value }), '/to'],
  ['a name of a property', { type: 'object', propertyNames: PATH, minProperties: 1 }, (value) => ({ [value]: 1 }), ''],
  ['one name of several', { type: 'object', propertyNames: PATH }, (value) => ({ [value]: 1, f: 1, d: 1 }), ''],
  ['a branch of anyOf', { type: 'object', properties: { path: { anyOf: [{ type: 'number' }, PATH] } } }, (value) => ({ path: value }), '/path'],
  ['a branch that fits beside another', { type: 'object', properties: { path: { anyOf: [{ type: 'string' }, PATH] } } }, (value) => ({ path: value }), '/path'],
  ['a branch of oneOf', { type: 'object', properties: { path: { oneOf: [PATH, { type: 'null' }] } } }, (value) => ({ path: value }), '/path'],
  ['all of allOf', { type: 'object', allOf: [{ properties: { path: PATH } }, { required: ['path'] }] }, (value) => ({ path: value }), '/path'],
  ['then', { type: 'object', if: { required: ['path'] }, then: { properties: { path: PATH } } }, (value) => ({ path: value }), '/path'],
  ['what another key asks for', { type: 'object', dependentSchemas: { path: { properties: { path: PATH } } } }, (value) => ({ path: value }), '/path'],
  ['a reference', { type: 'object', $defs: { place: PATH }, properties: { path: { $ref: '#/$defs/place' } } }, (value) => ({ path: value }), '/path'],
  [
    'a reference to itself',
    { type: 'object', properties: { tree: { $ref: '#/$defs/tree' } }, $defs: { tree: { type: 'object', properties: { path: PATH, next: { $ref: '#/$defs/tree' } } } } },
    (value) => ({ tree: { next: { next: { path: value } } } }),
    '/tree/next/next/path',
  ],
  ['what contains asks for', { type: 'object', properties: { a: { type: 'array', contains: PATH } } }, (value) => ({ a: ['f', value] }), '/a/1'],
  ['what nothing else has looked at', { type: 'object', unevaluatedProperties: PATH }, (value) => ({ path: value }), '/path'],
];

let ground: PathGround;
beforeAll(() => {
  ground = createPathGround();
});
afterAll(() => {
  ground[Symbol.dispose]();
});

interface Setting {
  readonly authorship?: Authorship;
  readonly schema?: JsonObject;
  readonly config?: ToolConfig;
  /** Null: the operator names none. */
  readonly root?: string | null;
}

function sceneOf({ authorship = 'foreign', schema = FLAT, config = {}, root = ground.root }: Setting = {}): Scene {
  const registry = new ToolRegistry({ settingsFor: () => settingsFor({ ...DEFAULT_CONFIG, tools: { probe: config } }, 'probe') });
  registry.register(describeTool({ authorship, definition: { name: 'probe', inputSchema: schema } }));
  return createScene({ lookup: () => registry, options: root === null ? {} : { pathRoot: root } });
}

async function ask(scene: Scene, args: JsonObject) {
  return await scene.proxy.execute(request({ toolName: 'probe', args, context: { ...context, projectRoot: '/' } }));
}

describe('paths in the arguments of a foreign tool', () => {
  describe.each(NESTED)('in %s', (_, schema, nest, pointer) => {
    it.each(['../outside/secret.txt', '/etc/passwd', 'out/secret.txt', 'a\0b'])('%j does not reach it', async (value) => {
      const scene = sceneOf({ schema });
      const result = await ask(scene, nest(value));
      expect(codeOf(result)).toMatch(/^PATH_/);
      expect(scene.steps).toEqual(['append', 'TOOL_CALL_REFUSED']);
      expect(scene.records[0]).toMatchObject({ status: 'denied', input: nest(value), rule: '' });
      expect(wholeText(result)).toContain(JSON.stringify(JSON.stringify(pointer)).slice(1, -1));
      expect(wholeText(result.content)).not.toContain(ground.base);
    });

    it('one that stays inside does', async () => {
      const scene = sceneOf({ schema });
      expect(await ask(scene, nest('d/e/g'))).not.toMatchObject({ isError: true });
      expect(scene.executions).toHaveLength(1);
    });
  });

  it.each([
    ['f', 'ok'],
    ['d/new/file', 'ok'],
    ['to-e/g', 'ok'],
    ['dangling', 'ok'],
    ['a..b', 'ok'],
    ['.', 'ok'],
    ['100%', 'ok'],
    ['a%20b', 'ok'],
    ['routes/$id.tsx', 'ok'],
    ['[slug]/page.tsx', 'ok'],
    ['./~', 'ok'],
    ['日本/ﬁle', 'ok'],
    ['d/../f', 'ok'],
    ['My Documents/a  b', 'ok'],
    ['it\'s "here"/l\u2019été', 'ok'],
    ['d/ e/"x" /f', 'ok'],
    ['می\u200Cخواهم', 'ok'],
    ['%E2%84%AB b/\uFB01 \\"x"/y', 'ok'],
    ['', 'PATH_REFUSED'],
    ['..', 'PATH_OUTSIDE_ROOT'],
    ['d/../../outside', 'PATH_OUTSIDE_ROOT'],
    ['/', 'PATH_OUTSIDE_ROOT'],
    ['/proc/self/root', 'PATH_OUTSIDE_ROOT'],
    ['out', 'PATH_OUTSIDE_ROOT'],
    // The same words, whatever is there: nothing outside is looked up.
    ['out/secret.txt/x', 'PATH_OUTSIDE_ROOT'],
    ['/etc/passwd/x', 'PATH_OUTSIDE_ROOT'],
    ['dangling-out', 'PATH_OUTSIDE_ROOT'],
    ['to-slash/etc', 'PATH_OUTSIDE_ROOT'],
    ['circle', 'PATH_REFUSED'],
    ['to-e/../f', 'PATH_REFUSED'],
    ['none/../f', 'PATH_REFUSED'],
    ['f/x', 'PATH_REFUSED'],
    // What is a name to devs may be more than a name to a server: each reading has to stay inside.
    ['%2e%2e/outside', 'PATH_OUTSIDE_ROOT'],
    ['%2e%2e%2foutside', 'PATH_OUTSIDE_ROOT'],
    ['%252e%252e%252foutside', 'PATH_OUTSIDE_ROOT'],
    ['%25252e%25252e%25252foutside', 'PATH_OUTSIDE_ROOT'],
    ['..%5coutside', 'PATH_OUTSIDE_ROOT'],
    ['%2fetc%2fpasswd', 'PATH_OUTSIDE_ROOT'],
    ['out%2fsecret.txt', 'PATH_OUTSIDE_ROOT'],
    ['x%00', 'PATH_REFUSED'],
    ['..\\outside', 'PATH_OUTSIDE_ROOT'],
    ['d\\..\\..\\outside', 'PATH_OUTSIDE_ROOT'],
    ['\uFF0E\uFF0E/outside', 'PATH_OUTSIDE_ROOT'],
    ['\uFF0E\uFF0E\uFF0Foutside', 'PATH_OUTSIDE_ROOT'],
    ['\\\\host\\share', 'PATH_REFUSED'],
    ['C:\\x', 'PATH_REFUSED'],
    ['c:x', 'PATH_REFUSED'],
    ['file:///etc/passwd', 'PATH_REFUSED'],
    ['FILE:f', 'PATH_REFUSED'],
    ['~', 'PATH_REFUSED'],
    ['~root/x', 'PATH_REFUSED'],
    ['%7e/x', 'PATH_REFUSED'],
    ['\uFF5E/x', 'PATH_REFUSED'],
    ['$HOME/x', 'PATH_REFUSED'],
    ['${HOME}/x', 'PATH_REFUSED'],
    ['%HOME%/x', 'PATH_REFUSED'],
    ['.. /outside', 'PATH_OUTSIDE_ROOT'],
    ['d/../".."/outside', 'PATH_OUTSIDE_ROOT'],
    // What one step makes the next takes up, in any order.
    ['\uFF052e\uFF052e\uFF0Foutside', 'PATH_OUTSIDE_ROOT'],
    ['./%EF%BC%852e%EF%BC%852e/outside', 'PATH_OUTSIDE_ROOT'],
    ['\uFF05\uFF12\uFF15\uFF12e./outside', 'PATH_OUTSIDE_ROOT'],
    ['..\uFF3Coutside', 'PATH_OUTSIDE_ROOT'],
    [`%${'25'.repeat(10)}2e./outside`, 'PATH_OUTSIDE_ROOT'],
  ])('%j: %s', async (value, expected) => {
    const scene = sceneOf();
    const result = await ask(scene, { path: value });
    expect(codeOf(result) ?? 'ok').toBe(expected);
    expect(scene.executions).toHaveLength(expected === 'ok' ? 1 : 0);
  });

  it.each<[string, readonly string[]]>([
    ['trimmed', [' /etc/passwd', '\u00A0/etc/passwd', '\u3000/etc/passwd', '\uFEFF/etc/passwd', '\u200B/etc/passwd', '%20../x', ' ~/.ssh', 'f ']],
    ['without its quotes', ['"/etc/passwd"', "'../x'", '`/etc/passwd`', '\uFF02/etc/passwd', 'f"']],
    ['without control characters, as parsers of URLs read', ['\t../x', '..\t/x', '.\r./x', '.%0a./x', '\n/etc/passwd', 'x\r\n/etc', '\u0085/etc', 'a\x7Fb']],
    ['decoded more often than anybody looks', [`%${'25'.repeat(40)}41`]],
  ])('refused, for a program may open it %s', async (_, values) => {
    for (const value of values) {
      const scene = sceneOf();
      expect([value, codeOf(await ask(scene, { path: value })), scene.executions]).toEqual([value, 'PATH_REFUSED', []]);
    }
  });

  it.each<[string, ToolConfig['files'], string, string]>([
    ['what is allowed', { allowed: ['d'] }, 'd/e/g', 'ok'],
    ['what is not', { allowed: ['d'] }, 'f', 'PATH_NOT_ALLOWED'],
    ['what is not, by a link', { allowed: ['d'] }, 'd/up/f', 'PATH_NOT_ALLOWED'],
    ['what only leads there', { allowed: ['d/e'] }, 'd', 'PATH_NOT_ALLOWED'],
    ['what is blocked', { blocked: ['secrets'] }, 'secrets/key', 'PATH_BLOCKED'],
    ['what is blocked, in another case', { blocked: ['secrets'] }, 'SECRETS/none', 'PATH_BLOCKED'],
    ['what is blocked, by a link', { blocked: ['secrets'] }, 'to-secrets/key', 'PATH_BLOCKED'],
    ['out of what is blocked, by a link', { blocked: ['secrets'] }, 'secrets/to-d/e/g', 'PATH_BLOCKED'],
    ['into what is allowed, by a link that is not', { allowed: ['d'] }, 'to-e/g', 'PATH_NOT_ALLOWED'],
    ['what is blocked, escaped', { blocked: ['secrets'] }, 'secret%73/key', 'PATH_BLOCKED'],
    ['a link where links are refused', { symlinks: 'refuse' }, 'to-f', 'PATH_REFUSED'],
    ['what is too deep', { maxDepth: 2 }, 'd/e/g', 'PATH_REFUSED'],
    ['the operator’s root is not the place of the list', { allowed: ['/etc'] }, '/etc/passwd', 'PATH_OUTSIDE_ROOT'],
    ['nor does a list of places elsewhere allow all', { allowed: ['/etc'] }, 'f', 'PATH_NOT_ALLOWED'],
  ])('the rules of the tool: %s', async (_, files, value, expected) => {
    const scene = sceneOf({ config: { files: files ?? {} } });
    expect(codeOf(await ask(scene, { path: value })) ?? 'ok').toBe(expected);
  });

  it('the root is the operator’s: what the call claims does not choose, and without one nothing passes', async () => {
    const scene = sceneOf({ root: null });
    for (const value of ['f', ground.at('f'), '/']) expect(codeOf(await ask(scene, { path: value }))).toBe('PATH_REFUSED');
    const plain = sceneOf({ root: null, schema: { type: 'object' } });
    expect(codeOf(await ask(plain, { path: 'f' }))).toBeUndefined();
  });

  it('a root that is a link, and one that is gone meanwhile', async () => {
    const alias = path.join(ground.base, 'alias');
    const aliased = sceneOf({ root: alias });
    for (const value of ['f', path.join(alias, 'f'), ground.at('f')]) expect(codeOf(await ask(aliased, { path: value }))).toBeUndefined();
    const served = path.join(ground.base, 'served');
    mkdirSync(served);
    const other = sceneOf({ root: served });
    const unused = sceneOf({ root: served });
    expect(codeOf(await ask(other, { path: 'x' }))).toBeUndefined();
    renameSync(served, `${served}-gone`);
    symlinkSync(ground.outside, served);
    // The folder was swapped for a link: what it leads to is not what the operator named.
    for (const scene of [other, unused]) expect(codeOf(await ask(scene, { path: 'secret.txt' }))).toBe('PATH_OUTSIDE_ROOT');
    rmSync(served);
    expect(codeOf(await ask(other, { path: 'secret.txt' }))).toBe('PATH_OUTSIDE_ROOT');
    rmSync(`${served}-gone`, { recursive: true });
  });

  it('names more paths than anybody means: refused, and quickly', async () => {
    const schema: JsonObject = { type: 'object', properties: { paths: { type: 'array', items: PATH } } };
    const result = await ask(sceneOf({ schema }), { paths: Array.from({ length: 2_000 }, () => 'f') });
    expect(codeOf(result)).toBe('PATH_REFUSED');
  });

  it('what is logged is what was judged, though the caller changes it meanwhile', async () => {
    const scene = sceneOf();
    const args = { path: 'out/secret.txt' };
    const answer = ask(scene, args);
    args.path = 'f';
    expect(codeOf(await answer)).toBe('PATH_OUTSIDE_ROOT');
    expect(scene.records[0]?.input).toEqual({ path: 'out/secret.txt' });
  });

  it('a name of any length is not shown whole', async () => {
    const scene = sceneOf({ schema: { type: 'object', additionalProperties: PATH } });
    const result = await ask(scene, { ['x'.repeat(100_000)]: '/etc/passwd' });
    expect(codeOf(result)).toBe('PATH_OUTSIDE_ROOT');
    expect(wholeText(result).length).toBeLessThan(3_000);
  });

  it('a call that is cancelled while its paths are looked for ends', async () => {
    const scene = sceneOf();
    const call = scene.proxy.execute(request({ toolName: 'probe', args: { path: 'f' }, signal: AbortSignal.abort() }));
    expect(await call).toMatchObject({ isError: true });
    expect(scene.records[0]).toMatchObject({ code: 'CALL_CANCELLED', rule: '' });
    expect(scene.executions).toEqual([]);
  });

  it('law: what reaches the tool leads inside the root, as the system and as a program reads it', async () => {
    const part = fc.constantFrom('..', '.', 'd', 'e', 'f', 'up', 'out', 'to-e', 'absolute', 'sneaky', '%2e%2e', '..%2f', '\\', '\uFF0E\uFF0E', '\uFF052e\uFF052e', '.. ', '".."', ' ', '\t', 'none', '~', ground.root);
    const value = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(value, async (asked) => {
        const scene = sceneOf();
        await ask(scene, { path: asked });
        if (scene.executions.length === 0) return;
        for (const reading of [asked, decodeURIComponent(asked), asked.replaceAll('\\', '/'), asked.normalize('NFKC'), decodeURIComponent(asked.normalize('NFKC')), asked.trim(), asked.replaceAll(/[\t "]/g, '')]) {
          for (const spelled of [`${reading.startsWith('/') ? '' : `${ground.root}/`}${reading}`, path.resolve(ground.root, reading)]) {
            expect(`${realOf(spelled)}/`.startsWith(`${ground.root}/`)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** What is not there counts as its parent. */
function realOf(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place.includes('/..') ? ground.root : realOf(path.dirname(place));
  }
}

describe('paths in the arguments of a tool of ours', () => {
  it.each([
    ['', 'PATH_REFUSED'],
    ['f\0', 'PATH_REFUSED'],
    ['a'.repeat(256), 'PATH_REFUSED'],
    // Judged where it is opened: by the `FsRoot` that the tool is given.
    ['../outside', 'ok'],
    ['~', 'ok'],
  ])('%j: %s', async (value, expected) => {
    const scene = sceneOf({ authorship: 'own', root: null });
    const result = await ask(scene, { path: value });
    expect(codeOf(result) ?? 'ok').toBe(expected);
    if (expected !== 'ok') expect(wholeText(result)).toContain('Argument');
    expect(scene.executions).toHaveLength(expected === 'ok' ? 1 : 0);
  });
});
