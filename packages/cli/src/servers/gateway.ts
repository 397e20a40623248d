import path from 'node:path';
import { accessSync, constants } from 'node:fs';
import { createListingCleaner, createNoticeCleaner, type McpServerConfig, type OutputPolicy, type StructuredLogger, type ToolCallRequest, type ToolRegistry } from '@devs/core';
import {
  ChildServer,
  createServerIdentities,
  createUpstream,
  EraMemory,
  RelayClients,
  SealedState,
  UpstreamPool,
  type ClientInfo,
  type ClientSide,
  type PinStore,
  type RelayClient,
  type SpawnServer,
  type Upstream,
} from '@devs/mcp';
import { VERSION } from '../version.ts';

export interface GatewayOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly registry: ToolRegistry;
  readonly pins: PinStore;
  readonly policy: OutputPolicy;
  readonly logger: StructuredLogger;
  /** Absolute: where commands run that name no folder of their own. */
  readonly root: string;
  readonly maxMessageBytes: number;
  /** What the processes of servers get beside what their entries say. */
  readonly environment: NodeJS.ProcessEnv;
  /** How the processes of a server are started. Default: as they are, with the rights of devs. */
  readonly spawn?: (name: string, config: McpServerConfig) => SpawnServer;
  /** Rejects when what a server's command runs is not what a person has trusted. Asked before each start. */
  readonly checkServer?: ((name: string) => Promise<void>) | undefined;
  /** Tools of devs's own that give way to one of a server of the same name. */
  readonly yielding?: readonly string[];
  /** Told of each instance that a client gets. */
  readonly onUpstream?: (upstream: Upstream) => void;
  /** Milliseconds after which servers of a client that asks for nothing are ended. */
  readonly idleMs: number;
}

/** All servers behind devs, and the clients that have instances of them. */
export interface Gateway extends AsyncDisposable {
  readonly clients: RelayClients;
  readonly pool: UpstreamPool;
  /** A client of devs's own: a command, the agent loop. It can be asked nothing. */
  open(): RelayClient;
}

/** What a command of devs's own says of itself to servers. */
const OWN_INFO: ClientInfo = { era: 'legacy', protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'devs', version: VERSION } };
/** How often it is looked for servers that nobody uses. */
const SWEEP_MS = 60_000;

export function openGateway(options: GatewayOptions): Gateway {
  const { servers, registry, pins, policy, logger, idleMs, environment, yielding } = options;
  const eras = new Map<string, EraMemory>();
  const pool = new UpstreamPool({
    servers,
    registry,
    pins,
    logger,
    clean: createListingCleaner(policy),
    states: new SealedState(),
    identify: createServerIdentities({ resolve: (command) => findCommand(command, environment['PATH'] ?? '', options.root) }),
    connect: (name, config, client) => connect({ ...config, name }, client, { ...options, eras: eraOf(eras, name) }),
    ...(yielding !== undefined && { yielding }),
  });
  const clients = new RelayClients({ pool, logger, cleanNotice: createNoticeCleaner(policy), idleMs });
  const sweep = setInterval(() => void clients.endIdle(), SWEEP_MS).unref();
  return {
    clients,
    pool,
    open: () => clients.of({}, OWN_INFO),
    [Symbol.asyncDispose]: async () => {
      clearInterval(sweep);
      await clients.endAll();
      await pool.end();
    },
  };
}

/** What a call of devs's own hands to the gate, once the servers behind devs are there. @param waits false for a tool that is none of theirs */
export async function openSession({ gateway }: { readonly gateway: Gateway | undefined }, signal: AbortSignal, waits = true): Promise<Pick<ToolCallRequest, 'session' | 'admits'>> {
  if (gateway === undefined) return {};
  const { instances } = gateway.open();
  if (waits) await instances.ready(signal);
  return { session: instances, admits: (tool) => instances.knows(tool) };
}

function eraOf(eras: Map<string, EraMemory>, name: string): EraMemory {
  const known = eras.get(name) ?? new EraMemory();
  eras.set(name, known);
  return known;
}

type Connecting = Pick<GatewayOptions, 'root' | 'environment' | 'spawn' | 'checkServer' | 'logger' | 'maxMessageBytes' | 'onUpstream'> & { readonly eras: EraMemory };

function connect(config: McpServerConfig & { readonly name: string }, client: ClientSide, { spawn, checkServer, onUpstream, ...shared }: Connecting): Upstream {
  const start: SpawnServer = spawn?.(config.name, config) ?? ((command, timers) => new ChildServer(command, timers));
  const checked: SpawnServer = async (command, timers) => {
    await checkServer?.(config.name);
    return start(command, timers);
  };
  const upstream = createUpstream({ config, client, ...shared, spawn: checked });
  onUpstream?.(upstream);
  return upstream;
}

/** The program that a command names, as the system would find it; the command itself where there is none. */
export function findCommand(command: string, searchPath: string, folder: string): string {
  if (command.includes('/')) return path.resolve(folder, command);
  for (const each of searchPath.split(path.delimiter)) {
    const candidate = path.join(path.isAbsolute(each) ? each : path.resolve(folder, each), command);
    if (isExecutable(candidate)) return candidate;
  }
  return command;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
