import { expect, describe, test } from '@jest/globals';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DevsError, isWithinAllowed, validatePath } from '@devs/core';
import fc from 'fast-check';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { BYPASS_ROWS, FOREIGN_FOLDERS } from './bypass-paths.ts';
import { createPlayground, plainView, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';


const LINKS: readonly (readonly [name: string, target: string])[] = [
  ['out', '../outside'],
  ['out-file', '../outside/secret.txt'],
  ['to-out', 'out/secret.txt'],
  ['to-e', 'd/e'],
  ['to-f', 'f'],
  ['d/up', '..'],
  ['d/up-out', '../../outside'],
  ['hop-1', 'hop-2'],
  ['hop-2', 'd/up-out'],
  ['dot-dot', '..'],
  ['dangling', 'none/below'],
  ['dangling-out', '../outside/none'],
  ['to-slash', '/'],
  ['to-proc', '/proc/self/root'],
  ['to-cwd', '/proc/self/cwd'],
  ['to-fd', '/dev/fd'],
  ['circle', 'circle'],
  ['ring-1', 'ring-2'],
  ['ring-2', 'ring-1'],
];

function createBypassGround(): Playground {
  const ground = createPlayground();
  for (const folder of [ground.at('d/e'), `${ground.root}-evil`]) mkdirSync(folder, { recursive: true });
  for (const name of ['f', 'd/e/g']) writeFileSync(ground.at(name), 'inside');
  writeFileSync(path.join(`${ground.root}-evil`, 'f'), SECRET);
  for (const [name, target] of LINKS) symlinkSync(target, ground.at(name));
  symlinkSync(ground.root, ground.at('absolute'));
  symlinkSync(ground.outside, ground.at('absolute-out'));
  symlinkSync(`${ground.root}/../outside`, ground.at('sneaky'));
  symlinkSync(ground.root, path.join(ground.base, 'alias'));
  return ground;
}

/** Everything that all operations tell of a path, refusals too; what is no refusal of ours is thrown. */
async function tellAll(files: GuardedFsRoot, name: string, writes: boolean): Promise<string> {
  const told: string[] = [];
  const tell = (content: string) => {
    told.push(content);
    return true;
  };
  const work = [
    async () => tell(text((await files.readFile(name, { limit: 1_000 }, signal())).bytes)),
    async () => tell(text((await files.readLines(name, { startLine: 1, limit: 1_000 }, signal())).bytes)),
    async () => tell(JSON.stringify(await files.listDirectory(name, { recursive: true, limit: 999, signal: signal() }))),
    async () => await files.searchFiles(name, { onLine: (line) => tell(JSON.stringify(line)), view: plainView, signal: signal() }),
    ...(writes
      ? [async () => tell(text((await files.editFile(name, (content) => ({ content }), signal())).content)), async () => await files.writeFile(name, { bytes: Buffer.from('inside'), signal: signal() })]
      : []),
  ];
  for (const operation of work) {
    await operation().catch((cause: unknown) => {
      if (!DevsError.is(cause)) throw cause;
    });
  }
  return told.join('\n');
}

/** A write that a broken guard lets through would change this machine: those are not tried on its own paths. */
function staysInPlayground(name: string, ground: Playground): boolean {
  if (/\/(?:etc|proc|dev|sys|var)(?:\/|$)|to-(?:slash|proc|cwd|fd)/.test(name)) return false;
  const upwards = name.match(/\.\.|dot-dot|up|out|sneaky/g) ?? [];
  return upwards.length <= 2 && (!name.startsWith('/') || name.startsWith(`${ground.base}/`));
}

/** What lies around the root: nothing may be made there, nothing changed. */
function surroundings(ground: Playground): unknown {
  return [
    treeOf(ground.outside),
    treeOf(`${ground.root}-evil`),
    treeOf(ground.base).filter((name) => !name.includes('/')),
    readFileSync(path.join(ground.outside, 'secret.txt'), 'utf8'),
    readFileSync(`${ground.root}-evil/f`, 'utf8'),
  ];
}

export function describeBypasses(): void {
  describe(`paths that shall lead out (${String(BYPASS_ROWS.length)} of them)`, () => {
    test('there are enough of them, and none twice', () => {
      expect(BYPASS_ROWS.length).toBeGreaterThanOrEqual(120);
      expect(new Set(BYPASS_ROWS.map((row) => row.path)).size).toBe(BYPASS_ROWS.length);
    });

    test.each(BYPASS_ROWS.map((row) => [JSON.stringify(row.path).slice(0, 60), row] as const))('%s', async (_, row) => {
      using ground = createBypassGround();
      using files = openFsRoot({ root: ground.root });
      const name = row.path.replace('{root}', ground.root).replace('{base}', ground.base);
      const around = surroundings(ground);
      await refusalOf(files.readFile(name, { limit: 99 }, signal()), row.code);
      const told = await tellAll(files, name, staysInPlayground(name, ground));
      expect(told).not.toContain(SECRET);
      expect(told).not.toContain('secret.txt');
      expect(surroundings(ground)).toEqual(around);
      const verdict = await validatePath(name, { base: ground.root, allowedPaths: [ground.root] });
      // The system's own answer is inside for a few that the walk refuses for their detour: those may be valid.
      if (row.code === 'PATH_REFUSED') expect(verdict.valid).toBe(false);
      if (verdict.valid) expect(isWithinAllowed(verdict.resolved, [ground.root])).toBe(true);
      expect(`${verdict.error ?? ''}`).not.toContain(ground.base);
    });

    test.each(FOREIGN_FOLDERS)('the folder %s', async (spelling) => {
      using ground = createBypassGround();
      using files = openFsRoot({ root: ground.root });
      const name = spelling.replace('{root}', ground.root).replace('{base}', ground.base);
      const isBack = name === 'dot-dot/root';
      for (const recursive of [false, true]) {
        await refusalOf(files.listDirectory(name, { recursive, limit: 9, signal: signal() }), 'PATH_OUTSIDE_ROOT');
      }
      await refusalOf(files.searchFiles(name, { onLine: () => true, view: plainView, signal: signal() }), 'PATH_OUTSIDE_ROOT');
      const { valid } = await validatePath(name, { base: ground.root, allowedPaths: [ground.root] });
      expect(valid).toBe(isBack);
    });

    test('law: whatever string: what is opened is inside the root, or the call is refused', async () => {
      using ground = createBypassGround();
      using files = openFsRoot({ root: ground.root });
      const around = surroundings(ground);
      const token = fc.constantFrom('..', '.', '/', '//', '\\', '\0', '~', '%2e%2e', '%2f', '\uFF0E', '\ud800', 'outside', 'root', 'secret.txt', ...LINKS.map(([name]) => name), 'absolute', 'sneaky', 'f', 'd', 'e', ground.root, ground.base);
      const anything = fc.oneof(
        { weight: 3, arbitrary: fc.array(token, { maxLength: 9 }).map((tokens) => tokens.join('/')) },
        { weight: 2, arbitrary: fc.array(token, { maxLength: 9 }).map((tokens) => tokens.join('')) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
      );
      await fc.assert(
        fc.asyncProperty(anything, async (name) => {
          expect(await tellAll(files, name, staysInPlayground(name, ground))).not.toContain(SECRET);
          const { valid, resolved } = await validatePath(name, { base: ground.root, allowedPaths: [ground.root] });
          if (valid) expect(isWithinAllowed(resolved, [ground.root])).toBe(true);
        }),
        { numRuns: 2_000 },
      );
      expect(surroundings(ground)).toEqual(around);
    });
  });
}
