import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findHierarchies } from '../hierarchy.ts';

let top = '';
beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-groups-')));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** A machine's two files, and the folders that they speak of. `TOP` is where the groups are mounted. */
function machine(membership: readonly string[], mounts: readonly string[], folders: Readonly<Record<string, string | undefined>>) {
  for (const [folder, controllers] of Object.entries(folders)) {
    mkdirSync(path.join(top, folder), { recursive: true });
    if (controllers !== undefined) writeFileSync(path.join(top, folder, 'cgroup.subtree_control'), controllers);
  }
  const [own, mounted] = [path.join(top, 'membership'), path.join(top, 'mountinfo')];
  writeFileSync(own, `${membership.join('\n')}\n`);
  writeFileSync(mounted, `${mounts.join('\n').replaceAll('TOP', top)}\n`);
  return findHierarchies({ membership: own, mounts: mounted }).map(({ folder, controls }) => ({ folder: path.relative(top, folder), controls }));
}

const unified = (root: string, point = 'TOP') => `30 23 0:26 ${root} ${point} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate`;
const legacy = (controllers: string, root: string, point: string) => `31 23 0:27 ${root} ${point} rw shared:9 - cgroup cgroup rw,${controllers}`;

describe('where groups can be made', () => {
  test('version 1, in a container', () => {
    const found = machine(
      ['9:name=systemd:/', '8:pids:/', '4:memory:/box/one', '1:cpu,cpuacct:/', '0::/'],
      [legacy('memory', '/', 'TOP/memory'), legacy('pids', '/', 'TOP/pids'), legacy('cpu,cpuacct', '/', 'TOP/cpu')],
      { 'memory/box/one': undefined, pids: undefined, cpu: undefined },
    );
    expect(found).toEqual([{ folder: 'memory/box/one', controls: ['memory'] }, { folder: 'pids', controls: ['pids'] }]);
  });

  test('version 1, of which a part is mounted, as docker does', () => {
    const found = machine(['4:memory:/docker/abc'], [legacy('memory', '/docker/abc', 'TOP/memory')], { memory: undefined });
    expect(found).toEqual([{ folder: 'memory', controls: ['memory'] }]);
  });

  test('version 2, of a service manager that has left the parent to this user', () => {
    const found = machine(
      ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/devs.scope'],
      [unified('/')],
      { 'user.slice/user-1000.slice/user@1000.service/app.slice': 'memory pids', 'user.slice/user-1000.slice/user@1000.service/app.slice/devs.scope': '' },
    );
    expect(found).toEqual([{ folder: 'user.slice/user-1000.slice/user@1000.service/app.slice', controls: ['memory', 'pids'] }]);
  });

  test('version 2, in the root of a container', () => {
    expect(machine(['0::/'], [unified('/')], { '.': 'cpu memory pids' })[0]).toMatchObject({ controls: ['memory', 'pids'] });
  });

  test('both versions at once', () => {
    const found = machine(['4:memory:/', '0::/one'], [legacy('memory', '/', 'TOP/memory'), unified('/', 'TOP/unified')], { memory: undefined, unified: '', 'unified/one': '' });
    expect(found).toEqual([{ folder: 'memory', controls: ['memory'] }]);
  });

  test.each([
    ['nothing is mounted', ['0::/'], []],
    ['controllers that limit nothing', ['1:cpu:/', '2:freezer:/'], [legacy('cpu', '/', 'TOP'), legacy('freezer', '/', 'TOP')]],
    ['words that are no tables', ['', 'x', '::', '0:', '4:memory'], ['', 'a b - c', '- cgroup2', ' - cgroup x memory']],
    ['a group that is not there', ['4:memory:/gone'], [legacy('memory', '/', 'TOP')]],
  ])('none: %s', (_, membership, mounts) => {
    expect(machine(membership, mounts, {})).toEqual([]);
  });

  test('none: a machine without such files', () => {
    expect(findHierarchies({ membership: path.join(top, 'a'), mounts: path.join(top, 'b') })).toEqual([]);
  });
});
