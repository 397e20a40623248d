import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { DevsError, type Confinement, type ConfinementReport, type DevsCoreConfig, type GuaranteeReport, type McpServerConfig, type UpstreamSandboxMode } from '@devs/core';
import { ChildServer, type ServerCommand, type SpawnServer } from '@devs/mcp';
import { openConfinement, parseAccount, ServerBoxes, type GuardedFsRoot, type ServerOrder } from '@devs/sandbox';
import { homeOfAccount } from '../state/account.ts';
import { SERVERS_OF_ACCOUNT } from '../state/closed-folders.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';
import { inOwnFolder, refuseInRoot, seenFromRoot } from './own-folder.ts';

export interface UpstreamBoxesOptions {
  /** Absolute, real. */
  readonly root: string;
  readonly state: StateFolder;
  readonly config: DevsCoreConfig;
  readonly files: GuardedFsRoot;
  /** Of commands: the same boxes, unless there are none for those. */
  readonly confinement: Confinement;
  /** See `closedFolders`. */
  readonly closed: readonly string[];
  /** Whether a server whose entry names no folder runs in the root. */
  readonly runsInRoot: (server: string) => boolean;
  /** Told what a person must know of how a server runs. Default: standard error. */
  readonly tell?: (line: string) => void;
}

/** How a server that devs starts is held. `refused`: it would not be started. */
export interface HeldServer {
  readonly confinement: string;
  /** A sentence for the operator. */
  readonly detail: string;
  readonly fix?: string;
}

/** Starts the servers of others as the configuration says: in boxes, or as they are. */
export class UpstreamBoxes {
  readonly #options: UpstreamBoxesOptions;
  readonly #boxes: ServerBoxes;
  readonly #told = new Set<string>();

  constructor(options: UpstreamBoxesOptions) {
    const { root, config, files, confinement, closed } = options;
    const account = parseAccount(config.sandbox.account);
    const searchPath = process.env['PATH'] ?? '';
    this.#options = options;
    this.#boxes = new ServerBoxes({
      files,
      config,
      // Nobody has given up the boxes of servers by giving up those of commands.
      confinement: config.sandbox.tools === 'off' ? openConfinement({ root, sandbox: { ...config.sandbox, tools: 'require' }, searchPath }) : confinement,
      closed,
      privateFolder: realpathSync(tmpdir()),
      home: homeOfAccount() ?? '/nonexistent',
      errors: createErrors(),
      ...(account !== undefined && { account }),
    });
  }

  /** What starts the processes of one server. */
  spawn(name: string, entry: McpServerConfig): SpawnServer {
    const mode = this.#modeOf(entry);
    return async (command, timers) => {
      if (mode === 'none') return new ChildServer(await this.#unboxed(name, entry, command), timers);
      const report = await this.#boxes.probe();
      if (report.usable) return this.#boxes.start(this.#toOrder(name, entry, command), timers);
      if (mode === 'require') throw unconfinable(name, report);
      this.#tellOnce(name, describeMissing(report));
      return new ChildServer(await this.#unboxed(name, entry, command), timers);
    };
  }

  /** Tries the boxes of servers out. */
  async probe(): Promise<ConfinementReport> {
    return this.#boxes.probe();
  }

  /** The servers of the configuration that devs starts without a box, because nobody has asked for one. */
  get unasked(): readonly string[] {
    const servers = Object.entries(this.#options.config.mcpServers);
    return servers.filter(([, entry]) => entry.command !== undefined && entry.disabled !== true && this.#modeOf(entry) === 'none').map(([name]) => name);
  }

  /** How a server would be started now. Starts and makes nothing. Never throws. */
  async judge(name: string, entry: McpServerConfig, command: ServerCommand): Promise<HeldServer> {
    const mode = this.#modeOf(entry);
    try {
      if (mode === 'none') return this.#judgeUnboxed(name, entry, command);
      const report = await this.#boxes.probe();
      if (!report.usable && mode === 'require') return { confinement: 'refused', ...describeMissing(report) };
      if (!report.usable) return { ...this.#judgeUnboxed(name, entry, command), ...describeMissing(report) };
      const { unseen } = await this.#boxes.plan(this.#toOrder(name, entry, command));
      if (unseen.length === 0) return { confinement: report.name, detail: describeBox(entry) };
      const fix = `"sandbox": {"mounts": {"readOnly": ${JSON.stringify(unseen)}}}, if it needs them`;
      return { confinement: report.name, detail: `${describeBox(entry)}; its arguments name what is not in its sandbox: ${unseen.join(', ')}`, fix };
    } catch (cause) {
      if (!DevsError.is(cause)) throw cause;
      return { confinement: 'refused', detail: cause.sentence, ...(cause.suggestion !== undefined && { fix: cause.suggestion }) };
    }
  }

  #judgeUnboxed(name: string, entry: McpServerConfig, command: ServerCommand): HeldServer {
    const none = '"sandbox": {"upstreams": "none"}';
    const { root, runsInRoot } = this.#options;
    if (entry.cwd !== undefined || runsInRoot(name)) return { confinement: 'none', detail: `runs with your own permissions, in ${command.cwd}: ${none}` };
    refuseInRoot(this.#ownFolder(name, entry), root);
    const [seen] = seenFromRoot(command, root);
    return { confinement: 'none', detail: `runs with your own permissions, in its own folder: ${none}`, ...(seen !== undefined && { fix: `"cwd": ".", if ${JSON.stringify(seen)} is a path in the project` }) };
  }

  async #unboxed(name: string, entry: McpServerConfig, command: ServerCommand): Promise<ServerCommand> {
    const { root, runsInRoot } = this.#options;
    if (entry.cwd !== undefined || runsInRoot(name)) return command;
    const [seen] = seenFromRoot(command, root);
    const hint = `devs: the server ${JSON.stringify(name)} runs in its own folder, where ${JSON.stringify(seen)} does not mean what it means in the project. To run it in the project: "cwd": "."`;
    if (seen !== undefined) this.#sayOnce(`${name} folder`, hint);
    return inOwnFolder(command, this.#ownFolder(name, entry), root);
  }

  #ownFolder(name: string, entry: McpServerConfig): string {
    return path.join(this.#options.state.path, 'servers', this.#folderOf(name, entry));
  }

  #modeOf({ sandbox }: McpServerConfig): UpstreamSandboxMode {
    return sandbox?.mode ?? this.#options.config.sandbox.upstreams;
  }

  #toOrder(name: string, entry: McpServerConfig, { command, args, cwd, env }: ServerCommand): ServerOrder {
    const { network, mounts, loopbackPorts = [] } = entry.sandbox ?? {};
    const folder = path.join(this.#folderOfServers(), this.#folderOf(name, entry));
    const { readOnly = [], readWrite = [] } = mounts ?? {};
    return { name, folder, command, args, cwd, env, ownEnv: entry.env ?? {}, hosts: network?.hosts ?? [], loopbackPorts, readOnly, readWrite };
  }

  /** The account that boxes run as may not come into the state folder. */
  #folderOfServers(): string {
    const { state, config } = this.#options;
    if (parseAccount(config.sandbox.account) === undefined) return path.join(state.path, 'servers');
    return path.join(SERVERS_OF_ACCOUNT, createHash('sha256').update(state.path).digest('hex').slice(0, 16));
  }

  /** One that the configuration names keeps its folder when its command changes. Of `devs run` the command is the name. */
  #folderOf(name: string, entry: McpServerConfig): string {
    const { mcpServers } = this.#options.config;
    const words = ({ command, args = [] }: McpServerConfig) => JSON.stringify([command, ...args]);
    const isNamed = Object.entries(mcpServers).some(([other, configured]) => other === name && words(configured) === words(entry));
    const told = isNamed ? [name] : [name, 'devs run', words(entry)];
    const digest = createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 16);
    // A server may be called `..`.
    return `${name.replace(/^\./, '_')}-${digest}`;
  }

  /** Each is started for each client, and again when it ends. */
  #tellOnce(name: string, { detail, fix }: Pick<HeldServer, 'detail' | 'fix'>): void {
    this.#sayOnce(name, `devs: the server ${JSON.stringify(name)} runs unconfined, with your own permissions: ${detail}.${fix === undefined ? '' : ` To fix it: ${fix}.`}`);
  }

  #sayOnce(what: string, line: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    const { tell = tellOnStandardError } = this.#options;
    tell(line);
  }
}

