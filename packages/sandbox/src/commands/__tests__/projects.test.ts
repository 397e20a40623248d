import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, linkSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { Playground } from './command-scene.ts';

/** A project, how it is built and tested, and what `PATH` has beside the machine's own. */
interface Project {
  readonly commands: readonly (readonly [string, ...string[]])[];
  readonly path?: readonly string[];
  readonly home?: string;
}

type Make = (playground: Playground) => Project;

/** A package that `project` depends on, as pnpm puts it there: a hard link into a store that lies elsewhere, and links to that. */
const npmProject: Make = (playground) => {
  playground.write({
    'store/files/greet.js': "exports.greet = (name) => `hello ${name}`;\n",
    'project/package.json': JSON.stringify({
      name: 'app',
      scripts: { build: 'node build.js', test: 'node --test --test-reporter=dot' },
      dependencies: { greet: '1.0.0' },
    }),
    'project/build.js': "require('node:fs').writeFileSync('out.txt', require('greet').greet('world')); console.log('built');\n",
    'project/app.test.js': "require('node:test').test('greets', () => { if (require('greet').greet('x') !== 'hello x') throw new Error('no'); });\n",
    'project/node_modules/.pnpm/greet@1.0.0/node_modules/greet/package.json': JSON.stringify({ name: 'greet', main: 'greet.js' }),
  });
  const installed = path.join(playground.root, 'node_modules/.pnpm/greet@1.0.0/node_modules/greet');
  linkSync(path.join(playground.base, 'store/files/greet.js'), path.join(installed, 'greet.js'));
  symlinkSync('.pnpm/greet@1.0.0/node_modules/greet', path.join(playground.root, 'node_modules/greet'));
  return { commands: [['npm', 'run', '--silent', 'build'], ['npm', 'test', '--silent'], ['cat', 'out.txt']] };
};

const pythonProject: Make = (playground) => {
  execFileSync('python3', ['-m', 'venv', '--without-pip', path.join(playground.root, 'venv')]);
  playground.write({
    'project/app/__init__.py': 'def double(n):\n    return 2 * n\n',
    'project/tests/test_app.py': 'import sys, unittest\nfrom app import double\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(21), 42)\n        self.assertNotEqual(sys.prefix, sys.base_prefix)\n',
  });
  return { commands: [['venv/bin/python', '-m', 'compileall', '-q', 'app'], ['venv/bin/python', '-m', 'unittest', 'tests.test_app']] };
};

/** Its `.git` is a file that names a folder outside of the project. */
const worktree: Make = (playground) => {
  const main = path.join(playground.base, 'main');
  mkdirSync(main);
  const git = (...words: string[]) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: main });
  git('init', '-q', '-b', 'main');
  playground.write({ 'main/Makefile.sh': 'set -e\nmkdir -p out\ncp src.txt out/\n', 'main/src.txt': 'text\n' });
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  git('worktree', 'add', '-q', '-f', playground.root, '-b', 'work');
  return { commands: [['sh', 'Makefile.sh'], ['cmp', 'src.txt', 'out/src.txt']] };
};

const withoutGit: Make = (playground) => {
  playground.write({ 'project/build.sh': '#!/bin/sh\nset -e\nmkdir -p "$PWD/out"\nwc -c < data.bin > out/size\n', 'project/data.bin': 'x'.repeat(5_000) });
  chmodSync(path.join(playground.root, 'build.sh'), 0o755);
  return { commands: [['./build.sh'], ['sh', '-c', 'test "$(cat out/size)" -eq 5000 && echo right']] };
};

/** A compiler under the home folder, as version managers put them, that finds its libraries beside itself. */
const homeToolchain: Make = (playground) => {
  playground.write({
    'home/.nvm/versions/tool/v1/bin/compile': '#!/bin/sh\nset -e\n. "$(dirname "$(realpath "$0")")/../lib/rules.sh"\ncompile "$1" > "$2"\n',
    'home/.nvm/versions/tool/v1/lib/rules.sh': 'compile() { tr a-z A-Z < "$1"; }\n',
    'project/a.txt': 'abc\n',
  });
  const bin = path.join(playground.base, 'home/.nvm/versions/tool/v1/bin');
  chmodSync(path.join(bin, 'compile'), 0o755);
  return { commands: [['compile', 'a.txt', 'a.out'], ['cat', 'a.out']], path: [bin], home: path.join(playground.base, 'home') };
};

withBoxes('real projects build and test in a box as outside', () => {
  it.each<[string, Make]>([
    ['an npm project with a pnpm store', npmProject],
    ['a Python project with a venv', pythonProject],
    ['a git worktree', worktree],
    ['no git at all', withoutGit],
    ['a toolchain under the home folder', homeToolchain],
  ])('%s', async (_, make) => {
    using playground = new Playground();
    const { commands, path: more = [], home } = make(playground);
    const searchPath = [...more, process.env['PATH'] ?? ''].join(':');
    const copy = path.join(playground.base, 'copy');
    cpSync(playground.root, copy, { recursive: true, verbatimSymlinks: true });
    for (const argv of commands) {
      const [program, ...words] = argv;
      const outside = spawnSync(program, words, { cwd: copy, env: { ...process.env, PATH: searchPath }, encoding: 'utf8' });
      const { outcome, stdout, stderr, enforcement } = await playground.run({ argv }, { searchPath, ...(home !== undefined && { home }) });
      expect({ argv, exit: outcome.exit, stdout, ...(outcome.exit.kind === 'code' && outcome.exit.code === 0 ? {} : { stderr }) }).toEqual({
        argv,
        exit: { kind: 'code', code: 0 },
        stdout: outside.stdout,
      });
      expect(outside.status).toBe(0);
      expect({ moved: outcome.movedAside, by: enforcement?.by }).toEqual({ moved: [], by: 'bubblewrap' });
    }
  });
});
