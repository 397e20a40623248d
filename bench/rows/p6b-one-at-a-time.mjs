import { quantile, showTime } from '../harness.mjs';
import { timeEach } from '../load.mjs';
import { FILE, makePlace } from '../place.mjs';
import { serverFile, startServer } from '../stdio-client.mjs';

const ROUNDS = 12;
const TOOLS = [
  { tool: 'read_file', calls: 250, params: { name: 'read_file', arguments: { path: FILE } } },
  { tool: 'write_file', calls: 50, params: { name: 'write_file', arguments: { path: 'written.txt', content: 'y'.repeat(1_024) } } },
];
const SERVERS = [
  { name: 'bare SDK server', file: 'bare-sdk', args: () => [] },
  { name: 'devs, without log', file: 'devs', args: () => ['none'] },
  { name: 'devs, log process-safe', file: 'devs', args: (place) => ['process', place.inside('process.db')] },
  { name: 'devs, log power-safe', file: 'devs', args: (place) => ['power', place.inside('power.db')] },
];

/** What the gate adds to a call that nobody else is calling beside: the normal case of one agent. */
export async function measureOneAtATime() {
  using place = makePlace();
  await using servers = new AsyncDisposableStack();
  const contenders = [];
  for (const { name, file, args } of SERVERS) {
    contenders.push({ name, server: servers.use(await startServer([serverFile(file), place.root, ...args(place)])) });
  }
  const lines = [];
  for (const tool of TOOLS) lines.push(...(await measureTool(contenders, tool)));
  return {
    id: 'P6b',
    title: '1 KB over stdio, one call at a time: p50, p99, and what is added to the bare server',
    against: 'subtracted: p50 and p99 of the bare SDK server (its write_file flushes the file, once)',
    goal: 'added to p50 / p99, power-safe: read_file <= 0.9 / 8 ms, write_file <= 1.5 / 12 ms',
    lines,
  };
}

async function measureTool(contenders, { tool, calls, params }) {
  const measured = contenders.map(({ name, server }) => ({ name, server, times: [] }));
  for (const { server } of measured) await timeEach(async () => server.call(params), calls);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { server, times } of measured) times.push(...(await timeEach(async () => server.call(params), calls)));
  }
  const [bare] = measured;
  return measured.map(({ name, times }) => {
    const at = [0.5, 0.99].map((share) => quantile(times, share));
    const added = [0.5, 0.99].map((share, index) => showAdded(at[index] - quantile(bare.times, share)));
    return { name: `${tool}: ${name}`, figures: [...at.map(showTime), ...(times === bare.times ? [] : added)] };
  });
}

function showAdded(microseconds) {
  return `${microseconds < 0 ? '' : '+'}${showTime(microseconds)}`;
}
