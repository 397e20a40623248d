import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AgentLogEntry, AgentLogReader } from '@devs/core';
import type { Behaviour } from './hostile-family/behaviour.ts';
import { witness, type Witnessed } from './hostile-family/witness.ts';
import { HttpTestClient } from './http-test-client.ts';
import { LineClient } from './line-client.ts';

const HOSTILE_SERVER = fileURLToPath(new URL('./hostile-server.js', import.meta.url));
/** Neither a NUL, nor a byte that no UTF-8 has, nor half a character, nor a lone surrogate is text. */
const NO_TEXT = [0x66, 0xff, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x6f];

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StageOptions {
  /** The file that Node starts for the devs that is attacked. */
  readonly main: string;
  /** Opens the call log that this devs writes, to read it. */
  openLog(options: { readonly file: string }): AgentLogReader & AsyncDisposable;
  /** Delete the folder with the stage. By default it stays, because the demo points to the log in it. */
  readonly discard: boolean;
}

/** A project, something beside it that must stay secret, and a devs of its own. */
export class Stage implements AsyncDisposable {
  readonly place: string;
  /** Stands in a file outside the project; no answer may ever hold it. */
  readonly secret = `secret-${randomBytes(8).toString('hex')}`;
  readonly #clients: LineClient[] = [];
  readonly #seen = new Set<string>();
  #agent: LineClient | undefined;
  #agentAtHome: LineClient | undefined;
  #victim: LineClient | undefined;
  #httpClient: HttpTestClient | undefined;

  readonly #options: StageOptions;

  private constructor(place: string, options: StageOptions) {
    this.place = place;
    this.#options = options;
  }

  static async create(options: StageOptions): Promise<Stage> {
    const stage = new Stage(await mkdtemp(path.join(os.tmpdir(), 'devs-demo-')), options);
    for (const folder of [stage.root, stage.#outside, stage.state]) await mkdir(folder, { mode: 0o700 });
    const secretFile = path.join(stage.#outside, 'secret.txt');
    await writeFile(secretFile, stage.secret);
    await writeFile(path.join(stage.root, 'notes.txt'), 'a line that everybody may read\n');
    await writeFile(path.join(stage.root, 'bytes.bin'), Buffer.from(NO_TEXT));
    await writeFile(path.join(stage.root, 'settings.env'), `TOKEN=${['ghp', randomBytes(18).toString('hex')].join('_')}\n`);
    await symlink(secretFile, path.join(stage.root, 'link.txt'));
    // As package managers link what they install from a store.
    await writeFile(path.join(stage.#outside, 'package.js'), 'module.exports = 1;\n');
    await link(path.join(stage.#outside, 'package.js'), path.join(stage.root, 'package.js'));
    await symlink(stage.#outside, path.join(stage.root, 'linked-folder'));
    await mkdir(path.dirname(stage.tokenAtHome), { recursive: true, mode: 0o700 });
    await writeFile(stage.tokenAtHome, stage.secret);
    await writeFile(stage.#operatorFile, JSON.stringify({ limits: { toolTimeoutMs: 700 } }), { mode: 0o600 });
    return stage;
  }

  get root(): string {
    return path.join(this.place, 'project');
  }

  get state(): string {
    return path.join(this.place, 'state');
  }

  /** The agent that most attacks come from: one connection, so that each shows that the last did no harm. */
  async agent(): Promise<LineClient> {
    if (this.#agent !== undefined) return this.#agent;
    this.#agent = this.stranger();
    await this.#agent.initialize();
    return this.#agent;
  }

  /** The token of another project, in a home folder. */
  get tokenAtHome(): string {
    return path.join(this.#home, '.local/state/devs/other/token');
  }

  /** An agent at a devs that serves that home folder. */
  async agentAtHome(): Promise<LineClient> {
    if (this.#agentAtHome !== undefined) return this.#agentAtHome;
    this.#agentAtHome = this.#start(['serve', '--root', this.#home], { HOME: this.#home });
    await this.#agentAtHome.initialize();
    return this.#agentAtHome;
  }

  /** An agent at a devs that serves the project, with no word said yet. */
  stranger(): LineClient {
    return this.#start(['serve', '--root', this.root]);
  }

  /** An agent at a devs that stands in front of the hostile server. */
  async victim(): Promise<LineClient> {
    this.#victim ??= await this.#startVictim('first-life', []);
    return this.#victim;
  }

  /** The same, with an operator's configuration whose time limit a demo can wait for. */
  async impatientVictim(): Promise<LineClient> {
    return this.#startVictim('other-life', ['--config', this.#operatorFile]);
  }

  async httpClient(): Promise<HttpTestClient> {
    const args = [this.#options.main, 'serve', '--root', this.root, '--http', '127.0.0.1:0'];
    this.#httpClient ??= await HttpTestClient.open({ args, ...this.#setting, tokenFile: path.join(this.state, 'token') });
    return this.#httpClient;
  }

  /** What became of one of the family of hostile servers, behind a devs of its own that writes the log of this stage. */
  async witness({ name, era = 'legacy' }: Behaviour): Promise<Witnessed> {
    return witness(name, { devs: this.#options.main, subcommand: 'serve', era, keeps: { state: this.state, configuration: this.#configuration } });
  }

  /** The newest call of one agent. */
  async newestCallOf(agentId: string): Promise<AgentLogEntry | undefined> {
    await using reader = this.#openLog();
    const [newest] = await reader.list({ limit: 1, agentId });
    return newest;
  }

  /** One command of devs, to its end. */
  async devs(args: readonly string[], input = ''): Promise<Ended> {
    const child = spawn(process.execPath, [this.#options.main, ...args, '--root', this.root], this.#setting);
    child.stdin.on('error', () => undefined).end(input);
    const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  }

  /** The newest call in the log that was not asked for before. */
  async newestCall(): Promise<AgentLogEntry | undefined> {
    await using reader = this.#openLog();
    const entries = await reader.list({ limit: 20 });
    const newest = entries.find(({ id }) => !this.#seen.has(id));
    for (const { id } of entries) this.#seen.add(id);
    return newest;
  }

  /** Ends what was started. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client[Symbol.asyncDispose]();
    await this.#httpClient?.[Symbol.asyncDispose]();
    if (this.#options.discard) await rm(this.place, { recursive: true, force: true });
  }

  get #home(): string {
    return path.join(this.place, 'home');
  }

  get #outside(): string {
    return path.join(this.place, 'outside');
  }

  get #configuration(): string {
    return path.join(this.place, 'no-configuration');
  }

  get #operatorFile(): string {
    return path.join(this.place, 'operator.config.json');
  }

  /** Nothing of the user's own: neither the log nor the configuration. */
  get #setting() {
    const env = { ...process.env, DEVS_STATE_DIR: this.state, XDG_CONFIG_HOME: this.#configuration };
    return { cwd: this.root, env };
  }

  #openLog() {
    return this.#options.openLog({ file: path.join(this.state, 'agent_logs.db') });
  }

  async #startVictim(life: string, options: readonly string[]): Promise<LineClient> {
    const server = [process.execPath, HOSTILE_SERVER, path.join(this.place, life)];
    const client = this.#start(['run', '--root', this.root, ...options, '--', ...server]);
    await client.initialize();
    return client;
  }

  #start(args: readonly string[], variables: NodeJS.ProcessEnv = {}): LineClient {
    const { cwd, env } = this.#setting;
    const client = new LineClient({ args: [this.#options.main, ...args], cwd, env: { ...env, ...variables } });
    this.#clients.push(client);
    return client;
  }
}
