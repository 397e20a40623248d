import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';

import { openSqliteAgentLogReader } from '../../index.ts';
import { forgetWords } from '../forget-words.ts';
import { createScene, indexFiles, putForeignIndex, sayErased, textOf, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.write(textOf('first words'), textOf('second words'));
});
afterEach(() => scene[Symbol.dispose]());

describe('the index beside the log', () => {
  it('is made by the first search, ours alone, and leaves nothing else behind', async () => {
    expect(indexFiles(scene)).toEqual([]);
    expect(await scene.found('words')).toEqual([2, 1]);
    expect(indexFiles(scene)).toEqual(['agent_logs.db-search', 'agent_logs.db-search-lock']);
    for (const file of [scene.index, `${scene.index}-lock`]) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each<[string, () => void | Promise<void>]>([
    ['deleted', () => fs.rmSync(scene.index)],
    ['empty', () => fs.writeFileSync(scene.index, '')],
    ['no database', () => fs.writeFileSync(scene.index, 'x'.repeat(10_000))],
    ['that of another log', async () => putForeignIndex(scene)],
    ['open to others', () => fs.chmodSync(scene.index, 0o644)],
    ['a link', () => linkElsewhere()],
    ['of another version', () => scene.tamper("UPDATE state SET version = '0'")],
    ['said to go further than the log', () => scene.tamper('UPDATE state SET seq = 1000000')],
    ['cut off', () => fs.truncateSync(scene.index, 8_192)],
    ['without its state', () => scene.tamper('DELETE FROM state')],
    ['of overwritten pages', () => overwritePages()],
  ])('is made anew where it is %s', async (_name, damage) => {
    await scene.found('words');
    await damage();
    expect(await scene.found('words')).toEqual([2, 1]);
    expect(await scene.found('foreign')).toEqual([]);
    expect(await scene.check()).toBeUndefined();
    expect(fs.lstatSync(scene.index).isFile()).toBe(true);
    expect(fs.statSync(scene.index).mode & 0o777).toBe(0o600);
  });

  it('takes away a link and not what it leads to', async () => {
    await scene.found('words');
    const target = linkElsewhere();
    await scene.found('words');
    expect(fs.readFileSync(target, 'utf8')).toBe('precious');
  });

  it.each<[string, (from: string, to: string) => void]>([
    ['a link to', (from, to) => fs.symlinkSync(from, to)],
    ['a second name of', (from, to) => fs.linkSync(from, to)],
  ])('is made anew where it is %s an index: that of another place is not written', async (_name, link) => {
    await scene.found('words');
    const elsewhere = `${scene.log}.elsewhere`;
    fs.renameSync(scene.index, elsewhere);
    link(elsewhere, scene.index);
    const before = fs.readFileSync(elsewhere);
    await scene.write(textOf('third words'));
    expect(await scene.found('words')).toEqual([3, 2, 1]);
    expect(fs.lstatSync(scene.index)).toMatchObject({ nlink: 1 });
    expect(fs.lstatSync(scene.index).isFile()).toBe(true);
    expect(fs.readFileSync(elsewhere).equals(before)).toBe(true);
  });

  it.each([["store = 'x'"], ["leaf = 'x'"], ["version = '0'"]])('is made anew, not completed, where its state has %s', async (change) => {
    await scene.found('words');
    const began = beganAt();
    scene.tamper(`UPDATE state SET ${change}`);
    await scene.write(textOf('third words'));
    expect(await scene.found('words')).toEqual([3, 2, 1]);
    expect(beganAt()).toBeGreaterThan(began);
  });

  it('runs nothing that somebody has put into it', async () => {
    await scene.found('words');
    scene.tamper("CREATE TRIGGER more AFTER UPDATE ON state BEGIN INSERT INTO words (rowid, text) VALUES (777, 'invented'); END");
    await scene.write(textOf('third words'));
    expect(await scene.found('words')).toEqual([3, 2, 1]);
    expect(await scene.check()).toBeUndefined();
  });

  it('is completed, not made anew, when the log has grown', async () => {
    await scene.found('words');
    const began = beganAt();
    await scene.write(textOf('third words'));
    expect(await scene.found('words')).toEqual([3, 2, 1]);
    expect(beganAt()).toBe(began);
  });

  it('is open to one search at a time, in whatever process', async () => {
    await using reader = openSqliteAgentLogReader({ file: scene.log });
    const isLocked: boolean[] = [];
    await reader.search('words', { limit: 1 }, () => isLocked.push(!tryLock()));
    expect(isLocked).toEqual([true]);
    expect(tryLock()).toBe(true);
  });

  it('goes into memory where what should be its lock is something else', async () => {
    fs.writeFileSync(`${scene.index}-lock`, 'not a database, and longer than the header of one would be: '.repeat(20));
    expect(await scene.found('words')).toEqual([2, 1]);
    expect(fs.existsSync(scene.index)).toBe(false);
  });

  it('gives others a turn while it is made', async () => {
    await using reader = openSqliteAgentLogReader({ file: scene.log });
    const turns: string[] = [];
    setImmediate(() => turns.push('another'));
    await reader.search('words', { limit: 1 }, () => turns.push('indexed'));
    turns.push('found');
    expect(turns).toEqual(['indexed', 'another', 'found']);
  });

  it('is made once where several search at once', async () => {
    const found = await Promise.all([1, 2, 3, 4].map(async () => scene.found('words')));
    expect(found).toEqual([1, 2, 3, 4].map(() => [2, 1]));
    expect(await scene.check()).toBeUndefined();
  });

  it('is deleted under a search that goes on, and its journal is nobody else\'s', async () => {
    await scene.write(...Array.from({ length: 30 }, (_, number) => textOf(`more words ${number}`)));
    const searches = Array.from({ length: 12 }, async () => (await scene.found('words')).length);
    for (let round = 0; round < 20; round += 1) {
      forgetWords(scene.log);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(searches)).toEqual(searches.map(() => 32));
    expect(await scene.check()).toBeUndefined();
    expect(await scene.found('words')).toHaveLength(32);
  });

  it('finds nothing that the log does not have', async () => {
    await scene.found('words');
    scene.tamper("INSERT INTO words (rowid, text) VALUES (3, 'invented'), (999, 'invented')");
    expect(await scene.found('invented')).toEqual([]);
  });
});

function tryLock(): boolean {
  const database = new Database(`${scene.index}-lock`, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** How long the log was when the index was made: another number once it has been made anew of a longer one. */
function beganAt(): number {
  const database = new Database(scene.index, { readonly: true });
  const began = Number(database.prepare('SELECT began FROM state').pluck().get());
  database.close();
  return began;
}

function linkElsewhere(): string {
  const target = `${scene.log}.precious`;
  fs.writeFileSync(target, 'precious', { mode: 0o600 });
  fs.rmSync(scene.index);
  fs.symlinkSync(target, scene.index);
  return target;
}

/** All but the first pages, where the tables are: what only a question meets. */
function overwritePages(): void {
  const bytes = fs.readFileSync(scene.index);
  bytes.fill(0xaa, 8_192 * 4);
  bytes.fill(0xaa, 8_192, 8_192 * 2);
  fs.writeFileSync(scene.index, bytes);
}

describe('the lock of the index', () => {
  it('is never taken away, and is no link: the words go into memory', async () => {
    await scene.write(textOf('xylophone'));
    const elsewhere = `${scene.log}-elsewhere`;
    fs.symlinkSync(elsewhere, `${scene.index}-lock`);
    expect(await scene.found('xylophone')).toEqual([3]);
    expect(fs.existsSync(elsewhere)).toBe(false);
    expect(fs.lstatSync(`${scene.index}-lock`).isSymbolicLink()).toBe(true);
    fs.unlinkSync(`${scene.index}-lock`);
    fs.writeFileSync(`${scene.index}-lock`, '', { mode: 0o644 });
    const { ino } = fs.lstatSync(`${scene.index}-lock`);
    expect(await scene.found('xylophone')).toEqual([3]);
    expect(fs.lstatSync(`${scene.index}-lock`).ino).toBe(ino);
  });
});

describe('forgetWords', () => {
  it('leaves no byte of the words, whatever the index was in the middle of', async () => {
    await scene.write(textOf('xylophonequartz'));
    expect(await scene.found('xylophonequartz')).toEqual([3]);
    expect(fs.readFileSync(scene.index).includes('xylophonequartz')).toBe(true);
    fs.writeFileSync(`${scene.index}-journal`, 'xylophonequartz');
    forgetWords(scene.log);
    expect(indexFiles(scene)).toEqual(['agent_logs.db-search-lock']);
    erase({ seqs: 'WHERE payload LIKE \'%xylophone%\'' });
    expect(await scene.found('xylophonequartz')).toEqual([]);
    expect(await scene.found('words')).toEqual([2, 1]);
    expect(fs.readFileSync(scene.index).includes('xylophonequartz')).toBe(false);
  });

  it('has nothing to do where there is no index', () => {
    forgetWords(scene.log);
    expect(indexFiles(scene)).toEqual([]);
  });
});

describe('an erasure that the index was not told of', () => {
  it('makes the index anew, once, and not again', async () => {
    await scene.write(textOf('xylophonequartz'));
    await scene.found('words');
    erase({ seqs: 'WHERE payload LIKE \'%xylophone%\'' });
    sayErased(scene);
    expect(await scene.found('xylophonequartz')).toEqual([]);
    expect(fs.readFileSync(scene.index).includes('xylophonequartz')).toBe(false);
    const began = beganAt();
    expect(await scene.found('words')).toEqual([2, 1]);
    await scene.write(textOf('fourth words'));
    expect(await scene.found('words')).toEqual([4, 2, 1]);
    expect(beganAt()).toBe(began);
  });
});

describe('an erasure that took nothing of what is in the index', () => {
  it('leaves it, where it was of later records', async () => {
    await scene.found('words');
    const began = beganAt();
    const from = newestSeq() + 1;
    await scene.write(textOf('xylophonequartz'));
    erase({ seqs: `WHERE seq >= ${from}` });
    sayErased(scene, from);
    expect(await scene.found('words')).toEqual([2, 1]);
    expect(beganAt()).toBe(began);
  });

  it('leaves it, where it was before it was made, however long the log is', async () => {
    // More than are indexed at once: the fact comes when there is something in the index.
    fill(2_100);
    erase({ seqs: '' });
    sayErased(scene);
    await scene.write(textOf('third words'));
    expect(await scene.found('words')).toEqual([3]);
  });
});

function newestSeq(): number {
  const database = new Database(scene.log);
  const seq = Number(database.prepare('SELECT max(seq) FROM records').pluck().get());
  database.close();
  return seq;
}

/** Records that say nothing. */
function fill(count: number): void {
  const database = new Database(scene.log);
  const insert = database.prepare("INSERT INTO records (seq, leaf, header) SELECT max(seq) + 1, zeroblob(32), '{}' FROM records");
  database.transaction(() => {
    for (let number = 0; number < count; number += 1) insert.run();
  })();
  database.close();
}

function erase({ seqs }: { readonly seqs: string }): void {
  const database = new Database(scene.log);
  database.exec(`UPDATE records SET payload = NULL, salt = NULL ${seqs}`);
  database.close();
}
