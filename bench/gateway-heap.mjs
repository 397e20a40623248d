// `node bench/gateway-heap.mjs [calls]`: what `devs run` and `devs serve --http` hold after more and more calls of a server behind
// them, garbage collected. The row P8c shows what the system sees; here growth of the heap shows, of which garbage is no part.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startNode } from './child.mjs';
import { openHttp } from './http-client.mjs';
import { runCalls } from './load.mjs';
import { FILE, makePlace } from './place.mjs';
import { configure } from './rows/p8b-serve.mjs';
import { untilListening } from './rows/p9b-memory.mjs';
import { DEVS, serverFile, startServer } from './stdio-client.mjs';

const AT_ONCE = 32;
const MOST = Number(process.argv[2] ?? 50_000);
const MARKS = [1_000, 10_000, 25_000, 50_000].filter((mark) => mark < MOST).concat(MOST);
const PROBED = ['--expose-gc', '--import', fileURLToPath(new URL('heap-probe.mjs', import.meta.url))];
const read = (name) => ({ name, arguments: { path: FILE } });
const load = () => os.loadavg().map((value) => value.toFixed(1)).join(' ');

process.stdout.write(`load average before: ${load()}\n`);
print('devs run', await measureRun());
print('devs serve --http, sessions', await measureServed('legacy'));
print('devs serve --http, without sessions', await measureServed('modern'));
process.stdout.write(`load average after: ${load()}\n`);

function environmentOf(place) {
  return { DEVS_STATE_DIR: place.inside('state'), XDG_CONFIG_HOME: place.inside('config'), DEVS_BENCH_HEAP: place.inside('heap.json') };
}

async function measureRun() {
  using place = makePlace();
  const words = [...PROBED, DEVS, 'run', '--root', place.root, '--config', place.config, '--', process.execPath, serverFile('bare-sdk'), place.root];
  await using server = await startServer(words, { env: environmentOf(place) });
  return await follow(place, server.pid, async () => server.call(read('read_file')));
}

async function measureServed(era) {
  using place = makePlace();
  await using stack = new AsyncDisposableStack();
  const config = configure(place, [serverFile('bare-sdk'), place.root]);
  const server = startNode([...PROBED, DEVS, 'serve', '--root', place.root, '--config', config, '--http', '127.0.0.1:0'], { env: environmentOf(place) });
  stack.defer(async () => server.stop('SIGTERM'));
  const url = await untilListening(server);
  const token = readFileSync(`${place.inside('state')}/token`, 'utf8').trim();
  const client = stack.use(openHttp(url, { token, connections: AT_ONCE }));
  await client.greet();
  return await follow(place, server.child.pid, async () => client.call(era, read('bare__read_file')));
}

async function follow(place, pid, call) {
  const rows = [];
  let made = 0;
  for (const calls of MARKS) {
    await runCalls(call, { calls: calls - made, atOnce: AT_ONCE });
    made = calls;
    rows.push({ calls, ...(await probe(place.inside('heap.json'), pid)) });
  }
  return rows;
}

/** Once nothing is under way: what the log still writes is part of no call. */
async function probe(file, pid) {
  await sleep(1_000);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await sleep(20);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function print(name, rows) {
  const columns = ['rss', 'ofFiles', 'heapUsed', 'heapTotal', 'external'];
  const head = ['calls', ...columns].map((word) => word.padStart(13)).join('');
  const lines = rows.map((row) => [row.calls.toLocaleString('en'), ...columns.map((key) => `${(row[key] / 1_048_576).toFixed(1)} MB`)].map((word) => word.padStart(13)).join(''));
  process.stdout.write(`${[name, head, ...lines].join('\n')}\n\n`);
}
