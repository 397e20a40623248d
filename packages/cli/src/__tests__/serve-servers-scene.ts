import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { McpServerConfig } from '@devs/core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { untilSaid, type Project } from './devs.ts';
import { LISTING_ONCE, writeOperatorFile } from './test-client.ts';

const HOSTILE_SERVER = path.resolve(__dirname, '../../../mcp/src/upstream/__tests__/hostile-server.mjs');
const NOTES_SERVER = path.join(__dirname, 'notes-server.mjs');

export const notesServer = (...args: readonly string[]): McpServerConfig => ({ command: process.execPath, args: [NOTES_SERVER, ...args] });
export const hostileServer = (...args: readonly string[]): McpServerConfig => ({ command: process.execPath, args: [HOSTILE_SERVER, ...args] });
/** One that is not there. */
export const goneServer: McpServerConfig = { command: 'no-such-command-of-devs' };

export interface Served extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: URL;
  /** Of the operator's port, with `--operator` alone. */
  readonly operatorUrl: string;
  /** The token of the first start. */
  readonly token: string;
}

/** The real command over HTTP, in front of servers. */
export async function serveHttp(project: Project, config: object, more: readonly string[] = []): Promise<Served> {
  const child = project.start(['serve', '--http', '0', '--config', writeOperatorFile(project, config), ...more]);
  const [said, url = ''] = await untilSaid(child, /at (http:\/\/127\.0\.0\.1:\d+\/mcp)\n[^]*Ctrl-C/);
  child.stderr.resume();
  return {
    child,
    url: new URL(url),
    operatorUrl: /(http:\S+)\/health/.exec(said)?.[1] ?? '',
    token: (await readFile(path.join(project.state, 'token'), 'utf8')).trim(),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

export interface HttpClient extends AsyncDisposable {
  readonly client: Client;
  /** Ends its session. */
  leave(): Promise<void>;
}

export async function joinHttp({ url }: Served, token: string): Promise<HttpClient> {
  const client = new Client(LISTING_ONCE);
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } });
  await client.connect(transport);
  return {
    client,
    leave: async () => {
      await transport.terminateSession();
      await client.close();
    },
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** What `devs tokens add` prints. */
export async function addToken(project: Project, name: string, ...scope: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.run(['tokens', 'add', name, ...scope]);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

export async function namesOf(client: Client): Promise<readonly string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name);
}

/** The words of the first block. */
export async function wordsOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const text = String(Object(content)[0]?.text ?? '');
  return text.replace(/^<external-content-[^>]*>\n/, '').replace(/\n<\/external-content-[^>]*>$/, '');
}

/** Of the process of the hostile server that works for this client, and of what it has started. */
export async function pidsOf(client: Client, server = 'hostile'): Promise<readonly number[]> {
  return JSON.parse(await wordsOf(client, `${server}__pids`));
}
