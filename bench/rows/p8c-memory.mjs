import process from 'node:process';
import { startDevs, startFloor } from '../peers.mjs';
import { FILE, makePlace } from '../place.mjs';
import { DEVS, serverFile, startServer } from '../stdio-client.mjs';
import { bring, configure } from './p8b-serve.mjs';
import { follow } from './p9b-memory.mjs';

const AT_ONCE = 32;
const read = (name) => ({ name, arguments: { path: FILE } });

/** What a gateway itself holds after many calls of a server behind it. */
export async function measureGatewayMemory() {
  const row = {
    id: 'P8c',
    title: `memory of a gateway after calls of read_file of 1 KB, ${AT_ONCE} at once, log process-safe: resident now, and at most`,
    against: 'nothing; proxies made of the SDK alone and other gateways stand beside it',
    goal: '<= 150 MB, flat',
  };
  if (process.platform !== 'linux') return { ...row, lines: [{ name: 'not measured: this system has no /proc', figures: [] }] };
  return { ...row, lines: [...(await measureRun()), ...(await measureServed())] };
}

async function measureRun() {
  using place = makePlace();
  const bare = [serverFile('bare-sdk'), place.root];
  const words = [DEVS, 'run', '--root', place.root, '--config', place.config, '--', process.execPath, ...bare];
  await using proxy = await startServer([serverFile('bare-proxy'), ...bare]);
  const floor = await follow('SDK server and client as a proxy, stdio', proxy.pid, async () => proxy.call(read('read_file')));
  await using server = await startServer(words, { env: { DEVS_STATE_DIR: place.inside('state'), XDG_CONFIG_HOME: place.inside('config') } });
  return [...floor, ...(await follow('devs run', server.pid, async () => server.call(read('read_file'))))];
}

async function measureServed() {
  using place = makePlace();
  await using stack = new AsyncDisposableStack();
  const server = [serverFile('bare-sdk'), place.root];
  const scene = { server, connections: AT_ONCE };
  const devs = stack.use(await startDevs({ ...scene, place, config: configure(place, server) }));
  const floor = stack.use(await startFloor(scene));
  const lines = await follow('SDK server and client as a proxy, HTTP', floor.pid, async () => floor.call('legacy', read('read_file')));
  lines.push(...(await follow('devs serve --http', devs.pid, async () => devs.call('legacy', read('bare__read_file')))));
  const peers = await bring(stack, scene);
  for (const { name, pid, call } of peers.started) lines.push(...(await follow(name, pid, async () => call('legacy', read('read_file')))));
  return [...lines, ...peers.missing];
}
