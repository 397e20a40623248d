import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withMountedNames } from '../mounted-names.ts';
import { withBoxes } from './with-boxes.ts';

const line = (device: string, root: string, at: string) => `36 35 ${device} ${root} ${at} rw,relatime shared:1 - ext4 /dev/sda1 rw`;

/** What is mounted, a folder, and its other names. No folder exists here, so no link is followed. */
const ROWS: readonly (readonly [title: string, mounts: readonly string[], folder: string, others: readonly string[]])[] = [
  ['nothing but the disk', [line('8:1', '/', '/')], '/none/me/devs', []],
  ['no table', [], '/none/me/devs', []],
  ['a bind mount of a folder around it', [line('8:1', '/', '/'), line('8:1', '/none', '/srv/a')], '/none/me/devs', ['/srv/a/me/devs']],
  ['a bind mount of the folder', [line('8:1', '/', '/'), line('8:1', '/none/me/devs', '/srv/a')], '/none/me/devs', ['/srv/a']],
  ['a bind mount of a part of it', [line('8:1', '/', '/'), line('8:1', '/none/me/devs/other', '/srv/a')], '/none/me/devs', ['/srv/a']],
  ['a bind mount of a folder beside it', [line('8:1', '/', '/'), line('8:1', '/none/m', '/srv/a')], '/none/me/devs', []],
  ['the same path on another disk', [line('8:1', '/', '/'), line('8:2', '/none', '/srv/a')], '/none/me/devs', []],
  ['a volume of a container, named by its bind mount', [line('0:9', '/', '/'), line('8:1', '/home/me', '/host'), line('8:1', '/home/me/.config', '/none/.config')], '/none/.config/devs', ['/host/.config/devs']],
  ['subvolumes of one disk', [line('0:9', '/@', '/'), line('0:9', '/@home', '/none'), line('0:9', '/', '/mnt/all')], '/none/me/devs', ['/mnt/all/@home/me/devs']],
  ['a mount over another', [line('8:1', '/', '/'), line('8:1', '/x', '/none'), line('8:1', '/y', '/none'), line('8:1', '/y', '/srv')], '/none/devs', ['/y/devs', '/srv/devs']],
  ['names with spaces and backslashes', [line('8:1', '/', '/'), line('8:1', '/none/a\\040b\\134', '/srv/c\\040d')], '/none/a b\\/devs', ['/srv/c d/devs']],
];

describe('the names that mounts give a folder', () => {
  it.each(ROWS)('%s', (_, mounts, folder, others) => {
    expect(withMountedNames([folder], `${mounts.join('\n')}\n`)).toEqual([folder, ...others]);
  });
});

withBoxes('in the table of this kernel', () => {
  it('finds a folder that is mounted twice, behind a link and before it exists', () => {
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs mounts-')));
    try {
      for (const name of ['homes/me', 'srv/again']) mkdirSync(path.join(base, name), { recursive: true });
      symlinkSync('homes/me', path.join(base, 'link'));
      const again = path.join(base, 'srv/again');
      const seen = execFileSync('bwrap', ['--dev-bind', '/', '/', '--bind', path.join(base, 'homes'), again, '--', 'sh', '-c', 'cat /proc/self/mountinfo; stat -c %i "$1/me"', 'sh', again]).toString();
      expect(seen).toContain(`\n${String(statSync(path.join(base, 'homes/me')).ino)}\n`);
      expect(withMountedNames([path.join(base, 'link/.config/devs')], seen)).toContain(path.join(again, 'me/.config/devs'));
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
});
