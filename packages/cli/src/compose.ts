import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type {
  AgentLogReader,
  AuditLogger,
  Confinement,
  DevsCoreConfig,
  OutputPolicy,
  StructuredLogger,
  ToolProxy,
  ToolRegistration,
  ToolRegistry,
} from '@devs/core';
import { DEFAULT_CONFIG } from '@devs/core';
import * as token from '@devs/core/container';
import { GATEWAY_PROFILE, type OrchestratorServer, type OrchestratorServerOptions, type ServerIntroduction } from '@devs/mcp';
import * as mcp from '@devs/mcp/container';
import { createConfinedWork, openConfinement, openFsRoot, parseAccount, ToolRunner, withMountedNames, type ConfinedWorkOptions, type GuardedFsRoot, type ProjectBoxes } from '@devs/sandbox';
import { FileLock, openSqliteAgentLogs, type SqliteAgentLogs } from '@devs/storage';
import { builtInTools } from '@devs/tools';
import { homeOfAccount, homesFor } from './state/account.ts';
import { closedFolders } from './state/closed-folders.ts';
import { openGateway, type Gateway, type GatewayOptions } from './servers/gateway.ts';
import { openHeadKeeper, type LogKeys } from './log-keys.ts';
import { namedFolders } from './state/named-folders.ts';
import type { Place } from './place.ts';
import { markServers, refuseReflection } from './servers/own-reflection.ts';
import { PinsFile } from './state/pins-file.ts';
import { safeEnvironment } from './servers/server-environment.ts';
import { ServerIntroductions } from './servers/server-introductions.ts';
import { secretsOf } from './secrets/server-secrets.ts';
import { prepareState, type StateFolder } from './state/state-folder.ts';
import { readOrCreateKey } from './state/token-file.ts';
import { UpstreamBoxes } from './servers/upstream-boxes.ts';
import { VERSION } from './version.ts';

export interface CompositionOptions {
  /** Absolute, real path of the folder that is served. */
  readonly root: string;
  readonly state: StateFolder;
  readonly config?: DevsCoreConfig;
  /** Registered at the start. Default: the built-in ones. */
  readonly tools?: readonly ToolRegistration[];
  /** Values that must come back from no tool, nor stand in the log, beside those that the configuration holds. */
  readonly injectedSecrets?: readonly string[];
  /** Signs the log with these. Absent: nobody does. */
  readonly logKeys?: LogKeys;
  /** Asked before each start of a server of the configuration. Said by every caller: one that forgot it would start what nobody trusts. */
  readonly checkServer: Place['checkServer'] | undefined;
  /** Whether a server runs in the root without saying so. Default: none does. */
  readonly isOfProject?: Place['isOfProject'] | undefined;
  /** Servers behind devs. Default: those of the configuration. */
  readonly servers?: BehindServers;
  /** What clients are told about the tools as a whole. */
  readonly profile?: OrchestratorServerOptions['profile'];
  /**
   * Replaces parts: called first, with the empty container of this devs. A token that it binds stays bound, and the log
   * names it when it is opened. For the code of an embedder alone: no configuration and no plugin reaches it.
   */
  readonly register?: (container: token.DependencyContainer) => void;
}

/** One assembled devs. Disposing it closes the log and lets go of the folder. */
export interface Composition extends AsyncDisposable {
  /** Holds every part below that has a token; also for parts of other packages: `registerAgent`. */
  readonly container: token.DependencyContainer;
  /** As it is in force: what `register` has bound, else what was given. */
  readonly config: DevsCoreConfig;
  readonly registry: ToolRegistry;
  readonly proxy: ToolProxy;
  readonly logs: AgentLogReader;
  readonly logger: StructuredLogger;
  readonly policy: OutputPolicy;
  readonly files: GuardedFsRoot;
  /** Where commands and code run. */
  readonly confinement: Confinement;
  /** Why commands and commits of a tool are refused where boxes hold. */
  readonly findObstacle: ProjectBoxes['findObstacle'];
  /** What commands find read-only because of hard links. */
  readonly findLinked: ProjectBoxes['findLinked'];
  /** Where the servers of others run. */
  readonly upstreamBoxes: UpstreamBoxes;
  readonly server: OrchestratorServer;
  /** Absent: there are no servers behind devs. */
  readonly gateway: Gateway | undefined;
}

