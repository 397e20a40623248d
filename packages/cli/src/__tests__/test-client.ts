import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@devs/core';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Project } from './devs.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');

export interface Answer {
  /** Of each block of text. */
  readonly texts: readonly string[];
  /** The first block of text. */
  readonly text: string;
  /** All of it as the client got it. */
  readonly all: string;
}

/** A client at the real command, over its standard input and output. */
export interface TestClient extends AsyncDisposable {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
}

/** devs waits as long for slow servers with a list as with a call, as for Codex: no result depends on how fast the machine is. */
export const LISTING_ONCE = Object.freeze({ name: 'codex-like-test', version: '1' });

/** The little that a client hands to a server, and the cache of compiled modules: compiling is a fifth of a start. */
export function clientEnvironment({ root, state }: Pick<Project, 'root' | 'state'>): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE: compiled } = process.env;
  const cache = compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled };
  return { PATH, ...cache, DEVS_STATE_DIR: state, XDG_CONFIG_HOME: path.join(root, '..', 'config') };
}

/** @param args of `devs` */
export async function openTestClient(project: Project, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<TestClient> {
  const { root } = project;
  const client = new Client(LISTING_ONCE);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, ...args], env: { ...clientEnvironment(project), ...env }, cwd: root, stderr: 'ignore' }));
  return {
    client,
    call: async (name, asked = {}) => toAnswer(await client.callTool({ name, arguments: asked })),
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

export function toAnswer(result: unknown): Answer {
  const { content = [] } = isRecord(result) ? result : {};
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []));
  return { texts, text: texts[0] ?? '', all: JSON.stringify(result) };
}

/** Without the boundary around it, if there is one. */
export function unwrapped(text: string): string {
  return text.replace(/^<external-content-[^>]*>\n/, '').replace(/\n<\/external-content-[^>]*>$/, '');
}

/** A file that an operator names with `--config`, outside of the project. */
export function writeOperatorFile({ outside }: Project, config: object): string {
  const file = path.join(outside, 'operator.config.json');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** Every byte that is kept in the state folder, the log's write-ahead file too. */
export function keptBytes({ state }: Project): string {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1')).join('\n');
}