function describeBox({ sandbox }: McpServerConfig): string {
  const { network, mounts, loopbackPorts = [] } = sandbox ?? {};
  const list = (what: string, words: readonly (string | number)[] = []) => (words.length === 0 ? [] : [`${what} ${words.join(', ')}`]);
  const shown = [...list('reads', mounts?.readOnly), ...list('writes', mounts?.readWrite), ...list('reaches', network?.hosts), ...list('reaches port', loopbackPorts)];
  return shown.length === 0 ? 'in its own sandbox' : `in its own sandbox, which ${shown.join('; ')}`;
}

function missingIn({ guarantees }: ConfinementReport): readonly GuaranteeReport[] {
  return guarantees.filter(({ guarantee, state }) => state !== 'enforced' && guarantee !== 'memory');
}

function describeMissing(report: ConfinementReport): Pick<HeldServer, 'detail' | 'fix'> {
  const [first] = missingIn(report);
  return { detail: first?.detail ?? 'no sandbox is available', ...(first?.fix !== undefined && { fix: first.fix }) };
}

function unconfinable(name: string, report: ConfinementReport): DevsError {
  const { detail, fix } = describeMissing(report);
  const names = missingIn(report).map(({ guarantee }) => guarantee);
  return new DevsError('UPSTREAM_UNAVAILABLE', {
    sentence: `The server ${JSON.stringify(name)} is not started: it must run in a sandbox, and none is available. Not enforced: ${names.join(', ')} (${detail}).`,
    suggestion: `Ask the operator to do this: ${fix ?? 'devs doctor'}`,
  });
}

function tellOnStandardError(line: string): void {
  void writeTo(process.stderr, `${printableLine(line)}\n`).catch(() => undefined);
}

/** As it is: what a server says there is for whoever runs devs. One that nobody reads any more is said to nobody. */
function createErrors(): Writable {
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void process.stderr.write(chunk, () => done()) });
}
