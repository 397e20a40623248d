import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DISKS, type Disks } from '../disks.ts';
import { findOtherNames, isSuspect } from '../other-names.ts';
import { FOLDING, RENAMING } from './folding-disks.ts';

/** One folder `/f` that lists these names, and answers to more. */
function diskOf(listed: readonly string[], answers: readonly string[], kind: ReturnType<Disks['kindOf']> = 'other'): Disks {
  return { has: (place) => [...listed, ...answers].includes(path.basename(place)), list: () => listed, kindOf: () => kind, holdsMounts: () => false, deviceOf: () => '1' };
}

const others = (name: string, disk: Disks) => findOtherNames(`/f/${name}`, disk).map(({ other, kind }) => `${kind} ${path.basename(other)}`);

describe('other names of what a disk lists', () => {
  it.each<[string, string, Disks, readonly string[]]>([
    ['none', '.git', diskOf(['.git'], []), []],
    ['in the other case', '.git', diskOf(['.git'], ['.GIT']), ['case .GIT']],
    ['in lower case', 'README', diskOf(['README'], ['readme']), ['case readme']],
    ['of a mixed name, each letter', 'SubDir', diskOf(['SubDir'], ['sUBdIR']), ['case sUBdIR']],
    ['where the disk folds ASCII alone', 'é.env', diskOf(['é.env'], ['é.ENV']), ['case é.ENV']],
    ['where it folds more', 'éß', diskOf(['éß'], ['Éß']), ['case Éß']],
    ['decomposed', 'caf\u00e9', diskOf(['caf\u00e9'], ['cafe\u0301']), ['form cafe\u0301']],
    ['composed', 'cafe\u0301', diskOf(['cafe\u0301'], ['caf\u00e9']), ['form caf\u00e9']],
    ['the short one of Windows', '.git', diskOf(['.git'], ['GIT~1']), ['short GIT~1']],
    ['the short one with its end', '.env.local', diskOf(['.env.local'], ['ENV~2.LOC']), ['short ENV~2.LOC']],
    ['no short one where there are none', '.git', diskOf(['.git'], ['GIT~1'], 'plain'), []],
    ['not a file of its own', '.git', diskOf(['.git', '.GIT'], []), []],
    ['not a link that somebody has made', '.git', diskOf(['.git', 'GIT~1'], []), []],
    ['of a name without letters none', '1-2', diskOf(['1-2'], []), []],
  ])('%s', (_, name, disk, expected) => {
    expect(others(name, disk)).toEqual(expected);
  });

  it('also where a folder cannot be listed', () => {
    expect(others('.git', { ...diskOf(['.git'], ['.GIT']), list: () => undefined })).toEqual(['case .GIT']);
  });

  it('a folder is suspect by its own names, by its disk, and by the disks in it', () => {
    const plain = diskOf(['a', 'b'], [], 'plain');
    expect(isSuspect('/f', plain)).toBe(false);
    expect(isSuspect('/f', diskOf(['1', 'b'], ['B']))).toBe(true);
    expect(isSuspect('/f', { ...plain, kindOf: () => 'renaming' })).toBe(true);
    expect(isSuspect('/f', { ...plain, holdsMounts: () => true })).toBe(true);
  });
});

describe('the disks of this machine', () => {
  it('tell two cases apart here, and are asked as they are', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'devs-disk-'));
    try {
      mkdirSync(path.join(folder, '.git'));
      expect([DISKS.has(path.join(folder, '.git')), DISKS.has(path.join(folder, 'gone')), DISKS.has(path.join(folder, 'x'.repeat(300)))]).toEqual([true, false, false]);
      expect(DISKS.list(folder)).toEqual(['.git']);
      expect([DISKS.list(path.join(folder, 'gone')), DISKS.kindOf(path.join(folder, 'gone'))]).toEqual([undefined, 'other']);
      expect(others('.git', { ...FOLDING, has: (place) => FOLDING.has(path.join(folder, path.basename(place))), list: () => DISKS.list(folder) })).toEqual(['case .GIT']);
      expect(RENAMING.kindOf(folder)).toBe('renaming');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
