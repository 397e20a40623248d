import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { makeHostile, putIntoRollbackJournal } from '../../__tests__/hostile-pages.ts';
import { openIndexReadOnly } from '../index-file.ts';
import { createScene, textOf, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.write(textOf('first words'), textOf('second words'));
  await scene.found('words');
});
afterEach(() => scene[Symbol.dispose]());

/** Replaces what stands in the schema, as only somebody who writes the file can. */
function plant(...statements: readonly string[]): void {
  const database = new Database(scene.index);
  database.unsafeMode(true);
  database.pragma('writable_schema = ON');
  for (const statement of statements) database.exec(statement);
  database.close();
}

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT';

describe('an index that somebody has poisoned', () => {
  it.each<[string, () => void]>([
    // FTS5 names its own tables so: what is called like them was not compared.
    ['a trigger with a name of FTS5', () => plant(`CREATE TRIGGER words_more AFTER UPDATE ON state BEGIN INSERT INTO words (rowid, text) ${ENDLESS} i, 'invented' FROM n LIMIT 5; END`)],
    ['a view with a name of FTS5', () => plant('CREATE VIEW words_view AS SELECT 1 AS k')],
    ['a table of FTS5 that is a view', () => plant('DROP TABLE words_config', `CREATE VIEW words_config AS ${ENDLESS} i AS k, i AS v FROM n LIMIT 100`)],
    ['a table of FTS5 with a column that is computed', () => plant("UPDATE sqlite_schema SET sql = 'CREATE TABLE words_config(k PRIMARY KEY, v AS (1)) WITHOUT ROWID' WHERE name = 'words_config'")],
    ['a virtual table more', () => plant('CREATE VIRTUAL TABLE words_other USING fts5(a)')],
    ['settings without an end', () => plant("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) INSERT INTO words_config SELECT 'key ' || i, i FROM n")],
    ['a schema that leads in a circle', () => makeHostile(scene.index, { tree: 'sqlite_schema' })],
    ['settings that lead in a circle', () => makeHostile(scene.index, { tree: 'words_config' })],
    ['a state that leads in a circle', () => makeHostile(scene.index, { tree: 'state' })],
    ['a journal with other pages', () => journal()],
  ])('is refused as it is, and made anew: %s', async (_name, poison) => {
    poison();
    expect(() => openIndexReadOnly(scene.log)).toThrow();
    await scene.write(textOf('third words'));
    expect(await scene.found('words')).toEqual([3, 2, 1]);
    expect(await scene.found('invented')).toEqual([]);
    expect(await scene.check()).toBeUndefined();
  });

  it('shows no call that is not in the log, and none under words that it does not have', async () => {
    scene.tamper("INSERT INTO words (rowid, text) VALUES (777, 'invented'), (3, 'invented'), (-1, 'invented'), (9007199254740993, 'invented')");
    expect(await scene.found('invented')).toEqual([]);
    expect(await scene.check()).toBeDefined();
  });
});

function journal(): void {
  const hostile = `${scene.index}-hostile`;
  fs.copyFileSync(scene.index, hostile);
  makeHostile(hostile, { tree: 'sqlite_schema' });
  putIntoRollbackJournal(scene.index, hostile);
}
