import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { boxAccount, isBeyond, mayReach } from '../account-reach.ts';

const stranger = { uid: 54_321, gid: 54_321 };
const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-reach-')));
  mkdirSync(path.join(base, 'folder'));
  writeFileSync(path.join(base, 'folder/file'), '');
});
afterEach(() => {
  chmodSync(path.join(base, 'folder'), 0o700);
  rmSync(base, { recursive: true, force: true });
});

it.each([
  ['all is open', 0o755, 0o755, 0o644, stranger, true],
  ['a folder on the way is closed to others', 0o700, 0o755, 0o644, stranger, false],
  ['the last folder is', 0o755, 0o744, 0o644, stranger, false],
  ['a folder can be entered though not listed', 0o711, 0o711, 0o644, stranger, true],
  ['the place itself is closed', 0o755, 0o755, 0o640, stranger, false],
  ['it is the owner’s', 0o700, 0o700, 0o600, own, true],
  ['the owner has less than the others', 0o755, 0o755, 0o044, own, false],
  ['the group has less than the others', 0o755, 0o755, 0o604, { ...stranger, gid: own.gid }, false],
  ['the group has more than the others', 0o750, 0o750, 0o640, { ...stranger, gid: own.gid }, true],
])('whether an account may read where %s', (_, outer, inner, file, account, expected) => {
  chmodSync(path.join(base, 'folder/file'), file);
  chmodSync(path.join(base, 'folder'), inner);
  chmodSync(base, outer);
  expect(mayReach(path.join(base, 'folder/file'), account)).toBe(expected);
});

it('nobody may read what is not there', () => {
  chmodSync(base, 0o755);
  expect(mayReach(path.join(base, 'gone'), stranger)).toBe(false);
});

it.each([
  ['open to all', 0o755, stranger, false],
  ['closed to others', 0o700, stranger, true],
  ['closed to others, and its own to open', 0o600, own, false],
  ['open to its group', 0o750, { ...stranger, gid: own.gid }, false],
  ['open to one more of its groups', 0o750, { ...stranger, groups: [1, own.gid] }, false],
  ['closed to one more of its groups alone', 0o705, { ...stranger, groups: [own.gid] }, true],
])('a place is beyond an account where the folder around it is %s', (_, mode, account, expected) => {
  chmodSync(base, 0o755);
  chmodSync(path.join(base, 'folder'), mode);
  expect(isBeyond(path.join(base, 'folder/file'), account)).toBe(expected);
});

it('boxes of root reach what others let everybody, or its groups, reach; those of others what devs reaches', () => {
  const account = jest.spyOn(process, 'geteuid').mockReturnValue(0);
  expect(boxAccount(undefined)).toEqual({ uid: 0, gid: process.getegid?.(), groups: process.getgroups?.() });
  expect(boxAccount(stranger)).toBe(stranger);
  account.mockReturnValue(1_000);
  expect(boxAccount(undefined)).toBeUndefined();
  account.mockRestore();
});
