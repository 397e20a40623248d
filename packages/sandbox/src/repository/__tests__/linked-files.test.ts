import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { LinkedFiles } from '../linked-files.ts';
import { GitScene } from './git-scene.ts';
import { onLinux } from './planted-scene.ts';

let scene: GitScene;
beforeEach(() => {
  scene = new GitScene();
});
afterEach(() => {
  scene[Symbol.dispose]();
});

/** A file of the store of a package manager, and its name in the project. */
function install(name: string, content = 'honest'): string {
  const stored = path.join(scene.base, 'store', name.replaceAll('/', '+'));
  mkdirSync(path.dirname(stored), { recursive: true });
  mkdirSync(path.dirname(scene.at(name)), { recursive: true });
  writeFileSync(stored, content);
  linkSync(stored, scene.at(name));
  return stored;
}

async function keptPlaces(): Promise<readonly string[]> {
  const snapshot = await scene.guard.before();
  await scene.guard.after(snapshot);
  return snapshot.existing.map((place) => path.relative(scene.root, place)).toSorted();
}

withBoxes('A command', () => {
  it('changes no file that a package manager has linked from its store, and writes beside it', async () => {
    const stored = install('node_modules/.pnpm/a@1/node_modules/a/index.js');
    const snapshot = await scene.guard.before();
    const file = 'node_modules/.pnpm/a@1/node_modules/a/index.js';
    await scene.run(`(echo evil >> ${file}) || true; chmod 777 ${file} || true; ln ${file} x || true; (echo evil >> x) || true; mkdir node_modules/.cache; echo b > node_modules/.cache/b`, scene.mounts(snapshot.existing));
    await scene.guard.after(snapshot);
    expect(readFileSync(stored, 'utf8')).toBe('honest');
    expect(readFileSync(scene.at('node_modules/.cache/b'), 'utf8')).toBe('b\n');
  });
});

onLinux('Files with further names', () => {
  it('are kept one by one where there are few', async () => {
    install('src/a.txt');
    scene.write('src/b.txt', 'b');
    expect(await keptPlaces()).toEqual(['src/a.txt']);
  });

  it('are kept with their folder where there are many in it', async () => {
    for (let index = 0; index < 17; index += 1) install(`src/lib/${String(index)}`);
    install('src/a.txt');
    expect(await keptPlaces()).toEqual(['src/a.txt', 'src/lib']);
  });

  it('are kept with the folder around all packages where there are many packages', async () => {
    for (let index = 0; index < 70; index += 1) install(`node_modules/.pnpm/p${String(index)}/node_modules/p/index.js`);
    install('src/a.txt');
    expect(await keptPlaces()).toEqual(['node_modules/.pnpm', 'src/a.txt']);
  });

  it('are never kept by the root itself: nothing could be written', async () => {
    for (let index = 0; index < 70; index += 1) install(`${String(index)}.txt`);
    expect(await keptPlaces()).toHaveLength(70);
  });

  it('are ordinary files where all names are in the project', async () => {
    scene.write('target/deps/a', 'a');
    linkSync(scene.at('target/deps/a'), scene.at('target/a'));
    expect(await keptPlaces()).toEqual([]);
  });

  it('are kept where another name is one that is protected, or lies in a folder that is', async () => {
    scene.write('.envrc', 'a');
    scene.write('.vscode/tasks.json', '{}');
    linkSync(scene.at('.envrc'), scene.at('notes.txt'));
    linkSync(scene.at('.vscode/tasks.json'), scene.at('x.json'));
    expect(await keptPlaces()).toEqual(['.envrc', '.vscode', 'notes.txt', 'x.json']);
  });

  it('are kept where another name lies in .git', async () => {
    scene.init();
    linkSync(scene.at('.git/config'), scene.at('x'));
    expect(await keptPlaces()).toEqual(['.git', 'x']);
  });

  it('are found when they come, and forgotten when they are copies', async () => {
    scene.write('node_modules/a/index.js', 'a');
    expect(await keptPlaces()).toEqual([]);
    rmSync(scene.at('node_modules/a/index.js'));
    install('node_modules/a/index.js');
    expect(await keptPlaces()).toEqual(['node_modules/a/index.js']);
    rmSync(scene.at('node_modules/a/index.js'));
    scene.write('node_modules/a/index.js', 'a');
    expect(await keptPlaces()).toEqual([]);
  });

  it('are ordinary files where a command has linked one that lay there before, or removed a name', async () => {
    const guard = scene.newGuard(scene.root, { now: () => Date.now() + 10_000 });
    const kept = async () => (await guard.before()).existing.map((place) => path.relative(scene.root, place));
    scene.write('deps/a', 'a');
    install('node_modules/a/index.js');
    expect(await kept()).toEqual(['node_modules/a/index.js']);
    for (let index = 0; index < 520; index += 1) linkSync(scene.at('deps/a'), scene.at(`a${String(index)}`));
    expect(await kept()).toEqual(['node_modules/a/index.js']);
    for (let index = 0; index < 520; index += 1) rmSync(scene.at(`a${String(index)}`));
    expect(await kept()).toEqual(['node_modules/a/index.js']);
    linkSync(scene.at('deps/a'), path.join(scene.base, 'elsewhere'));
    linkSync(scene.at('deps/a'), scene.at('a'));
    expect(await kept()).toEqual(['a', 'deps/a', 'node_modules/a/index.js']);
  });

  it('are refused where there are so many at the top', async () => {
    for (let index = 0; index < 513; index += 1) install(`f${String(index)}`);
    await expect(scene.guard.before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('hard links') });
  });

  it('are kept with the folder around a name that is no UTF-8', async () => {
    const stored = install('a/b/x');
    mkdirSync(Buffer.from(`${scene.at('a/b')}/\u00ff`, 'latin1'));
    linkSync(stored, Buffer.from(`${scene.at('a/b')}/\u00ff/y`, 'latin1'));
    expect(await keptPlaces()).toEqual(['a/b', 'a/b/x']);
  });

  it('are refused at the top where their name is no UTF-8', async () => {
    linkSync(install('a'), Buffer.from(`${scene.root}/\u00ff`, 'latin1'));
    await expect(scene.guard.before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('hard links') });
  });

  it('are found once in a folder that is read in pieces, and remembered', async () => {
    mkdirSync(scene.at('many'));
    for (let index = 0; index < 6_000; index += 1) writeFileSync(scene.at('many', `${'n'.repeat(200)}${String(index)}`), '');
    install('many/linked');
    expect(await keptPlaces()).toEqual(['many/linked']);
    expect(await keptPlaces()).toEqual(['many/linked']);
  });

  it('are told of to who runs nothing', async () => {
    scene.write('.envrc', 'a');
    install('src/a.txt');
    expect(await scene.guard.look()).toEqual({ existing: [scene.at('.envrc')], linked: [scene.at('src/a.txt')] });
  });
});

