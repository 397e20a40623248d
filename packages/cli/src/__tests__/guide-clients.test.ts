import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { untilSaid } from './devs.ts';
import { createGuidePlace, readGuide, type GuidePlace } from './guide-page.ts';

const SERVER = path.resolve(__dirname, 'notes-server.mjs');
const CONFIG = JSON.stringify({ mcpServers: { notes: { command: 'notes-server' } } });
/** As the pages have it, of which a client of theirs would be shown the real one. */
const ADDRESS = 'http://127.0.0.1:7337/mcp';

/** One entry of a page, with what the client of that page puts into its texts. */
type Entry = Readonly<Record<string, unknown>>;

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

let place: GuidePlace;
let served: Served;
beforeAll(async () => {
  place = await createGuidePlace({});
  await place.install('notes-server', [SERVER]);
  await place.run({ command: 'true', output: '', config: CONFIG });
  served = await serve(place);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

async function serve({ root, environment }: GuidePlace): Promise<Served> {
  const child = spawn('devs', ['serve', '--http', '127.0.0.1:0'], { cwd: root, env: environment });
  const [, url = '', tokenFile = ''] = await untilSaid(child, /at (http:\S+)[^]*\$\(cat '?([^')]+)'?\)/);
  return {
    url,
    token: (await readFile(tokenFile, 'utf8')).trim(),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** The servers in the blocks of a page. Of TOML, tables whose values are written as JSON has them. */
async function readEntries(page: string): Promise<readonly Entry[]> {
  const blocks = [...(await readGuide(`clients/${page}`)).matchAll(/^```(json|toml)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, kind, block = '']) => (kind === 'json' ? entriesOf(JSON.parse(block)) : [parseTable(block)]));
}

function entriesOf(file: unknown): readonly Entry[] {
  const { mcpServers, servers } = isRecord(file) ? file : {};
  return Object.values(Object(mcpServers ?? servers)).filter(isRecord);
}

function parseTable(block: string): Entry {
  return Object.fromEntries([...block.matchAll(/^(\w+) = (.+)$/gm)].map(([, name = '', value = '']): [string, unknown] => [name, JSON.parse(value)]));
}

/** As the page says that its client does: each writes a reference in its own way, and knows no other's. */
function expand(text: string, reference: string): string {
  return text.replaceAll(reference, served.token).replaceAll('${workspaceFolder}', place.root);
}

async function toolsOf(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<readonly string[]> {
  const client = new Client({ name: 'a client', version: '1' });
  try {
    await client.connect(transport);
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

async function start({ command, args }: Entry): Promise<readonly string[]> {
  const words = Array.isArray(args) ? args.map((word) => expand(String(word), 'none')) : [];
  return toolsOf(new StdioClientTransport({ command: String(command), args: words, env: { ...place.environment }, cwd: place.root, stderr: 'ignore' }));
}

/** @param member in which the client looks for the address */
async function reach(entry: Entry, member: string, reference: string): Promise<readonly string[]> {
  expect(entry[member]).toBe(ADDRESS);
  const { headers, bearer_token_env_var: variable } = entry;
  const authorization = isRecord(headers) ? expand(String(headers['Authorization']), reference) : variable === reference ? `Bearer ${served.token}` : '';
  return toolsOf(new StreamableHTTPClientTransport(new URL(served.url), { requestInit: { headers: { authorization } } }));
}

describe('docs/guide/clients', () => {
  it.each([
    ['claude-code.md', 'url', '${DEVS_TOKEN}'],
    ['cursor.md', 'url', '${env:DEVS_TOKEN}'],
    ['vs-code.md', 'url', '${input:devs-token}'],
    ['codex.md', 'url', 'DEVS_TOKEN'],
    ['gemini.md', 'httpUrl', '${DEVS_TOKEN}'],
  ])('%s shows entries by which servers are reached', async (page, member, reference) => {
    const [gateway = {}, guard = {}, running = {}, ...others] = await readEntries(page);
    expect(others).toEqual([]);
    expect(await start(gateway)).toEqual(expect.arrayContaining(['read_file', 'notes__find']));
    expect(await start(guard)).toEqual(expect.arrayContaining(['read_more', 'find']));
    expect(await reach(running, member, reference)).toEqual(expect.arrayContaining(['read_file', 'notes__find']));
  });
});