/** Servers that stand behind devs, and how they are started. */
export type BehindServers = Pick<GatewayOptions, 'servers' | 'environment'> & Partial<Pick<GatewayOptions, 'onUpstream' | 'root' | 'spawn' | 'checkServer' | 'yielding'>>;

/** The composition root: the only place that asks the container for anything. */
export async function compose({
  root,
  state,
  config: given = DEFAULT_CONFIG,
  tools = builtInTools,
  injectedSecrets = [],
  logKeys,
  checkServer,
  isOfProject = () => false,
  servers: asked,
  profile,
  register,
}: CompositionOptions): Promise<Composition> {
  const container = token.createContainer();
  const replaced = replaceParts(container, register);
  token.once(container, token.DevsCoreConfig, () => given);
  const config = container.resolve(token.DevsCoreConfig);
  const servers = asked ?? ownServers(config, { root, checkServer });
  await prepareState(state);
  const fingerprintKey = await readOrCreateKey(state.fingerprintKeyFile);
  const homes = homesFor(root);
  const closed = closedFolders(state, process.env, homes);
  const files = openFsRoot({ root, alsoProtected: config.files.protected, writable: config.files.writable, homes: withMountedNames(homes), named: namedFolders(), protectedFolders: closed });
  const searchPath = process.env['PATH'] ?? '';
  const confinement = openConfinement({ root, sandbox: config.sandbox, searchPath });
  const secrets = [...injectedSecrets, ...secretsOf(Object.values(servers.servers))];
  token.registerCore(container, config, { pathRoot: root, injectedSecrets: secrets, fingerprintKey });
  const logger = container.resolve(token.StructuredLogger);
  const { noticeId } = container.resolve(token.OutputPolicy);
  const lock = new FileLock(path.join(state.path, 'commands'));
  const work = openWork({ files, confinement, lock, config, closed, noteFile: path.join(state.path, 'left-behind'), searchPath, noticeId, ...placesOfUser(config) });
  const logs = openLogs({ state, config, logKeys, logger, replaced }, files);
  token.once(container, token.SandboxExecutor, () => new ToolRunner(files, work));
  token.once(container, token.AgentLogRepository, () => logs);
  token.once(container, token.AuditLogger, (inner) => toDiagnostics(inner.resolve(token.StructuredLogger)));
  const registry = container.resolve(token.ToolRegistry);
  // One that cannot be registered takes no other with it; `devs tools` says why it is not there.
  for (const tool of tools) registry.tryRegister(tool);
  const proxy = await resolveGate(container, async () => close(logs, files, undefined));
  const policy = container.resolve(token.OutputPolicy);
  const upstreamBoxes = new UpstreamBoxes({ root, state, config, files, confinement, closed, runsInRoot: isOfProject });
  const gateway = openServers(servers, { registry, policy, logger, root, state, config, spawn: (name, entry) => upstreamBoxes.spawn(name, entry) });
  const shown = profile ?? (gateway === undefined ? undefined : toProfile(gateway, policy));
  const behind = gateway === undefined ? {} : { clients: gateway.clients };
  mcp.registerMcp(container, { projectRoot: root, version: VERSION, ...behind, ...(shown !== undefined && { profile: shown }) });
  const server = container.resolve(mcp.OrchestratorServer);
  const dispose = async () => close(logs, files, gateway);
  return { container, config, registry, proxy, logs, logger, policy, files, confinement, findObstacle: (settings) => work.findObstacle(settings), findLinked: async () => work.findLinked(), upstreamBoxes, server, gateway, [Symbol.asyncDispose]: dispose };
}

/** Every token that devs resolves. */
const TOKENS = [
  token.DevsCoreConfig,
  token.StructuredLogger,
  token.IOutputSanitizer,
  token.OutputPolicy,
  token.ToolRegistry,
  token.SandboxExecutor,
  token.AuditLogger,
  token.AgentLogRepository,
  token.ToolProxy,
  mcp.OrchestratorServer,
];

/** The names of the tokens that the embedder has bound. */
function replaceParts(container: token.DependencyContainer, register: CompositionOptions['register']): readonly string[] {
  register?.(container);
  return TOKENS.filter((part) => container.isRegistered<unknown>(part)).flatMap((part) => (typeof part === 'symbol' ? [part.description ?? ''] : []));
}

