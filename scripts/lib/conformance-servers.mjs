// What the suite is run against: the fixture behind devs, and the fixture alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { findNode } from './find-node.mjs';
import { inRepository } from './repository.mjs';

const FIXTURES = inRepository('packages', 'mcp', 'src', '__tests__', 'fixtures');
export const FIXTURE_SERVER = path.join(FIXTURES, 'conformance-server.mjs');
export const FIXTURE_CLIENT = path.join(FIXTURES, 'conformance-client.mjs');
export const DEVS = inRepository('packages', 'cli', 'dist', 'main.js');
const START_MS = 30_000;
const END_MS = 10_000;

/**
 * devs, over HTTP, in front of the fixture. Without a token: the suite cannot send one.
 * @param {string | undefined} boundaries undefined: as by default
 */
export async function startDevs(boundaries) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devs-conformance-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  mkdirSync(path.join(folder, 'root'));
  const mcpServers = { fixture: { command: findNode(), args: [FIXTURE_SERVER], namespace: '' } };
  const config = { mcpServers, ...(boundaries !== undefined && { sanitize: { boundaries } }) };
  writeFileSync(path.join(folder, 'devs.json'), JSON.stringify(config), { mode: 0o600 });
  const args = [DEVS, 'serve', '--http', '127.0.0.1:0', '--no-auth', '--root', path.join(folder, 'root'), '--config', path.join(folder, 'devs.json')];
  const env = { ...process.env, DEVS_STATE_DIR: path.join(folder, 'state'), XDG_CONFIG_HOME: path.join(folder, 'config') };
  const clean = () => {
    process.removeListener('exit', remove);
    remove();
  };
  return start({ args, env, url: / at (http:\S+)\n[^]*Ctrl-C/, clean });
}

/** The fixture with nothing before it. */
export async function startAlone() {
  return start({ args: [path.join(FIXTURES, 'conformance-http.mjs')], env: process.env, url: /^(http:\S+)\n/, clean: () => undefined });
}

async function start({ args, env, url, clean }) {
  const child = spawn(findNode(), args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const closed = once(child, 'close').finally(() => process.removeListener('exit', kill));
  const stop = async () => {
    const late = setTimeout(kill, END_MS);
    child.kill('SIGTERM');
    await closed.finally(() => clearTimeout(late));
    clean();
  };
  try {
    return { url: await untilSaid(child, { closed, pattern: url }), [Symbol.asyncDispose]: stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function untilSaid(child, { closed, pattern }) {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers();
  const fail = (why) => reject(new Error(`${child.spawnargs[1]} ${why}. It said: ${said.slice(-4_000)}`));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      said = (said + chunk).slice(-100_000);
      const found = pattern.exec(said);
      if (found !== null) resolve(found[1]);
    });
  }
  const late = setTimeout(() => fail('has not told its address'), START_MS);
  void closed.then(() => fail('ended'));
  return promise.finally(() => clearTimeout(late));
}
