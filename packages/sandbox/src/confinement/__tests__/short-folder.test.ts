import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { ShortFolder, sweepShortFolders } from '../short-folder.ts';

const AGE = 3_601_000;

withBoxes('folders of a devs that was killed', () => {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-sweep-')));
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const left = (name: string, age = AGE) => {
    const folder = path.join(place, name);
    mkdirSync(folder);
    writeFileSync(path.join(folder, '0'), '');
    const then = (Date.now() - age) / 1_000;
    utimesSync(folder, then, then);
    return folder;
  };

  test('are removed when they are old and have the name of one', () => {
    const gone = ['devs-pipes-Ab0xyz', 'devs-box-Ab0xyz', 'devs-probe-Ab0xyz'].map((name) => left(name));
    const kept = [left('devs-pipes-young1', 60_000), left('devs-pipes-notes'), left('devs-pipes-Ab0xyz-mine'), left('devs-other-Ab0xyz')];
    const target = left('target');
    symlinkSync(target, path.join(place, 'devs-pipes-link00'));
    sweepShortFolders(place, Date.now());
    expect(gone.map((each) => existsSync(each))).toEqual([false, false, false]);
    expect([...kept, path.join(target, '0'), path.join(place, 'devs-pipes-link00')].every((each) => existsSync(each))).toBe(true);
  });

  test('are kept as long as a process holds one open', () => {
    const later = Date.now() + AGE;
    const folder = new ShortFolder('pipes', place);
    sweepShortFolders(place, later);
    expect(existsSync(folder.path)).toBe(true);
    folder[Symbol.dispose]();
    expect(existsSync(folder.path)).toBe(false);
  });
});
