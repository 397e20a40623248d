import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { compare, toLines } from '../harness.mjs';
import { timeCalls } from '../load.mjs';
import { installPeers, startDevs, startFloor, startPeers } from '../peers.mjs';
import { FILE, makePlace } from '../place.mjs';
import { serverFile } from '../stdio-client.mjs';

const ROUNDS = 9;
const CONNECTIONS = 32;
const LOADS = [
  { title: '32 at once', load: { calls: 2_000, atOnce: CONNECTIONS } },
  { title: 'one at a time', load: { calls: 500, atOnce: 1 } },
];
const read = (name) => ({ name, arguments: { path: FILE } });

/** `devs serve --http` in front of a server on stdio, against the least that the SDK can be, and against other gateways. */
export async function measureServe() {
  using place = makePlace();
  await using stack = new AsyncDisposableStack();
  const server = [serverFile('bare-sdk'), place.root];
  const scene = { server, connections: CONNECTIONS };
  const floor = stack.use(await startFloor(scene));
  const devs = stack.use(await startDevs({ ...scene, place, config: configure(place, server) }));
  const peers = await bring(stack, scene);
  const started = [
    { name: 'SDK server and client as a proxy', tool: 'read_file', call: floor.call },
    { name: 'devs serve --http, log process-safe', tool: 'bare__read_file', call: devs.call },
    ...peers.started.map(({ name, call }) => ({ name, tool: 'read_file', call })),
  ];
  const lines = [];
  for (const { title, load } of LOADS) {
    const contenders = started.map(({ name, tool, call }) => ({
      name: `${title}: ${name}`,
      measure: async () => timeCalls(async () => call('legacy', read(tool)), load),
    }));
    // Unmeasured, so that every server is warm.
    for (const { measure } of contenders) await measure();
    lines.push(...toLines(await compare(contenders, ROUNDS)));
  }
  return {
    id: 'P8b',
    title: 'a server on stdio behind HTTP, read_file of 1 KB, one session',
    against: "the SDK's sessions in front and its client behind, with nothing between",
    goal: '<= 1.5 x; ahead of the other gateways',
    lines: [...lines, ...peers.missing],
  };
}

/** The other gateways, or a line that says why there are none. */
export async function bring(stack, scene) {
  const { installed, problem } = await installPeers();
  if (installed === undefined) return { started: [], missing: [{ name: `other gateways: not measured (${problem})`, figures: [] }] };
  stack.use(installed);
  const peers = await startPeers({ ...scene, installed });
  for (const peer of peers.started) stack.use(peer);
  return peers;
}

/** As `place.config`, with the server behind devs. */
export function configure(place, args) {
  const file = place.inside('gateway.json');
  const config = { audit: { durability: 'process' }, mcpServers: { bare: { command: process.execPath, args } } };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
