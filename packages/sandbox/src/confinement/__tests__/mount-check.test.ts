import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ConfinedRequest, Mount, ProcessOutcome } from '@devs/core';
import type { Disks } from '../../disks/disks.ts';
import { MountCheck } from '../mount-check.ts';

const NOTHING = { head: new Uint8Array(), tail: new Uint8Array(), omitted: 0 };

interface Disk {
  /** Names that answer, and are not listed. */
  readonly answers?: readonly string[];
  readonly kind?: ReturnType<Disks['kindOf']>;
  /** How the trial in a box ends. */
  readonly exit?: ProcessOutcome['exit'];
}

/** A check on a disk that is told here. */
function scene({ answers = [], kind = 'other', exit = { kind: 'code', code: 1 } }: Disk) {
  const asked: string[] = [];
  const tried: ConfinedRequest[] = [];
  const disks: Disks = {
    has: (place) => {
      asked.push(place);
      return answers.includes(place);
    },
    list: (folder) => (folder.endsWith('.env') ? undefined : []),
    kindOf: () => kind,
    holdsMounts: () => false,
    deviceOf: () => '1',
  };
  const exec = async (request: ConfinedRequest): Promise<ProcessOutcome> => {
    tried.push(request);
    return Promise.resolve({ exit, stdout: NOTHING, stderr: NOTHING, enforcement: { by: 'test', guarantees: [] } });
  };
  return { check: new MountCheck({ confinement: { exec }, disks }), asked, tried };
}

const write = (source: string): Mount => ({ source, access: 'write' });
const read = (source: string): Mount => ({ source, access: 'read' });
const hidden = (source: string): Mount => ({ source, access: 'hidden' });
const GIT = [write('/p'), read('/p/sub/.git')];

describe('what a mount is to keep', () => {
  it.each<[string, readonly Mount[], readonly string[]]>([
    ['read-only in what may be written: its name, and the folders on the way', GIT, ['/p/sub/.git', '/p/sub']],
    ['hidden in what may be written', [write('/p'), hidden('/p/.env')], ['/p/.env']],
    ['hidden in what may be read', [read('/r'), hidden('/r/p/.env')], ['/r/p/.env', '/r/p']],
    ['hidden in the system’s own folders', [hidden('/usr/src/app')], ['/usr/src/app', '/usr/src']],
    ['by the outermost folder that is shown', [read('/r'), write('/r/p'), hidden('/r/p/.env')], ['/r/p/.env', '/r/p']],
    ['not what may be written itself', [write('/p'), write('/p/sub')], []],
    ['not what may be read in what may be read', [read('/p'), read('/p/sub')], []],
    ['not what lies elsewhere', [write('/p'), hidden('/other'), read('/third')], []],
    ['not what is called otherwise in the box', [write('/p'), { source: '/p/x', target: '/etc/hosts', access: 'read' }], []],
  ])('%s', async (_, mounts, expected) => {
    const { check, asked } = scene({ kind: 'plain' });
    expect(await check.findObstacle(mounts)).toBeUndefined();
    expect([...new Set(asked.map((place) => place.toLowerCase()))].toSorted()).toEqual(expected.toSorted());
  });
});

describe('a disk that gives one file under two names', () => {
  it.each<[string, string]>([['of the mount itself', '/p/sub/.GIT'], ['of a folder around it', '/p/SUB']])('keeps a box from being made: %s', async (_, other) => {
    const { check } = scene({ answers: [other] });
    const obstacle = await check.findObstacle(GIT);
    expect(obstacle?.sentence).toContain(JSON.stringify(other));
    expect(obstacle?.fix).toContain('ext4');
  });

  it('does not where the kernel knows that both are one, which is tried out once for a disk', async () => {
    const { check, tried } = scene({ answers: ['/p/sub/.GIT', '/p/SUB', '/p/.ENV'], exit: { kind: 'code', code: 0 } });
    expect(await check.findObstacle(GIT)).toBeUndefined();
    expect(await check.findObstacle(GIT)).toBeUndefined();
    expect(tried.map(({ mounts, argv }) => [mounts, argv.slice(4)])).toEqual([[[read('/p/sub'), hidden('/p/sub/.git')], ['/p/sub/.GIT', '/p/sub/.git']]]);
    // Of a file it may be otherwise than of a folder.
    await check.findObstacle([write('/p'), hidden('/p/.env')]);
    expect(tried).toHaveLength(2);
  });

  it.each<[string, ProcessOutcome['exit']]>([
    ['both are not one', { kind: 'code', code: 1 }],
    ['the trial cannot be made', { kind: 'setup', detail: '' }],
    ['it takes too long', { kind: 'limit', limit: 'wall' }],
  ])('is asked anew each time where %s', async (_, exit) => {
    const { check, tried } = scene({ answers: ['/p/sub/.GIT'], exit });
    for (const times of [1, 2]) {
      expect(await check.findObstacle(GIT)).toBeDefined();
      expect(tried).toHaveLength(times);
    }
  });

  it('of its own accord, or because a command asks it to', async () => {
    const { check, tried } = scene({ kind: 'renaming', exit: { kind: 'code', code: 0 } });
    expect((await check.findObstacle(GIT))?.sentence).toContain('can give it another name');
    expect(await check.findObstacle([write('/p')])).toBeUndefined();
    expect(tried).toEqual([]);
  });

  it('asks no more than a few names of each mount on a disk that has one name for each file', async () => {
    const mounts = [write('/p'), ...Array.from({ length: 512 }, (_, index) => read(path.join('/p', `a${String(index)}`, '.git')))];
    const { check, asked } = scene({ kind: 'plain' });
    await check.findObstacle(mounts);
    expect(asked.length).toBe(512 * 2);
  });
});
