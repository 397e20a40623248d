// The official suite: what it runs, and what it says of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findNode } from './find-node.mjs';
import { installPackages } from './npm-folder.mjs';

const PACKAGE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
/** How many scenarios a server has to pass: a suite that asks less must not pass for more. */
export const REQUIRED = new Map([
  ['2025-11-25', 30],
  ['2026-07-28', 37],
]);
/** OAuth is not devs's: whoever needs it puts a header into the configuration. */
const NOT_ASKED = /^auth\//;
const CLIENT_TIMEOUT_MS = 60_000;
/** Younger than the revisions, so that neither requires them. */
const ALSO_RUN = ['json-schema-2020-12-preservation'];

/**
 * @typedef {object} Verdict
 * @property {string} scenario
 * @property {boolean} required
 * @property {boolean} passed
 * @property {readonly { id: string, status: string, errorMessage?: string, details?: object }[]} checks
 */

/** Disposable. */
export async function openSuite() {
  const installed = await installPackages({ [PACKAGE]: VERSION });
  const program = installed.file(PACKAGE, 'dist', 'index.js');
  const required = (revision, role) => readRequired(installed.file(PACKAGE, 'requirements', `${revision}.yaml`), role);
  return {
    runServer: async (url, revision) => runServer({ program, url, revision, required: required(revision, 'server') }),
    clientScenarios: (revision) => [...required(revision, 'client').filter((scenario) => !NOT_ASKED.test(scenario)), ...ALSO_RUN],
    runClient: async (command, revision, scenario) => runClient({ program, command, revision, scenario }),
    [Symbol.dispose]: () => installed[Symbol.dispose](),
  };
}

/** The names under `server:` or `client:` of a requirements file. */
export function readRequired(file, role) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const start = lines.indexOf(`${role}:`) + 1;
  const end = lines.findIndex((line, index) => index >= start && /^\S/.test(line) && !line.startsWith('#'));
  return lines.slice(start, end === -1 ? undefined : end).flatMap((line) => /^ {2}- (\S+)/.exec(line)?.[1] ?? []);
}

/** @returns {Promise<Verdict[]>} in the order of the requirements, what is not required after them */
async function runServer({ program, url, revision, required }) {
  using output = createFolder();
  const { said } = await run([program, 'server', '--url', url, '--requirements', revision, '-o', output.folder]);
  const ran = readChecks(output.folder, 'server-');
  if (ran.size === 0) throw new Error(`The suite ran nothing: ${said.slice(-2_000)}`);
  const others = [...ran.keys()].filter((scenario) => !required.includes(scenario));
  return [...required, ...others].map((scenario) => judge(scenario, ran.get(scenario) ?? [], required.includes(scenario)));
}

/** @returns {Promise<Verdict>} */
async function runClient({ program, command, revision, scenario }) {
  using output = createFolder();
  const words = ['--command', command, '--scenario', scenario, '--spec-version', revision, '--timeout', String(CLIENT_TIMEOUT_MS)];
  const { code, said } = await run([program, 'client', ...words, '-o', output.folder]);
  const verdict = judge(scenario, readChecks(output.folder, '').get(scenario) ?? [], !ALSO_RUN.includes(scenario));
  // The suite also counts what the client itself came to, and warnings.
  if (code === 0 || !verdict.passed) return verdict;
  return { ...verdict, passed: false, checks: [...verdict.checks, { id: 'exit', status: 'FAILURE', errorMessage: said.trim().slice(-3_000) }] };
}

function judge(scenario, checks, required) {
  const isProven = checks.some(({ status }) => status === 'SUCCESS');
  return { scenario, required, passed: isProven && checks.every(({ status }) => status !== 'FAILURE'), checks };
}

/** Folders are named `<prefix><scenario>-<time>`. */
function readChecks(folder, prefix) {
  const named = /^(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/;
  const found = readdirSync(folder, { recursive: true }).filter((file) => path.basename(file) === 'checks.json');
  return new Map(
    found.map((file) => {
      const [, scenario] = named.exec(path.dirname(file)) ?? [];
      return [scenario?.slice(prefix.length) ?? file, JSON.parse(readFileSync(path.join(folder, file), 'utf8'))];
    }),
  );
}

function createFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devs-conformance-'));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

async function run(args) {
  const child = spawn(findNode(), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  return { code, said: stripVTControlCharacters(said) };
}
