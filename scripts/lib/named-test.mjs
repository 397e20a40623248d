import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** @typedef {'green' | 'red' | 'not run' | 'not built'} Verdict */

/**
 * Runs the test of a requirement in a copy of the repository. `not run`: no test of that name, or a file that cannot be loaded.
 * @returns {Promise<Verdict>}
 */
export async function runNamedTest(copy, { test, names }) {
  // Tests of the command line start the built program.
  if (/^packages\/cli\/|^scripts\/smoke-test/.test(test) && (await run(copy, ['scripts/build.mjs'])).code !== 0) return 'not built';
  if (test === 'scripts/smoke-test.mjs') return (await run(copy, [test])).code === 0 ? 'green' : 'red';
  return test.endsWith('.mjs') ? runNodeTest(copy, test, names) : runJest(copy, test, names);
}

async function runJest(copy, test, names) {
  const [, folder, file] = /^(packages\/[^/]+)\/(.+)$/.exec(test);
  const place = mkdtempSync(path.join(os.tmpdir(), 'devs-guard-'));
  const outputFile = path.join(place, 'result.json');
  try {
    const words = [path.join(copy, 'scripts/jest.mjs'), '--json', `--outputFile=${outputFile}`, '--runTestsByPath', file, ...patternOf('--testNamePattern', names)];
    await run(path.join(copy, folder), words);
    const { numFailedTests, numPassedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(outputFile, 'utf8'));
    if (numRuntimeErrorTestSuites > 0) return 'not run';
    return verdictOf(numPassedTests, numFailedTests);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function runNodeTest(copy, test, names) {
  const { said } = await run(copy, ['--test', '--test-reporter=tap', ...patternOf('--test-name-pattern', names), test]);
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(said)?.[1] ?? 0);
  return said.includes('SyntaxError') ? 'not run' : verdictOf(count('pass'), count('fail'));
}

function verdictOf(passed, failed) {
  if (failed > 0) return 'red';
  return passed > 0 ? 'green' : 'not run';
}

/** The name as the test file spells it: `%s` of a table stands for anything. */
function patternOf(flag, names) {
  if (names.length === 0) return [];
  const patterns = names.map((name) => name.split(/%[sijdpo]|\$\w+/).map(escapePattern).join('.*'));
  return [`${flag}=${patterns.join('|')}`];
}

function escapePattern(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function run(cwd, words) {
  return new Promise((resolve, reject) => {
    // A guard may be one that only a law in full finds missing.
    const env = { ...process.env, DEVS_LAW_RUNS: '1' };
    const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, said: Buffer.concat(said).toString() }));
  });
}
