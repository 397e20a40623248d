import { expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { GitFolder } from '../git-folder.ts';
import { takeObjects } from '../take-objects.ts';
import { GitScene } from './git-scene.ts';

interface Stage extends Disposable {
  readonly scene: GitScene;
  /** Absolute path of the one object there is to be brought over. */
  readonly object: string;
  readonly name: string;
  take(): Promise<void>;
}

function createStage(): Stage {
  const scene = new GitScene().init();
  const from = path.join(scene.base, 'from');
  scene.git('init', '-q', '--bare', from);
  writeFileSync(path.join(scene.base, 'content'), 'new\n');
  const name = scene.git(`--git-dir=${from}`, 'hash-object', '-w', path.join(scene.base, 'content'));
  const to = new GitFolder(scene.at('.git'));
  return {
    scene,
    name,
    object: path.join(from, 'objects', name.slice(0, 2), name.slice(2)),
    take: async () => {
      await takeObjects({ from, format: 'sha1', createId: () => 'x' }, to);
    },
    [Symbol.dispose]: () => {
      to[Symbol.dispose]();
      scene[Symbol.dispose]();
    },
  };
}

withBoxes('objects that are brought over', () => {
  test('are there afterwards, and once more is no matter', async () => {
    using stage = createStage();
    await stage.take();
    await stage.take();
    expect(stage.scene.git('cat-file', 'blob', stage.name)).toBe('new');
    expect(readdirSync(stage.scene.at('.git/objects', stage.name.slice(0, 2)))).toEqual([stage.name.slice(2)]);
  });

  test.each<[string, (object: string) => void]>([
    ['another object under its name', (object) => replace(object, deflateSync('blob 5\0evil\n'))],
    ['what is no object', (object) => replace(object, Buffer.from('x'))],
    ['half of it', (object) => replace(object, deflateSync('blob 4\0new\n').subarray(0, 10))],
    ['a link', (object) => (renameSync(object, `${object}-`), rmSync(`${object}-`), symlinkSync('/etc/passwd', object))],
    ['a folder', (object) => (rmSync(object), mkdirSync(object))],
    ['a name that is none', (object) => renameSync(object, `${object}.lock`)],
  ])('%s is not brought over', async (_, harm) => {
    using stage = createStage();
    harm(stage.object);
    await expect(stage.take()).rejects.toThrow();
    expect(existsSync(stage.scene.at('.git/objects', stage.name.slice(0, 2), stage.name.slice(2)))).toBe(false);
    expect(readdirSync(stage.scene.at('.git/objects')).flatMap((name) => readdirSync(stage.scene.at('.git/objects', name))).filter((name) => name.startsWith('tmp_obj'))).toEqual([]);
  });

  test('through no link', async () => {
    using stage = createStage();
    symlinkSync(stage.scene.base, stage.scene.at('.git/objects', stage.name.slice(0, 2)));
    const before = readdirSync(stage.scene.base);
    await expect(stage.take()).rejects.toMatchObject({ code: 'COMMIT_REFUSED' });
    expect(readdirSync(stage.scene.base)).toEqual(before);
  });
});

function replace(object: string, bytes: Uint8Array): void {
  chmodSync(object, 0o644);
  writeFileSync(object, bytes);
}
