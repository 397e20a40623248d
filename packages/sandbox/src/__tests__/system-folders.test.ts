import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, settingsFor, type ConfinedRequest, type Confinement } from '@devs/core';
import { createConfinedWork } from '../confined-work.ts';
import { isOfSystem, ownPlacesInSystem } from '../files/system-folders.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { withBoxes } from './with-boxes.ts';

const NOWHERE = { root: '/nowhere', home: '/nonexistent', closed: [] };

/** Two folders of this machine, one in the other, in its system folders. */
function findFolders(): readonly [outer: string, inner: string] {
  const foldersIn = (folder: string) => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name));
  const outer = foldersIn(realpathSync('/usr/share')).find((folder) => foldersIn(folder).length > 0) ?? '';
  return [outer, foldersIn(outer)[0] ?? ''];
}

/** Needs no box, but what boxes are for: elsewhere it says that nothing was checked. */
const onLinux = process.platform === 'linux' ? describe : withBoxes;

onLinux('what lies in the system’s folders and is not the system’s', () => {
  const [outer, inner] = process.platform === 'linux' ? findFolders() : ['', ''];

  it.each<[string, Partial<Parameters<typeof ownPlacesInSystem>[0]>, readonly string[]]>([
    ['nothing, mostly', {}, []],
    ['a project', { root: outer }, [outer]],
    ['a home', { home: outer }, [outer]],
    ['a folder of devs itself', { closed: [outer, '/etc'] }, [outer]],
    ['one for what lies in another', { root: inner, home: outer, closed: [inner] }, [outer]],
    ['none that is not there', { root: '/usr/share/gone', home: '/usr/gone' }, []],
    ['no home in which the programs lie, as some accounts have', { home: '/usr/sbin' }, []],
    ['nor one around them', { home: '/usr/local' }, []],
    ['but a project there', { root: '/usr/local' }, ['/usr/local']],
  ])('%s', (_, own, expected) => {
    for (const place of [outer, inner, '/usr/local']) expect([place, existsSync(place)]).toEqual([place, true]);
    expect(ownPlacesInSystem({ ...NOWHERE, ...own })).toEqual(expected);
  });

  it('is not of the system', () => {
    expect([isOfSystem('/usr/src/app/x', []), isOfSystem('/usr/src/app/x', ['/usr/src/app']), isOfSystem('/usr/src/apples', ['/usr/src/app']), isOfSystem('/home/me', [])]).toEqual([true, false, true, false]);
  });

  it('is hidden from code, too', async () => {
    const asked: ConfinedRequest[] = [];
    const spawn = async (request: ConfinedRequest) => {
      asked.push(request);
      return Promise.reject(new Error('none is started'));
    };
    const enforcement = { by: 'test', guarantees: ['files'] } as const;
    const confinement: Confinement = { name: 'test', probe: async () => Promise.resolve({ name: 'test', usable: true, enforcement, guarantees: [] }), spawn, exec: async () => Promise.reject(new Error('none is run')) };
    using files = openFsRoot({ root: outer });
    const lock = { acquire: async () => Promise.resolve({ [Symbol.dispose]: () => undefined }) };
    const work = createConfinedWork({ files, confinement, lock, config: DEFAULT_CONFIG, closed: [], privateFolder: '/tmp', searchPath: '', home: '/nonexistent', noticeId: '12345678' });
    const { signal } = new AbortController();
    const call = { settings: settingsFor(DEFAULT_CONFIG, 'run_code'), signal, timeoutMs: 60_000, enforced: () => undefined };
    await expect(work.code(call).run({ code: '1', tools: [], callTool: async () => Promise.reject(new Error('none is called')), signal })).rejects.toThrow('none is started');
    expect(asked.map(({ mounts }) => mounts[0])).toEqual([{ source: outer, access: 'hidden' }]);
  });
});
