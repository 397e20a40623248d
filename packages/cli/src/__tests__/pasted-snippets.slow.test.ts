import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { clientSnippets } from '../terminal/client-snippets.ts';
import { untilSaid } from './devs.ts';
import { clientEnvironment } from './test-client.ts';

const REPOSITORY = path.resolve(__dirname, '..', '..', '..', '..');
const SERVER = path.resolve(__dirname, 'notes-server.mjs');
/** As the pages have it, of which a client of theirs would be shown the real one. */
const ADDRESS = 'http://127.0.0.1:7337/mcp';
/** How each client writes a variable of its environment. It knows no other's way. */
const REFERENCES = new Map([['Cursor', '${env:DEVS_TOKEN}'], ['VS Code', '${input:devs-token}'], ['Codex', 'DEVS_TOKEN']]);
const CONFIG = JSON.stringify({ mcpServers: { notes: { command: 'notes-server' } } });

/** Blocks that are not pasted here, and why. One that is in no page any more is a fault. */
const NOT_RUN = new Map<string, string>([
  ['README.md: npm start     # sets up', 'sets up, builds and serves for good; CI begins with npm test, and start-up is below'],
  ['README.md: devs demo', 'takes a minute; demo.test.ts runs it'],
  ['README.md: devs agent "Which', 'asks the API of a model'],
  ['docs/guide/agent.md: export ANTHROPIC_API_KEY', 'asks the API of a model'],
  ['docs/security/audit-log.md: journalctl -t devs', 'reads the journal of the machine; guide-audit-log.slow.test.ts verifies a copy'],
  ['docs/guide/gateway.md: {', 'no client’s file but devs.config.json: guide-gateway.slow.test.ts uses it'],
  ['docs/guide/keeping-the-log.md: {', 'devs.config.json: guide-keeping-the-log.slow.test.ts uses it'],
  ['docs/guide/validation.md: {', 'devs.config.json: guide-validation.slow.test.ts uses it'],
  ['docs/guide/web-fetch.md: {', 'devs.config.json, whose hosts are on the network; config-docs.test.ts checks its keys'],
  ['docs/security/audit-log.md: {', 'a record of the log'],
  ['docs/security/output-sanitization.md: ', 'devs.config.json, and texts before and after cleaning: security-page.test.ts'],
  ['docs/security/sandbox.md: {', 'devs.config.json'],
]);

interface Snippet {
  readonly page: string;
  /** The client whose file it is, as the page, the row or the line before it says. */
  readonly client: string;
  readonly language: string;
  readonly text: string;
}

const PAGES = ['README.md', 'packages/cli/README.md', ...globSync('docs/{guide,guide/clients,security}/*.md', { cwd: REPOSITORY }).sort()];
const snippets: readonly Snippet[] = PAGES.flatMap((page) => {
  const text = readFileSync(path.join(REPOSITORY, page), 'utf8');
  const client = /^# devs in (.*)$/m.exec(text)?.[1] ?? '';
  const blocks = [...text.matchAll(/^```(json|toml|sh)\n(.*?)^```$/gms)].map(([, language = '', block = '']) => ({ page, client, language, text: block }));
  const cells = [...text.matchAll(/^\| ([^|]+) \|.*`(\{.*\})` \|$/gm)].map(([, name = '', cell = '']) => ({ page, client: name, language: 'json', text: cell }));
  return [...blocks, ...cells];
});
const keyOf = ({ page, text }: Snippet) => [...NOT_RUN.keys()].find((key) => `${page}: ${text}`.startsWith(key));
const pasted = snippets.filter((snippet) => keyOf(snippet) === undefined);

let place: string;
let root: string;
let environment: Record<string, string>;
let server: ChildProcessWithoutNullStreams;
let url: string;
let startUp: string;

function install(name: string): void {
  const file = path.join(place, 'bin', name);
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${SERVER}'\n`);
  chmodSync(file, 0o755);
}

interface Ended {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs what a person pastes into a shell. By default one in which the line of `npm start` was pasted before. */
async function paste(text: string, { cwd = root, env = environment } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-e', '-c', text], { cwd, env, encoding: 'utf8', timeout: 60_000 }, (cause, stdout, stderr) => resolve({ failed: cause !== null, stdout, stderr }));
  });
}

beforeAll(async () => {
  place = mkdtempSync(path.join(os.tmpdir(), "devs it's pasted "));
  root = path.join(place, 'a project');
  for (const folder of [root, path.join(place, 'bin'), path.join(place, 'config', 'devs')]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(root, 'README.md'), 'A project.\n');
  writeFileSync(path.join(place, 'config', 'devs', 'devs.config.json'), CONFIG);
  for (const name of ['notes-server', 'npx']) install(name);
  // The repository in a folder whose name a shell would take apart.
  symlinkSync(REPOSITORY, path.join(place, 'repository'));
  const base = { ...clientEnvironment({ root, state: path.join(place, 'state') }), HOME: place };
  const before = { ...base, PATH: `${path.join(place, 'bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin` };
  const asked = `import { pathLine } from './scripts/lib/path-line.mjs'; console.log(pathLine(process.env.FOLDER));`;
  const { stdout: line } = await paste(`node --input-type=module -e "${asked}"`, { cwd: REPOSITORY, env: { ...before, FOLDER: path.join(place, 'repository', 'bin') } });
  environment = { ...before, PATH: (await paste(`${line}printf %s "$PATH"`, { env: before })).stdout };
  server = spawn('devs', ['serve', '--http', '127.0.0.1:0'], { cwd: root, env: environment });
  [startUp = '', url = ''] = await untilSaid(server, /[^]*at (http:\S+)[^]*Ctrl-C stops it\./);
});

afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill();
  await ended;
  rmSync(place, { recursive: true, force: true });
});

async function toolsOf(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<readonly string[]> {
  const client = new Client({ name: 'a client', version: '1' });
  try {
    await client.connect(transport);
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

/** The servers of a client's file, JSON or TOML. */
function serversIn({ language, text }: Snippet): readonly Record<string, unknown>[] {
  if (language === 'toml') return [Object.fromEntries([...text.matchAll(/^(\w+) = (.+)$/gm)].map(([, name = '', value = '']): [string, unknown] => [name, JSON.parse(value)]))];
  const file: unknown = JSON.parse(text);
  const { mcpServers, servers } = isRecord(file) ? file : {};
  return Object.values(Object(mcpServers ?? servers)).filter(isRecord);
}

/** Pages have entries in common: each is used once. */
const used = new Map<string, Promise<readonly string[]>>();

async function useOnce(entry: Readonly<Record<string, unknown>>, client: string): Promise<readonly string[]> {
  const key = JSON.stringify([entry['command'], entry['args'], entry['url'], entry['headers']]);
  const tools = used.get(key) ?? useServer(entry, client);
  used.set(key, tools);
  return tools;
}

/** Starts or reaches one server as the client of the page would, and lists its tools. */
async function useServer(entry: Readonly<Record<string, unknown>>, client: string): Promise<readonly string[]> {
  if (entry['command'] !== undefined) {
    expect(entry['command']).toBe('devs');
    const args = Array.isArray(entry['args']) ? entry['args'].map((word) => String(word).replaceAll('${workspaceFolder}', root)) : [];
    return toolsOf(new StdioClientTransport({ command: 'devs', args, env: environment, cwd: root, stderr: 'ignore' }));
  }
  const token = (await paste(exportLine(startUp))).stdout.trim();
  // Gemini CLI takes `url` for the older transport.
  expect([ADDRESS, url]).toContain(entry[client === 'Gemini CLI' ? 'httpUrl' : 'url']);
  const reference = REFERENCES.get(client) ?? '${DEVS_TOKEN}';
  const { headers, bearer_token_env_var: variable } = entry;
  const authorization = isRecord(headers) ? String(headers['Authorization']).replaceAll(reference, token) : variable === reference ? `Bearer ${token}` : '';
  return toolsOf(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }));
}

/** What the start-up says to paste, and what it sets. */
function exportLine(said: string): string {
  return `${/^ {2}(export DEVS_TOKEN=.*)$/m.exec(said)?.[1] ?? 'false'}\nprintf %s "$DEVS_TOKEN"`;
}

it('knows each block that it does not paste, with a reason', () => {
  expect([...NOT_RUN.keys()].filter((key) => !snippets.some((snippet) => keyOf(snippet) === key))).toEqual([]);
  expect(pasted.length).toBeGreaterThan(20);
});

it.each(pasted.filter(({ language }) => language !== 'sh').map((snippet): [string, string, Snippet] => [snippet.page, snippet.text.replaceAll(/\s+/g, ' ').slice(0, 60), snippet]))(
  '%s: %s reaches a server that lists its tools',
  async (_page, _start, snippet) => {
    const servers = serversIn(snippet);
    expect(servers.length).toBeGreaterThan(0);
    for (const entry of servers) {
      const isGuard = Array.isArray(entry['args']) && entry['args'][0] === 'run';
      expect(await useOnce(entry, snippet.client)).toEqual(expect.arrayContaining(isGuard ? ['read_more', 'find'] : ['read_file', 'notes__find']));
    }
  },
);

it.each(pasted.filter(({ language }) => language === 'sh').map((snippet): [string, string, Snippet] => [snippet.page, snippet.text.split('\n')[0] ?? '', snippet]))(
  '%s: %s … works in a shell',
  async (page, _start, { text }) => {
    // The server of this page runs until it is stopped: it is asked to be, and the lines behind it are run beside it.
    const lines = text.replace(/^devs serve --http 7337$/m, 'devs serve --http 127.0.0.1:0 & pid=$!').concat('if [ -n "${pid-}" ]; then sleep 1; kill "$pid"; wait "$pid" || true; fi\n');
    const isToken = /^export DEVS_TOKEN/m.test(text);
    const { failed, stdout, stderr } = await paste(isToken ? `${lines}printf %s "$DEVS_TOKEN"` : lines, { cwd: page === 'README.md' ? REPOSITORY : root });
    expect({ failed, stderr: failed ? stderr : '' }).toEqual({ failed: false, stderr: '' });
    if (isToken) expect(stdout).toMatch(/^\S{40,}$/);
  },
);

it('what the start-up prints for clients works, the token’s line and each file', async () => {
  const files = startUp.split('\n').flatMap((line, index, lines) => (line.startsWith('  {') ? [{ page: 'start-up', client: lines[index - 1]?.split(',')[0] ?? '', language: 'json', text: line.trim() }] : []));
  expect(files).toHaveLength(3);
  expect(startUp).toContain(clientSnippets({ url, tokenFile: path.join(place, 'state', 'token') }).join('\n'));
  for (const file of files) for (const entry of serversIn(file)) expect(await useServer(entry, file.client)).toContain('read_file');
});

it('npm start prints the line that puts devs on the PATH, whatever the folder is called', async () => {
  expect(readFileSync(path.join(REPOSITORY, 'scripts', 'start.mjs'), 'utf8')).toContain('pathLine()');
  expect((await paste('command -v devs')).stdout.trim()).toBe(path.join(place, 'repository', 'bin', 'devs'));
  expect((await paste('devs --version')).stdout.trim()).toBe('0.1.0');
});
