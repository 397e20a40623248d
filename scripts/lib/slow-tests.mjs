// Files of tests about races, crashes, kills, floods, jest in jest, git or devs started again and again, and pages run word for
// word end in `.slow.test.ts`. `.ci/run` runs them all; `npm test` those of packages that differ from the default branch.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { repository } from './repository.mjs';

/** For jest: the end of a path. */
export const slowPattern = String.raw`\.slow\.test\.ts$`;

/** As `.ci/run` asks for it. `CI` alone does not say so: it is set where nobody waits for everything. */
export function runsAllTests(environment = process.env) {
  return environment.DEVS_ALL_TESTS === '1';
}

/** Packages whose tests `.ci/run` runs by a command of its own, so that it runs them once: `DEVS_TESTED_APART=@devs/core`. */
export function leftApart({ DEVS_TESTED_APART: names = '' } = process.env) {
  return names.split(' ').filter((name) => name !== '');
}

/** The slow files of a package, from its folder on. */
export function findSlowTests(folder) {
  const files = readdirSync(path.join(folder, 'src'), { recursive: true });
  return files.filter((file) => new RegExp(slowPattern).test(file)).sort();
}

/** Each package that has slow files: its name, its folder below `packages`, the files. */
export function packagesWithSlowTests(root = repository) {
  const folders = readdirSync(path.join(root, 'packages'));
  const packages = folders.map((folder) => {
    const place = path.join(root, 'packages', folder);
    return { name: JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8')).name, folder, files: findSlowTests(place) };
  });
  return packages.filter(({ files }) => files.length > 0);
}

/** What the tests of `cli` run word for word, as a reader does. */
const PAGES = ['README.md', 'docs'];

/**
 * The folders below `packages` that differ from the default branch, from where this one left it; what is not committed counts.
 * That of the tests that run the pages, where a page differs. None where git cannot say.
 * @returns {ReadonlySet<string>}
 */
export function changedPackages(root = repository) {
  const base = mergeBase(root);
  if (base === undefined) return new Set();
  const tracked = git(root, ['diff', '--name-only', '--no-renames', '-z', base, '--', 'packages', ...PAGES]);
  const untracked = git(root, ['ls-files', '--others', '--exclude-standard', '-z', '--', 'packages', ...PAGES]);
  const files = `${tracked ?? ''}${untracked ?? ''}`.split('\0').filter((file) => file !== '');
  return new Set(files.map((file) => (file.startsWith('packages/') ? file.split('/')[1] : 'cli')));
}

function mergeBase(root) {
  const ofOrigin = git(root, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'])?.trim();
  const branches = [ofOrigin, 'refs/remotes/origin/main', 'refs/heads/main'].filter((branch) => branch !== undefined);
  const bases = branches.map((branch) => git(root, ['merge-base', 'HEAD', branch])?.trim());
  return bases.find((base) => base !== undefined);
}

/** What git says, or undefined where it fails or is not there. */
function git(cwd, words) {
  const { status, stdout } = spawnSync('git', words, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return status === 0 ? stdout : undefined;
}

/**
 * What of the slow tests a run of `npm test` adds, and what it leaves to CI. `asked` are turbo's arguments. Where they choose
 * packages in other ways than by name, or go on with arguments of jest's, nothing is added: a pattern finds slow files by itself.
 */
export function planSlowTests(packages, asked, { all, changed }) {
  const filters = filtersOf(asked);
  const chosen = packages.filter(({ name }) => filters.length === 0 || filters.includes(name));
  const mayAdd = !asked.includes('--') && filters.every((filter) => /^@[\w-]+\/[\w-]+$/.test(filter));
  const added = chosen.filter(({ folder }) => mayAdd && (all || changed.has(folder)));
  return { added, left: chosen.filter((each) => !added.includes(each)) };
}

function filtersOf(asked) {
  return asked.flatMap((word, index) => {
    if (word === '--filter' || word === '-F') return [asked[index + 1] ?? ''];
    return word.startsWith('--filter=') ? [word.slice('--filter='.length)] : [];
  });
}

/** The last lines of `npm test`: what it has left to CI, by package. */
export function leftToCI(left, environment = process.env) {
  if (left.length === 0) return lawsLeft(environment);
  const shortOf = (file) => path.basename(file, '.slow.test.ts');
  const lines = left.map(({ folder, files }) => `  ${folder}: ${files.map(shortOf).join(', ')}\n`);
  return `Left to CI, slow tests of packages that are as on the default branch:\n${lines.join('')}To run them too: pnpm test --slow\n${lawsLeft(environment)}`;
}

function lawsLeft({ DEVS_LAW_RUNS: runs }) {
  return runs === undefined ? 'Laws were tried on 250 cases at most; CI tries each as often as it says: DEVS_LAW_RUNS=1\n' : '';
}