/** A part that the embedder has bound may be refused only here: the log is open by then. @throws DevsError CONFIG_INVALID */
async function resolveGate(container: token.DependencyContainer, closeAll: () => Promise<void>): Promise<ToolProxy> {
  try {
    return container.resolve(token.ToolProxy);
  } catch (cause) {
    await closeAll();
    throw cause;
  }
}

/** What clients are told of devs and the servers behind it, each of those that it may reach. */
function toProfile({ pool }: Gateway, policy: OutputPolicy): NonNullable<OrchestratorServerOptions['profile']> {
  const introductions = new ServerIntroductions(policy);
  return ({ serves = () => true, allows = () => true }) => {
    const isReached = ({ server, namespace, callable }: ServerIntroduction) =>
      serves({ name: server, namespace }) && callable.some((name) => allows({ name, source: server, effects: true }));
    const said = introductions.of(pool.introductions.filter(isReached));
    return { ...GATEWAY_PROFILE, said };
  };
}

/** Those of the configuration. */
function ownServers({ mcpServers }: DevsCoreConfig, { root, checkServer }: Pick<CompositionOptions, 'root' | 'checkServer'>): BehindServers {
  const isUsed = Object.values(mcpServers).some(({ disabled }) => disabled !== true);
  if (isUsed) refuseReflection(mcpServers, process.env);
  return { servers: mcpServers, environment: { ...safeEnvironment(process.env, root), ...markServers(mcpServers, process.env) }, checkServer };
}

/** Of whoever runs devs. */
function placesOfUser({ sandbox }: DevsCoreConfig) {
  const account = parseAccount(sandbox.account);
  // Without a home there are no toolchains in one.
  return { home: homeOfAccount() ?? '/nonexistent', privateFolder: realpathSync(tmpdir()), ...(account !== undefined && { account }) };
}

/** Before the log is opened: a configuration that cannot be used leaves no trace in it. @throws DevsError CONFIG_INVALID */
function openWork(options: ConfinedWorkOptions): ProjectBoxes {
  try {
    return createConfinedWork(options);
  } catch (cause) {
    options.files[Symbol.dispose]();
    throw cause;
  }
}

type LogParts = Pick<Composition, 'logger'> &
  Required<Pick<CompositionOptions, 'state' | 'config'>> & { readonly logKeys: LogKeys | undefined; readonly replaced: readonly string[] };

function openLogs({ state: { logFile }, config: { audit }, logKeys, logger, replaced }: LogParts, files: GuardedFsRoot): SqliteAgentLogs {
  const { durability, mode, maxBytes, minFreeBytes } = audit;
  const onProblem = (problem: string) => logger.warn('CALL_LOG', { problem });
  try {
    const heads = logKeys === undefined ? undefined : openHeadKeeper({ keys: logKeys, logFile, audit, onProblem });
    return openSqliteAgentLogs({ file: logFile, durability, mode, limits: { maxBytes, minFreeBytes }, version: VERSION, replaced, onProblem, ...(heads !== undefined && { heads }) });
  } catch (cause) {
    files[Symbol.dispose]();
    throw cause;
  }
}

/** The tap of named events goes to the diagnostics, where an operator can raise the level to see it. */
function toDiagnostics(logger: StructuredLogger): AuditLogger {
  return { log: ({ event, ...fields }) => logger.info(event, fields) };
}

type ServerParts = Pick<GatewayOptions, 'registry' | 'policy' | 'logger' | 'root' | 'spawn'> & Required<Pick<CompositionOptions, 'state' | 'config'>>;

/** Nothing is started by it. */
function openServers(behind: BehindServers, { state, config, ...parts }: ServerParts): Gateway | undefined {
  if (Object.values(behind.servers).every(({ disabled }) => disabled === true)) return undefined;
  const { mcp, http } = config;
  return openGateway({ pins: new PinsFile(state), ...parts, maxMessageBytes: mcp.maxMessageBytes, idleMs: http.sessionIdleMs, ...behind });
}

async function close(logs: SqliteAgentLogs, files: GuardedFsRoot, gateway: Gateway | undefined): Promise<void> {
  try {
    await gateway?.[Symbol.asyncDispose]();
    await logs.close();
  } finally {
    files[Symbol.dispose]();
  }
}
