// `pnpm trace-call`: the files and folders of devs that one small `read_file` over stdio goes through, in order. A move is the entry
// of a function in another folder than the last one; a return is a move into a folder that was left before. `firstMoves` and
// `firstReturns` count only the first entry of each file: a reader opens a file once. Needs a build.
// usage: node scripts/trace-call.mjs [--json]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { main } from './lib/processes.mjs';
import { repository } from './lib/repository.mjs';

const HOOK = fileURLToPath(new URL('lib/trace-hook.mjs', import.meta.url));
const DEVS = path.join(repository, 'packages/cli/dist/main.js');
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'trace-call', version: '1.0.0' } };
const CALL = { name: 'read_file', arguments: { path: 'a.txt' } };

await main(async () => {
  const way = summarize(await trace());
  const { steps, ...counts } = way;
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(way)}\n`);
  else for (const line of [...steps.map(({ folder, files }) => `${folder}  ${files.join(' ')}`), ...Object.entries(counts).map(([name, count]) => `${name}: ${String(count)}`)]) process.stdout.write(`${line}\n`);
  return 0;
});

/** The source files whose functions were entered, in their order. */
async function trace() {
  const place = mkdtempSync(path.join(os.tmpdir(), 'devs-trace-'));
  writeFileSync(path.join(place, 'a.txt'), 'a\n');
  const env = { ...process.env, DEVS_STATE_DIR: path.join(place, 'state', 'own'), XDG_CONFIG_HOME: path.join(place, 'config') };
  const child = spawn(process.execPath, ['--import', pathToFileURL(HOOK).href, DEVS, 'serve', '--root', place], { env, stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (id, method, params) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return JSON.parse((await lines.next()).value);
    };
    await ask(1, 'initialize', CLIENT);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    // What is done once, as loading and the first record, is no part of a call.
    for (const id of [2, 3]) await ask(id, 'tools/call', CALL);
    await tell(child, 'start');
    const { result } = await ask(4, 'tools/call', CALL);
    const { files, entered } = await tell(child, 'stop');
    if (result?.content?.[0]?.text?.includes('a') !== true) throw new Error('The call was not answered with the file.');
    return entered.map((index) => path.relative(repository, files[index]).replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
  } finally {
    child.stdin.end();
    child.disconnect();
    await once(child, 'exit');
    rmSync(place, { recursive: true });
  }
}

async function tell(child, message) {
  const answered = new Promise((resolve) => {
    // Parts of devs may speak on the channel too.
    child.on('message', (answer) => answer?.traced === message && resolve(answer));
  });
  child.send(message);
  return answered;
}

function summarize(entries) {
  const steps = toSteps(entries);
  const first = toSteps([...new Set(entries)]);
  return {
    steps,
    functions: entries.length,
    files: new Set(entries).size,
    folders: new Set(entries.map((file) => path.dirname(file))).size,
    moves: steps.length - 1,
    returns: countReturns(steps),
    firstMoves: first.length - 1,
    firstReturns: countReturns(first),
  };
}

/** Files that follow each other in one folder are one step. */
function toSteps(entries) {
  const steps = [];
  for (const file of entries) {
    const folder = path.dirname(file);
    if (steps.at(-1)?.folder !== folder) steps.push({ folder, files: [] });
    const { files } = steps.at(-1);
    if (files.at(-1) !== path.basename(file)) files.push(path.basename(file));
  }
  return steps;
}

function countReturns(steps) {
  return steps.length - new Set(steps.map(({ folder }) => folder)).size;
}
