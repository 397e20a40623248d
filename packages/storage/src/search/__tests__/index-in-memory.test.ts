import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createScene, putForeignIndex, sayErased, textOf, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.write(textOf('first words'), textOf('second words'));
});
afterEach(() => scene[Symbol.dispose]());

describe('where nothing can be written', () => {
  /** A folder with something in it: neither opened nor removed. Permissions would stop no test that root runs. */
  function obstruct(file: string): void {
    fs.rmSync(file, { force: true });
    fs.mkdirSync(file);
    fs.writeFileSync(`${file}/kept`, '');
  }

  it('searches all the same, with an index in memory', async () => {
    await scene.found('words');
    await scene.write(textOf('third words'));
    obstruct(scene.index);
    expect(await scene.found('words')).toEqual([3, 2, 1]);
    expect(await scene.found('third', { limit: 1 })).toEqual([3]);
    expect(fs.existsSync(`${scene.index}/kept`)).toBe(true);
  });

  it('takes what there is, and has in memory what it lacks', async () => {
    await scene.found('words');
    await scene.write(textOf('third words'), textOf('fourth words'));
    obstruct(`${scene.index}-lock`);
    const before = fs.readFileSync(scene.index);
    expect(await scene.found('words')).toEqual([4, 3, 2, 1]);
    const { next } = await scene.search('words', { limit: 3 });
    expect(await scene.found('words', { before: next })).toEqual([1]);
    expect(fs.readFileSync(scene.index).equals(before)).toBe(true);
  });

  it.each<[string, () => void | Promise<void>]>([
    ['that of another log', async () => putForeignIndex(scene)],
    ['damaged', () => fs.truncateSync(scene.index, 8_192)],
    ['older than an erasure', () => sayErased(scene)],
    ['open to others', () => fs.chmodSync(scene.index, 0o666)],
  ])('takes nothing of an index that is %s', async (_name, damage) => {
    await scene.found('words');
    await damage();
    obstruct(`${scene.index}-lock`);
    const before = fs.readFileSync(scene.index);
    expect(await scene.found('words')).toEqual([2, 1]);
    expect(fs.readFileSync(scene.index).equals(before)).toBe(true);
  });
});