describe('LinkedFiles', () => {
  /** A name in a folder of the project, or outside of it. */
  const name = fc.record({ folder: fc.constantFrom('', 'a', 'a/b', 'a/b/c', 'd', 'd/e', undefined), file: fc.nat({ max: 40 }) });

  it('leaves no file writable that has a name where nothing may be written, and the root itself always', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 400 }), fc.constantFrom([], ['a/b'], ['d', 'a/n0']), async (names, protectedPlaces) => {
        const counts = Map.groupBy(names, ({ file }) => file);
        const inRoot = names.flatMap(({ folder, file }, index) => (folder === undefined ? [] : [{ folder, name: `n${String(index)}`, file: String(file), count: counts.get(file)?.length ?? 0 }]));
        const files = new LinkedFiles('/root');
        for (const [folder, linked] of Map.groupBy(inRoot, ({ folder: each }) => each)) {
          await files.look({ path: path.join('/root', folder), linked: linked.filter(({ count }) => count > 1) }, async () => undefined);
        }
        const readOnly = protectedPlaces.map((place) => path.join('/root', place));
        const kept = [...readOnly, ...(await files.places(readOnly, await files.countElsewhere(readOnly)))];
        expect(kept).not.toContain('/root');
        const isKept = (place: string) => kept.some((each) => place === each || place.startsWith(`${each}/`));
        const isOutside = (place: string) => readOnly.some((each) => place === each || place.startsWith(`${each}/`));
        const placeOf = (each: (typeof inRoot)[number]) => path.join('/root', each.folder, each.name);
        for (const each of inRoot) {
          const writable = inRoot.filter((other) => other.file === each.file && !isOutside(placeOf(other))).length;
          if (!isOutside(placeOf(each)) && each.count > writable) expect(isKept(placeOf(each))).toBe(true);
        }
      }),
    );
  });

  it('refuses a project with more of them than it can keep in memory', async () => {
    const files = new LinkedFiles('/root');
    const linked = Array.from({ length: 1_000_001 }, () => ({ name: 'a', file: '1:1', count: 2 }));
    await expect(files.look({ path: '/root', linked }, async () => undefined)).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
  });
});
