// Published servers without devs and behind it, driven by the official inspector: every difference, member by member.
// usage: node scripts/compare-servers.mjs [--front run|serve] [<server>…]      (devs has to be built)
// DEVS_PEERS_DIR names a folder in which the packages stay for the next run. Differences fail nothing: they are to be read.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { text as readAll } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { PACKAGES, SERVERS } from './lib/compared-servers.mjs';
import { differences, showDifference } from './lib/differences.mjs';
import { findNode } from './lib/find-node.mjs';
import { installPackages } from './lib/npm-folder.mjs';
import { main } from './lib/processes.mjs';
import { inRepository } from './lib/repository.mjs';

const DEVS = inRepository('packages', 'cli', 'dist', 'main.js');
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
/** The namespace of a server behind `devs serve`. */
const NAME = 's';
const LISTS = /^(tools|prompts|resources|resourceTemplates)$/;
/** What stands beside a server's own tools behind `devs run`. */
const READ_MORE = 'read_more';
const { values, positionals } = parseArgs({ options: { front: { type: 'string' } }, allowPositionals: true });

await main(async () => {
  using installed = await installPackages(PACKAGES);
  using place = createPlace();
  for (const server of SERVERS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) await compareServer(server, { installed, place });
  return 0;
});

async function compareServer(server, scene) {
  const alone = await askAll(server, scene, 'alone');
  for (const front of ['run', 'serve'].filter((name) => values.front === undefined || values.front === name)) {
    const behind = await askAll(server, scene, front);
    const found = alone.map(({ title, answer }, index) => ({ title, lines: differences(answer, behind[index].answer).map(showDifference) })).filter(({ lines }) => lines.length > 0);
    const added = [...new Set(behind.flatMap(({ own }) => own))].join(', ');
    process.stdout.write(`\n${server.name} behind devs ${front}: ${alone.length - found.length} of ${alone.length} answers the same, but for what devs adds: ${added}\n`);
    for (const { title, lines } of found) process.stdout.write(`  ${title}\n${lines.map((line) => `      ${line}\n`).join('')}`);
  }
}

/** Every request of a server in turn, each by an inspector of its own; the folder is as it was at first. */
async function askAll({ name, requests, start }, { installed, place }, front) {
  const folder = place.renew();
  const { args, env = {} } = start(installed.file, folder);
  const server = { command: findNode(), args, env };
  const config = place.write(`inspector-${name}-${front}.json`, { mcpServers: { server: throughFront(server, place, front) } });
  const inspector = installed.file('@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
  const named = (plain) => (front === 'serve' ? `${NAME}__${plain}` : plain);
  const answers = [];
  for (const { title, words } of requests(folder)) {
    const answer = await ask([inspector, '--cli', '--config', config, '--server', 'server', ...words(named)], place.environment);
    answers.push({ title, answer: toComparable(answer, front), own: front === 'alone' ? [] : ownOf(answer, front) });
  }
  return answers;
}

function throughFront({ command, args, env }, place, front) {
  const options = ['--root', place.root, '--config', place.write(`devs-${front}.json`, toConfig({ command, args, env }, front))];
  if (front === 'run') return { command, args: [DEVS, 'run', ...options, '--', command, ...args], env: { ...place.environment, ...env } };
  if (front === 'serve') return { command, args: [DEVS, 'serve', ...options], env: place.environment };
  return { command, args, env };
}

function toConfig(server, front) {
  const sanitize = { boundaries: 'on-request' };
  return front === 'serve' ? { mcpServers: { [NAME]: server }, sanitize } : { sanitize };
}

async function ask(args, environment) {
  const child = spawn(findNode(), args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  const [stdout, stderr, code] = await Promise.all([readAll(child.stdout), readAll(child.stderr), new Promise((resolve) => child.once('close', resolve))]);
  // What went wrong is one JSON line on standard error, among others.
  const failure = stderr.split('\n').find((line) => line.startsWith('{"error"'));
  return { code, ...parse(code === 0 ? stdout : (failure ?? stderr)) };
}

function parse(text) {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { text };
  }
}

/** Lists by name, with their order; names as the server has them; without the time of day, and without what devs adds. */
function toComparable({ code, json = {}, text }, front) {
  const { _meta, ...rest } = json;
  const foreign = Object.entries(_meta ?? {}).filter(([key]) => front === 'alone' || !key.startsWith('devs/'));
  const members = Object.entries(rest).map(([key, value]) => [key, LISTS.test(key) && Array.isArray(value) ? toNamed(value, { key, front }) : value]);
  const whole = { code, ...Object.fromEntries(members), ...(foreign.length > 0 && { _meta: Object.fromEntries(foreign) }), ...(text !== undefined && { text }) };
  const said = JSON.stringify(whole).replaceAll(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, '<time>');
  // The inspector's own sentences name the tool as it was asked for.
  return JSON.parse(front === 'serve' ? said.replaceAll(`'${NAME}__`, "'") : said);
}

function toNamed(entries, { key, front }) {
  const plain = (name) => (front === 'serve' && name.startsWith(`${NAME}__`) ? name.slice(NAME.length + 2) : name);
  const named = entries
    .filter((entry) => key !== 'tools' || !isOwnTool(entry, front))
    .map((entry) => [plain(entry.uri ?? entry.uriTemplate ?? entry.name), { ...entry, name: plain(entry.name) }]);
  return { order: named.map(([name]) => name), ...Object.fromEntries(named) };
}

function isOwnTool({ name }, front) {
  return front === 'serve' ? !name.startsWith(`${NAME}__`) : front === 'run' && name === READ_MORE;
}

/** What devs added to an answer: members of `_meta`, and tools. */
function ownOf({ json = {} }, front) {
  const tools = (json.tools ?? []).filter((tool) => isOwnTool(tool, front)).map(({ name }) => `the tool ${name}`);
  return [...Object.keys(json._meta ?? {}).filter((key) => key.startsWith('devs/')).map((key) => `_meta ${key}`), ...tools];
}

/** Disposable. The folder that servers work in is always the same one: its path is part of what they answer. */
function createPlace() {
  const top = mkdtempSync(path.join(os.tmpdir(), 'devs-compare-'));
  const remove = () => rmSync(top, { recursive: true, force: true });
  process.once('exit', remove);
  const root = path.join(top, 'root');
  const folder = path.join(root, 'work');
  const inside = (name) => path.join(top, name);
  return {
    root,
    environment: { HOME: inside('home'), DEVS_STATE_DIR: inside('state'), XDG_CONFIG_HOME: inside('config'), MCP_INSPECTOR_SECRET_STORE: 'memory' },
    write: (name, value) => {
      writeFileSync(inside(name), JSON.stringify(value), { mode: 0o600 });
      return inside(name);
    },
    renew: () => {
      // devs's own memory all together: it starts on no log that is shorter than it remembers.
      for (const each of [root, inside('state'), inside('config')]) rmSync(each, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'notes.txt'), 'first line\nsecond line — 素早い\n');
      writeFileSync(path.join(folder, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
      return folder;
    },
    [Symbol.dispose]: () => {
      process.removeListener('exit', remove);
      remove();
    },
  };
}
