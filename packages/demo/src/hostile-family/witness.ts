import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ERROR_CODES, isRecord } from '@devs/core';
import type { Behaviour, Era, Must, Request } from './behaviour.ts';
import { BEHAVIOURS } from './behaviours.ts';
import type { Members } from './wire.ts';

/** Beside this file, as source or built. */
const SERVER = fileURLToPath(new URL(`./server${path.extname(fileURLToPath(import.meta.url))}`, import.meta.url));
/** Of a server that may keep its caller waiting; and of one that is only slow where the machine is. */
const SHORT_TIMEOUT_MS = 2_000;
const LONG_TIMEOUT_MS = 40_000;
const DEADLINE_MS = 60_000;
const AGAIN_MS = 200;
const MODERN = '2026-07-28';

/** In front of the hostile server: all servers of a configuration, or one alone. */
export type Subcommand = 'serve' | 'run';

export interface Witnessed {
  readonly held: boolean;
  /** What the client saw, or what is missing. */
  readonly saw: string;
}

export interface Scene {
  /** The built program. */
  readonly devs: string;
  readonly subcommand: Subcommand;
  readonly era: Era;
  /** Where its devs keeps its log, and its key. Default: in folders that go with the scene. */
  readonly keeps?: Keeps;
}

export interface Keeps {
  readonly state: string;
  readonly configuration: string;
}

