import { readFileSync } from 'node:fs';
import process from 'node:process';
import { startNode } from '../child.mjs';
import { openHttp } from '../http-client.mjs';
import { runCalls } from '../load.mjs';
import { FILE, makePlace } from '../place.mjs';
import { DEVS, serverFile, startServer } from '../stdio-client.mjs';

const AT_ONCE = 32;
const READ = { name: 'read_file', arguments: { path: FILE } };
const CALLS = [0, 1_000, 10_000, 50_000];
const LISTENING = /at (?<url>http:\S+)\n[^]*Ctrl-C/;

/** What a server holds after many calls: a leak shows as growth, a burst of garbage as a peak. */
export async function measureMemory() {
  const row = {
    id: 'P9b',
    title: `memory after calls of read_file of 1 KB, ${AT_ONCE} at once, log process-safe: resident now, and at most`,
    against: 'nothing; the bare SDK server stands beside it',
    goal: '<= 150 MB, flat',
  };
  if (process.platform !== 'linux') return { ...row, lines: [{ name: 'not measured: this system has no /proc', figures: [] }] };
  const lines = [];
  for (const measure of [measureBare, measureStdio, measureHttp]) lines.push(...(await measure()));
  return { ...row, lines };
}

async function measureBare() {
  using place = makePlace();
  await using server = await startServer([serverFile('bare-sdk'), place.root]);
  return await follow('bare SDK server, stdio', server.pid, async () => server.call(READ));
}

async function measureStdio() {
  using place = makePlace();
  await using server = await startServer(serveArguments(place), { env: { DEVS_STATE_DIR: place.inside('state'), XDG_CONFIG_HOME: place.inside('config') } });
  return await follow('devs serve, stdio', server.pid, async () => server.call(READ));
}

/** Both eras in turn, as a server meets them. */
async function measureHttp() {
  using place = makePlace();
  const state = place.inside('state');
  await using stack = new AsyncDisposableStack();
  const server = startNode([...serveArguments(place), '--http', '127.0.0.1:0'], { env: { DEVS_STATE_DIR: state, XDG_CONFIG_HOME: place.inside('config') } });
  stack.defer(async () => server.stop('SIGTERM'));
  const url = await untilListening(server);
  const client = stack.use(openHttp(url, { token: readFileSync(`${state}/token`, 'utf8').trim(), connections: AT_ONCE }));
  return await follow('devs serve --http', server.child.pid, async (number) => client.call(number % 2 === 0 ? 'legacy' : 'modern', READ));
}

function serveArguments({ root, config }) {
  return [DEVS, 'serve', '--root', root, '--config', config];
}

/** The URL that it prints; rejects when it ends instead. */
export async function untilListening({ child, exited, said }) {
  return new Promise((resolve, reject) => {
    child.stderr.on('data', () => {
      const match = LISTENING.exec(said());
      if (match !== null) resolve(match.groups.url);
    });
    void exited.then(() => reject(new Error(`bench: devs serve --http ended. It said: ${said()}`)));
  });
}

/** What a process holds after more and more calls. */
export async function follow(name, pid, call) {
  const lines = [];
  let made = 0;
  for (const calls of CALLS) {
    await runCalls(call, { calls: calls - made, atOnce: AT_ONCE });
    made = calls;
    lines.push({ name: `${name}, ${calls.toLocaleString('en')} calls`, figures: readMemory(pid) });
  }
  return lines;
}

function readMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return ['VmRSS', 'VmHWM'].map((key) => {
    const [, kibibytes] = new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status);
    return `${(Number(kibibytes) / 1_024).toFixed(1)} MB`;
  });
}
