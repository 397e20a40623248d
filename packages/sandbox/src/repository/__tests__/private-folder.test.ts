import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createPrivateFolder } from '../private-folder.ts';
import { onLinux } from './planted-scene.ts';

const ACCOUNT = { uid: 54_321, gid: 54_321 };

onLinux('folders of commits', () => {
  let place: string;
  beforeEach(() => {
    place = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-private-')));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  const left = (name: string, owner?: number): string => {
    const folder = path.join(place, name);
    mkdirSync(path.join(folder, 'closed'), { recursive: true });
    writeFileSync(path.join(folder, 'closed/file'), '');
    chmodSync(path.join(folder, 'closed'), 0);
    if (owner !== undefined) chownSync(folder, owner, owner);
    utimesSync(folder, 0, 0);
    return folder;
  };

  test('that a killed devs has left go when they are old, whatever process has its number now', () => {
    left('devs-commit-AbCdEf');
    left(`devs-commit-${String(process.pid)}-AbCdEf`);
    const kept = [left('devs-commit-notes'), left('devs-commit-x-AbCdEf')].map((folder) => path.basename(folder));
    using folder = createPrivateFolder(place, undefined);
    expect(readdirSync(place).toSorted()).toEqual([...kept, path.basename(folder.path)].toSorted());
    for (const name of kept) chmodSync(path.join(place, name, 'closed'), 0o700);
  });

  test('that are young stay, whatever process they name', () => {
    const folder = path.join(place, 'devs-commit-999999999-AbCdEf');
    mkdirSync(folder);
    createPrivateFolder(place, undefined)[Symbol.dispose]();
    expect(existsSync(folder)).toBe(true);
  });

  test('that a process holds open stay, and go when they are disposed of', () => {
    const folder = createPrivateFolder(place, undefined);
    utimesSync(folder.path, 0, 0);
    createPrivateFolder(place, undefined)[Symbol.dispose]();
    expect(existsSync(folder.path)).toBe(true);
    folder[Symbol.dispose]();
    expect(existsSync(folder.path)).toBe(false);
  });

  test('of the account that boxes run as go too, and of no other', () => {
    // Nobody else gives folders away.
    if (process.geteuid?.() !== 0) return;
    const gone = left('devs-commit-AbCdEf', ACCOUNT.uid);
    const kept = left('devs-commit-GhIjKl', ACCOUNT.uid + 1);
    using folder = createPrivateFolder(place, ACCOUNT);
    expect(statSync(folder.path).uid).toBe(ACCOUNT.uid);
    expect([existsSync(gone), existsSync(kept)]).toEqual([false, true]);
  });
});
