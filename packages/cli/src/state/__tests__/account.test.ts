import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { homesAround } from '../account.ts';
import { namedFolders } from '../named-folders.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-account-')));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(base, { recursive: true });
});

describe('homes of other accounts', () => {
  const line = (name: string, uid: number, home: string) => `${name}:x:${String(uid)}:${String(uid)}:Some One:${home}:/bin/sh`;

  it.each<[string, (own: number) => readonly string[], readonly string[]]>([
    ['of the owner of the root, wherever it is', (own) => [line('owner', own, '/elsewhere/owner'), line('other', own + 1, '/elsewhere/other')], ['/elsewhere/owner']],
    ['in the root', (own) => [line('in', own + 1, 'ROOT/in'), line('beside', own + 1, 'ROOT-in')], ['ROOT/in']],
    ['the root itself, and around it', (own) => [line('is', own + 1, 'ROOT'), line('around', own + 1, 'BASE')], ['ROOT', 'BASE']],
    ['by where they really are, too', (own) => [line('linked', own + 1, 'BASE/link/in')], ['BASE/link/in', 'ROOT/in']],
    ['not those that are none', (own) => [line('none', own, '/'), line('empty', own, ''), line('relative', own, 'x'), 'broken', ''], []],
  ])('%s', (_, lines, expected) => {
    const root = path.join(base, 'root');
    mkdirSync(path.join(root, 'in'), { recursive: true });
    symlinkSync('root', path.join(base, 'link'));
    jest.spyOn(process, 'geteuid').mockReturnValue(0);
    const named = (text: string) => text.replace('ROOT', root).replace('BASE', base);
    expect(homesAround(root, lines(statSync(root).uid).map(named).join('\n'))).toEqual(expected.map(named));
  });

  it('are root’s to reach alone', () => {
    jest.spyOn(process, 'geteuid').mockReturnValue(1_000);
    expect(homesAround(base, line('in', 1, base))).toEqual([]);
  });
});

describe('folders that the environment names', () => {
  it('are those of programs and settings, as far as they are absolute', () => {
    const { settings, data, programs } = namedFolders({ PATH: `${base}/bin:.:relative::${base}/tools`, XDG_CONFIG_HOME: `${base}/c`, XDG_DATA_HOME: 'relative' });
    expect({ settings, data, programs }).toEqual({ settings: [`${base}/c`], data: [], programs: [`${base}/bin`, `${base}/tools`] });
    expect(namedFolders({})).toEqual({ settings: [], data: [], programs: [], byVariable: new Map() });
  });

  it('are what other variables name, one or a list, and relative ones of code alone', () => {
    const { byVariable } = namedFolders({ HOME: base, ZDOTDIR: `${base}/zdot`, BASH_ENV: '$HOME/env.sh', INPUTRC: '~/inputrc', ENV: 'production', KUBECONFIG: `${base}/a:${base}/b`, PYTHONPATH: `src::${base}/py`, NODE_PATH: `${base}/code`, GNUPGHOME: '' });
    expect(byVariable?.get('ZDOTDIR')).toEqual([`${base}/zdot`]);
    expect(byVariable?.get('BASH_ENV')).toEqual([`${base}/env.sh`]);
    expect(byVariable?.get('INPUTRC')).toEqual([`${base}/inputrc`]);
    expect(byVariable?.get('KUBECONFIG')).toEqual([`${base}/a:${base}/b`, `${base}/a`, `${base}/b`]);
    expect(byVariable?.get('PYTHONPATH')).toEqual(expect.arrayContaining([path.resolve('src'), `${base}/py`]));
    expect(['ENV', 'NODE_PATH', 'GNUPGHOME'].map((name) => byVariable?.has(name))).toEqual([false, false, false]);
  });

  it('are not those that package managers of a project fill', () => {
    const write = (...names: string[]) => {
      for (const name of names) {
        mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
        writeFileSync(path.join(base, name), '');
      }
    };
    write('venv/pyvenv.cfg', 'venv/bin/activate', 'venv/bin/python');
    // The mark of an environment beside a folder of programs: a tool could have written it.
    write('tools/pyvenv.cfg', 'tools/bin/git');
    const PATH = ['node_modules/.bin', 'a/node_modules/.bin', 'venv/bin', 'tools/bin'].map((name) => path.join(base, name)).join(':');
    expect(namedFolders({ PATH }).programs).toEqual([path.join(base, 'tools/bin')]);
  });
});
