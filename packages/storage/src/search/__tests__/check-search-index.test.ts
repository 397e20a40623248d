import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createScene, textOf, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.write(textOf('alpha beta'), textOf('beta gamma'), textOf('gamma delta'));
});
afterEach(() => scene[Symbol.dispose]());

const WHOLE = 'alpha beta';

async function seqOf(words: string): Promise<number> {
  return (await scene.search(words)).hits[0]?.entry.receipt.seq ?? 0;
}

describe('checkSearchIndex', () => {
  it('says nothing where there is no index, or one that agrees', async () => {
    expect(await scene.check()).toBeUndefined();
    await scene.found(WHOLE);
    expect(await scene.check()).toBeUndefined();
    await scene.write(textOf('epsilon'));
    // Behind, but right as far as it goes.
    expect(await scene.check()).toBeUndefined();
  });

  it.each<[string, (seq: number) => string]>([
    ['a word taken away', (seq) => `INSERT INTO words (words, rowid, text) VALUES ('delete', ${seq}, 'gamma')`],
    ['a word put in', (seq) => `INSERT INTO words (rowid, text) VALUES (${seq}, 'invented')`],
    ['a word put in twice', (seq) => `INSERT INTO words (rowid, text) VALUES (${seq}, 'gamma'); INSERT INTO words (rowid, text) VALUES (${seq}, 'gamma beta zeta')`],
    ['one exchanged for another', (seq) => `INSERT INTO words (words, rowid, text) VALUES ('delete', ${seq}, 'gamma'); INSERT INTO words (rowid, text) VALUES (${seq}, 'gamna')`],
  ])('finds %s, and names the record', async (_name, toSql) => {
    const seq = await seqOf('beta gamma');
    scene.tamper(toSql(seq));
    expect(await scene.check()).toMatchObject({ seq });
  });

  it('names the first of several', async () => {
    const [first, last] = [await seqOf('alpha'), await seqOf('delta')];
    scene.tamper(`INSERT INTO words (words, rowid, text) VALUES ('delete', ${last}, 'gamma'), ('delete', ${first}, 'alpha')`);
    expect(await scene.check()).toMatchObject({ seq: first });
  });

  it('finds words of a record that is not there', async () => {
    await scene.found(WHOLE);
    scene.tamper("INSERT INTO words (rowid, text) VALUES (4711, 'alpha')");
    expect(await scene.check()).toMatchObject({ seq: 4_711 });
  });

  it('finds two words exchanged between two records', async () => {
    const [one, other] = [await seqOf('alpha'), await seqOf('delta')];
    scene.tamper(
      `INSERT INTO words (words, rowid, text) VALUES ('delete', ${one}, 'alpha'), ('delete', ${other}, 'delta');
      INSERT INTO words (rowid, text) VALUES (${one}, 'delta'), (${other}, 'alpha')`,
    );
    expect(await scene.check()).toMatchObject({ seq: one });
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['no database', () => Buffer.from('x'.repeat(9_000))],
    ['cut off', (bytes) => bytes.subarray(0, 8_192)],
    ['overwritten', (bytes) => Buffer.concat([bytes.subarray(0, 8_192), Buffer.alloc(bytes.length - 8_192, 0xaa)])],
  ])('says of an index that is %s that it is damaged', async (_name, damage) => {
    await scene.found(WHOLE);
    fs.writeFileSync(scene.index, damage(fs.readFileSync(scene.index)));
    expect(await scene.check()).toMatchObject({ seq: null, what: expect.stringContaining('damaged') });
  });

  it('says nothing of one that would be made anew before it is asked', async () => {
    await scene.found(WHOLE);
    scene.tamper("UPDATE state SET version = '0'");
    expect(await scene.check()).toBeUndefined();
  });
});
