// Other programs that stand in front of MCP servers. They come from npm when a row asks for them, and a row says so where they cannot be had.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import process from 'node:process';
import { installPackages } from '../scripts/lib/npm-folder.mjs';
import { startNode } from './child.mjs';
import { openHttp } from './http-client.mjs';
import { untilListening } from './rows/p9b-memory.mjs';
import { DEVS, serverFile } from './stdio-client.mjs';

const PACKAGES = { fastmcp: '4.20.16', 'mcp-proxy': '6.7.19', supergateway: '4.0.0' };
const START_MS = 30_000;
const AGAIN_MS = 100;

/** Name, the words after `node`, and where it listens. `server`: the words of the server behind it. */
const PEERS = [
  ['mcp-proxy', ({ file, port, server }) => [file('mcp-proxy', 'dist', 'bin', 'mcp-proxy.mjs'), '--host', '127.0.0.1', '--port', `${port}`, '--server', 'stream', '--', process.execPath, ...server]],
  [
    'supergateway',
    ({ file, port, server }) => {
      const words = [process.execPath, ...server].map((word) => JSON.stringify(word)).join(' ');
      return [file('supergateway', 'dist', 'index.js'), '--stdio', words, '--outputTransport', 'streamableHttp', '--stateful', '--port', `${port}`, '--logLevel', 'none'];
    },
  ],
  ['fastmcp, with tools that hand on', ({ file, port, server }) => [serverFile('fastmcp-proxy'), file('fastmcp', 'dist', 'FastMCP.js'), `${port}`, ...server]],
];

/** The packages, or why they are not there. */
export async function installPeers() {
  try {
    return { installed: await installPackages(PACKAGES) };
  } catch (cause) {
    return { problem: cause.message };
  }
}

/** Starts every peer in front of `server`. A peer that does not start is a line in the row, not its end. */
export async function startPeers({ installed, server, connections }) {
  const started = [];
  const missing = [];
  for (const [name, toWords] of PEERS) {
    try {
      const port = await freePort();
      const process_ = startNode(toWords({ file: installed.file, port, server }));
      started.push({ name, ...(await greetPeer(process_, { url: `http://127.0.0.1:${port}/mcp`, connections })) });
    } catch (cause) {
      missing.push({ name: `${name}: not measured`, figures: [cause.message.slice(0, 80)] });
    }
  }
  return { started, missing };
}

/** The floor: a proxy made of the SDK alone, over HTTP. */
export async function startFloor({ server, connections }) {
  const port = await freePort();
  const child = startNode([serverFile('bare-http-proxy'), `${port}`, ...server]);
  return greetPeer(child, { url: `http://127.0.0.1:${port}/mcp`, connections });
}

/** `devs serve --http` in front of the same server, whose tools are then named `bare__<tool>`. */
export async function startDevs({ place, config, connections }) {
  const state = place.inside('state');
  const args = [DEVS, 'serve', '--root', place.root, '--config', config, '--http', '127.0.0.1:0'];
  const child = startNode(args, { env: { DEVS_STATE_DIR: state, XDG_CONFIG_HOME: place.inside('config') } });
  const url = await untilListening(child);
  return greetPeer(child, { url, connections, token: readFileSync(`${state}/token`, 'utf8').trim() });
}

/** Async-disposable. Tries until it answers. */
async function greetPeer({ child, stop, said, exited }, { url, connections, token }) {
  const end = async () => stop('SIGTERM');
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  const client = openHttp(url, { token, connections });
  const start = performance.now();
  for (;;) {
    try {
      await client.greet();
      return {
        pid: child.pid,
        call: client.call,
        [Symbol.asyncDispose]: async () => {
          client[Symbol.dispose]();
          await end();
        },
      };
    } catch (cause) {
      if (hasEnded || performance.now() - start > START_MS) {
        await end();
        throw new Error(`${cause.message}. It said: ${said()}`, { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