/** Runs one of the family behind a devs of its own, asks what provokes it, and says whether it became what it must. */
export async function witness(name: string, scene: Scene): Promise<Witnessed> {
  const behaviour = BEHAVIOURS.get(name);
  if (behaviour === undefined) throw new Error(`there is no behaviour ${name}`);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'devs-hostile-'));
  try {
    await using client = new Witness(await toCommand(behaviour, scene, folder), { era: scene.era, capabilities: behaviour.client ?? {} });
    await client.greet();
    const first = await provoke(client, behaviour);
    if (!first.held) return first;
    const after = await client.ask({ method: 'tools/call', params: { name: scene.subcommand === 'serve' ? 'other__honest' : 'honest', arguments: {} } });
    const isHonest = scene.subcommand === 'serve' ? JSON.stringify(after ?? null).includes('an honest answer') : after !== undefined;
    if (!isHonest) return { held: false, saw: `afterwards: ${describe(after)}` };
    const leaked = (behaviour.never ?? []).find((mark) => client.said.includes(mark));
    return leaked === undefined ? first : { held: false, saw: `the client was told ${JSON.stringify(leaked)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function provoke(client: Witness, { name, provoke: { method, params }, must }: Behaviour): Promise<Witnessed> {
  const start = Date.now();
  // By this the call is found in a log that others write too.
  const request = { method, params: { ...params, _meta: { 'devs/context': { agentId: name } } } };
  // A client lists before it calls; some of them change when they are listed.
  if (request.method !== 'tools/list') await client.ask({ method: 'tools/list', params: {} });
  for (;;) {
    const answer = await client.ask(request);
    if (answer === undefined) return { held: false, saw: 'nothing, in time' };
    const held = isAsItMust(answer, must);
    const isLast = held || must.kind !== 'refused' || must.eventually !== true || Date.now() - start > DEADLINE_MS;
    if (isLast) return { held, saw: describe(answer) };
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function isAsItMust(answer: Members, must: Must): boolean {
  const text = JSON.stringify(answer);
  const isError = answer['error'] !== undefined || (isRecord(answer['result']) && answer['result']['isError'] === true);
  switch (must.kind) {
    case 'refused':
      return must.codes.some((code) => text.includes(ERROR_CODES[code].sentence));
    case 'answered':
      return !isError && text.includes(must.holds);
    case 'failed':
      return isError;
    default:
      return true;
  }
}

function describe(answer: Members | undefined): string {
  const text = JSON.stringify(answer) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** A tool that must be answered is given the time for it. */
function toTimeout({ must }: Behaviour): number {
  const mayTimeOut = must.kind === 'in time' || (must.kind === 'refused' && must.codes.includes('TOOL_TIMEOUT'));
  return mayTimeOut ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS;
}

async function toCommand(behaviour: Behaviour, { devs, subcommand, keeps }: Scene, folder: string): Promise<Command> {
  const root = path.join(folder, 'root');
  const config = path.join(folder, 'devs.json');
  const command = process.execPath;
  const hostile = [SERVER, behaviour.name, path.join(folder, 'lives')];
  // Whoever is configured first keeps what both claim.
  const mcpServers = { other: { command, args: [SERVER, 'honest'] }, hostile: { command, args: hostile, namespace: '' } };
  await mkdir(root);
  await writeFile(path.join(root, 'notes.txt'), 'a line that everybody may read\n');
  await writeFile(config, JSON.stringify({ limits: { toolTimeoutMs: toTimeout(behaviour) }, ...(subcommand === 'serve' && { mcpServers }) }), { mode: 0o600 });
  const args = [devs, subcommand, '--root', root, '--config', config, ...(subcommand === 'run' ? ['--', command, ...hostile] : [])];
  const { state, configuration } = keeps ?? { state: path.join(folder, 'state'), configuration: path.join(folder, 'none') };
  return { args, env: { ...process.env, DEVS_STATE_DIR: state, XDG_CONFIG_HOME: configuration } };
}

interface Command {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

interface Speaker {
  readonly era: Era;
  readonly capabilities: Members;
}

/** It asks for a list once, as Codex does: for such a client devs waits longer, on a slow machine too. */
const CLIENT_INFO = { name: 'codex-like-witness', version: '1' };

/** A client that keeps all that it is told. It says yes to every question. */
class Witness implements AsyncDisposable {
  said = '';
  readonly #child: ChildProcess;
  readonly #speaker: Speaker;
  readonly #waiting = new Map<unknown, (answer: Members | undefined) => void>();
  #lastId = 0;

  constructor({ args, env }: Command, speaker: Speaker) {
    this.#speaker = speaker;
    this.#child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdin?.on('error', () => undefined);
    if (this.#child.stdout === null) throw new Error('the child has no standard output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line));
    this.#child.once('exit', () => this.#waiting.forEach((resolve) => resolve(undefined)));
  }

  async greet(): Promise<void> {
    const { era, capabilities } = this.#speaker;
    if (era === 'modern') return;
    await this.ask({ method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: CLIENT_INFO } });
    this.#send({ method: 'notifications/initialized' });
  }

  /** Undefined when nothing is answered in time. A call that wants input is made again, with what it wants. */
  async ask(request: Request, rounds = 3): Promise<Members | undefined> {
    const answer = await this.#once(request);
    const result = answer?.['result'];
    if (rounds === 0 || !isRecord(result) || result['resultType'] !== 'input_required') return answer;
    const questions = isRecord(result['inputRequests']) ? result['inputRequests'] : {};
    const inputResponses = Object.fromEntries(Object.keys(questions).map((key) => [key, YES]));
    const params = { ...request.params, inputResponses, requestState: result['requestState'] };
    return this.ask({ method: request.method, params }, rounds - 1);
  }

  async #once({ method, params }: Request): Promise<Members | undefined> {
    if (this.#isGone) return undefined;
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Members | undefined>();
    this.#waiting.set(id, resolve);
    const { era, capabilities } = this.#speaker;
    const modern = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': capabilities, 'io.modelcontextprotocol/clientInfo': CLIENT_INFO };
    this.#send({ id, method, params: era === 'modern' ? { ...params, _meta: { ...(isRecord(params['_meta']) && params['_meta']), ...modern } } : params });
    const late = setTimeout(resolve, DEADLINE_MS, undefined);
    return promise.finally(() => clearTimeout(late));
  }

  #send(message: Members): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #hear(line: string): void {
    this.said += `${line}\n`;
    const message: unknown = JSON.parse(line);
    if (!isRecord(message) || message['id'] === undefined) return;
    if (message['method'] !== undefined) return this.#send({ id: message['id'], result: YES });
    this.#waiting.get(message['id'])?.(message);
    this.#waiting.delete(message['id']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    if (!this.#isGone) await once(this.#child, 'exit');
  }

  get #isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

const YES: Members = { action: 'accept', content: { a: 'x' } };
