import {
  cutWords,
  describeCause,
  DevsError,
  silentLogger,
  toOwnToolNames,
  type CapabilitiesByKind,
  type JsonObject,
  type McpServerConfig,
  type RawToolResult,
  type StructuredLogger,
  type ToolHandler,
  type ToolRegistry,
} from '@devs/core';
import type { PinStore, ServerIdentity } from '../../pins/pin-store.ts';
import type { Reach, InstanceSource } from '../../relay/ports.ts';
import type { StateBinding } from '../../relay/sealed-state.ts';
import type { ListingCleaner } from './catalog.ts';
import { namespaceOf, PublicNames } from './names.ts';
import { patienceOf } from './patience.ts';
import { toErrorResult } from './raw-result.ts';
import { isSessionGone } from '../protocol/live-upstream.ts';
import { UpstreamInstance } from './upstream-instance.ts';
import type { UpstreamPart } from './instance-lists.ts';
import { PooledInstances, type ServerState } from './pooled-instances.ts';
import { systemTimers, type Timers } from '../protocol/timers.ts';
import { UpstreamError, type ClientSide, type Upstream, type UpstreamAnswer, type UpstreamEvent } from '../../protocol/upstream.ts';
import { createOperations, operationNames, toolAnswer, type Operation } from './upstream-pool-operations.ts';
import { ServerTools } from './upstream-pool-tools.ts';

export interface UpstreamPoolOptions {
  /** As the configuration has them. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly registry: ToolRegistry;
  /** Makes the instance of a server that one client gets. Nothing is started by it. */
  readonly connect: (name: string, config: McpServerConfig, client: ClientSide) => Upstream;
  readonly identify: (config: McpServerConfig, name: string) => ServerIdentity;
  readonly pins: PinStore;
  readonly clean: ListingCleaner;
  /** What a server needs to know where a call was, while it is in a client's hands. */
  readonly states: { seal(state: string | undefined, binding: StateBinding): string; open(sealed: unknown, binding: StateBinding): string | undefined };
  readonly logger?: StructuredLogger;
  readonly timers?: Timers;
  /** Tools of devs's own that give way to a server's of the same name. Default: none does. */
  readonly yielding?: readonly string[];
}

/** A server, as the instances of it are that clients have. */
export interface ServerSummary {
  readonly server: string;
  readonly ready: number;
  readonly starting: number;
  readonly failed: number;
  /** Why the last one is not there. */
  readonly reason?: string;
}

export interface ServerIntroduction {
  /** As the configuration calls it. */
  readonly server: string;
  /** What stands before the names of its tools. */
  readonly namespace: string;
  readonly said: string;
  /** What of it can be called, as far as it is known: names of its tools, and of what it is asked beside them. */
  readonly callable: readonly string[];
}

interface PoolServer {
  readonly config: McpServerConfig;
  readonly namespace: string;
  readonly tools: ServerTools;
}

type UpstreamCapabilities = CapabilitiesByKind['upstream'];

/** All servers behind one devs: what they offer is in the registry once, and each client has instances of its own. */
export class UpstreamPool implements InstanceSource {
  readonly #options: UpstreamPoolOptions;
  readonly #logger: StructuredLogger;
  readonly #timers: Timers;
  readonly #servers = new Map<string, PoolServer>();
  readonly #opened = new Set<PooledInstances>();
  #isEnding = false;

  /** Registers what servers are asked beside their tools. Starts nothing. */
  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#timers = options.timers ?? systemTimers;
    const servers = Object.entries(options.servers).filter(([, { disabled }]) => disabled !== true);
    const names = new PublicNames({
      namespaces: new Map(servers.map(([name, config]) => [name, namespaceOf(name, config)])),
      own: options.registry.getToolNames().filter((name) => options.yielding?.includes(name) !== true),
    });
    for (const [name, config] of servers) this.#add(name, config, names);
  }

  /** How the servers are, over all clients. */
  get states(): readonly ServerSummary[] {
    const all = [...this.#opened].flatMap(({ states }) => states);
    return this.names.map((server) => {
      const own = all.filter((state) => state.server === server);
      const count = (wanted: ServerState['state']) => own.filter(({ state }) => state === wanted).length;
      const reason = own.findLast(({ state }) => state === 'failed')?.reason;
      return { server, ready: count('ready'), starting: count('starting'), failed: count('failed'), ...(reason !== undefined && { reason }) };
    });
  }

  /** In the order of the configuration, without those that are disabled. */
  get names(): readonly string[] {
    return [...this.#servers.keys()];
  }

  /**
   * What servers say of themselves as it is pinned, in their order: known from the last time that they were seen, for they are
   * started after clients are told. Not cleaned.
   */
  get introductions(): readonly ServerIntroduction[] {
    return [...this.#servers].flatMap(([server, { namespace, tools: { introduction: said, knownNames } }]) => {
      const callable = [...knownNames, ...operationNames(server)];
      return said === undefined ? [] : [{ server, namespace, said, callable }];
    });
  }

  /** Looks into the pins for what servers have said of themselves. Never rejects: where that cannot be read they say nothing. */
  async recall(): Promise<void> {
    for (const [server, { tools }] of this.#servers) {
      await tools.recall().catch((cause: unknown) => this.#logger.warn('UPSTREAM_PINS_UNREAD', { source: server, error: cutWords(describeCause(cause), 500) }));
    }
  }

  open(client: ClientSide, { serves = () => true, hears = () => true }: Reach = {}): PooledInstances {
    if (this.#isEnding) throw new DevsError('SERVER_STOPPING');
    const instances: PooledInstances = new PooledInstances({
      createParts: (onEvent) => {
        // Asked each time: what a server has to offer is known once it has said so.
        const hearing = (name: string) => (event: UpstreamEvent) => (hears(name) ? onEvent(event.kind === 'log' ? { ...event, server: name } : event) : undefined);
        return new Map([...this.#servers].filter(([name, { namespace }]) => serves({ name, namespace })).map(([name, server]) => [name, this.#createPart({ name, server }, client, hearing(name))]));
      },
      onEvent: client.onEvent,
      onEnd: () => this.#opened.delete(instances),
      patience: patienceOf(client.info),
      timers: this.#timers,
      logger: this.#logger,
    });
    this.#opened.add(instances);
    return instances;
  }

  /** Ends the servers of all clients. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#opened].map(async (instances) => instances.end()));
  }

  #add(name: string, config: McpServerConfig, names: PublicNames): void {
    const { registry, pins, identify, yielding = [] } = this.#options;
    const namespace = namespaceOf(name, config);
    const { labels = ['untrusted'], limits } = config;
    const common = { entry: name, labels, ...(limits?.toolTimeoutMs !== undefined && { timeoutMs: limits.toolTimeoutMs }) };
    const tools = new ServerTools({
      ...common,
      namespace,
      identity: identify(config, name),
      registry,
      names,
      yielding,
      pins,
      logger: this.#logger,
      createHandler: (tool) => this.#createToolHandler(name, tool),
    });
    for (const operation of createOperations({ ...common, createHandler: (asked) => this.#createOperationHandler(name, asked) })) registry.register(operation);
    this.#servers.set(name, { config, namespace, tools });
  }

  #createPart({ name, server }: { name: string; server: PoolServer }, client: ClientSide, onEvent: (event: UpstreamEvent) => void): UpstreamPart {
    const { connect, clean } = this.#options;
    const { config, namespace, tools } = server;
    const part = new UpstreamInstance({
      tools,
      connect: (hear) => connectOr(name, () => connect(name, config, { ...client, onEvent: hear })),
      clean,
      timers: this.#timers,
      logger: this.#logger,
      onEvent,
    });
    return { server: part, tools, namespace, tell: onEvent };
  }

  #createToolHandler(name: string, tool: { readonly name: string; readonly ownName: string }): ToolHandler<'upstream'> {
    return async (args, call) => {
      const instances = this.#instancesOf(call);
      const part = requirePart(instances, name);
      const binding = { server: name, name: tool.name, args, client: instances.id };
      const asked = { method: 'tools/call', params: { name: tool.ownName, arguments: args }, binding, check: () => requireOffered(tool.name, part) };
      try {
        return await this.#ask(part.server, asked, { call, toRaw: toolAnswer });
      } catch (cause) {
        // The server has forgotten the client, and done nothing. What there is now is looked at before it is asked again.
        if (!isSessionGone(cause) || call.continuation !== undefined) throw cause;
        return this.#ask(part.server, asked, { call, toRaw: toolAnswer });
      }
    };
  }

  #createOperationHandler(name: string, { method, toRaw }: Operation): ToolHandler<'upstream'> {
    return async (args, call) => {
      const instances = this.#instancesOf(call);
      const { server } = requirePart(instances, name);
      const binding = { server: name, name: `${name}/${method}`, args, client: instances.id };
      return this.#ask(server, { method, params: args, binding }, { call, toRaw });
    };
  }

  async #ask(server: UpstreamInstance, { method, params, binding, check }: AskedOfServer, { call, toRaw }: Round): Promise<RawToolResult> {
    const { signal, continuation, meta, notify, wantsProgress } = call;
    const { states } = this.#options;
    const state = continuation?.state === undefined ? undefined : states.open(continuation.state, binding);
    try {
      const request = {
        method,
        params: meta === undefined ? params : { ...params, _meta: meta },
        signal,
        ...(notify !== undefined && { onNotice: notify, wantsProgress }),
        ...(continuation !== undefined && { continuation: { inputResponses: toOwnToolNames(binding.server, continuation.inputResponses), state } }),
      };
      const answer = await server.request(request, () => {
        check?.();
        // Of the instance that is asked now, which may have been started for this.
        if (server.enforcement !== undefined) call.enforced(server.enforcement);
      });
      if (answer.kind === 'complete') return toRaw(answer.result);
      return toQuestion(answer, states.seal(answer.requestState, binding));
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause;
      return toErrorResult(cause);
    }
  }

  /** Whoever calls must be one of the clients: without that nobody's servers would be meant. */
  #instancesOf({ session }: UpstreamCapabilities): PooledInstances {
    if (session instanceof PooledInstances && this.#opened.has(session)) return session;
    throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence: 'No client is known whose servers this call could reach.' });
  }
}

interface AskedOfServer {
  readonly method: string;
  readonly params: JsonObject;
  readonly binding: StateBinding;
  /** Throws where it must not be asked. */
  readonly check?: () => void;
}

interface Round {
  readonly call: UpstreamCapabilities;
  readonly toRaw: (result: unknown) => RawToolResult;
}

/** A server that cannot be spoken to at all is one that does not start, and no other's harm. */
function connectOr(name: string, connect: () => Upstream): Upstream {
  try {
    return connect();
  } catch (cause) {
    const refuse = async () => Promise.reject(DevsError.is(cause) ? cause : new DevsError('UPSTREAM_UNAVAILABLE', { cause }));
    return { name, info: undefined, ready: refuse, request: refuse, notify: () => undefined, end: async () => undefined };
  }
}

function requirePart(instances: PooledInstances, name: string): UpstreamPart {
  const part = instances.part(name);
  if (part === undefined) throw new DevsError('UPSTREAM_UNAVAILABLE');
  return part;
}

function requireOffered(name: string, { server, tools }: UpstreamPart): void {
  const listed = server.tools.get(name);
  if (listed === undefined) throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence: 'The server does not offer this tool to you now.', suggestion: 'List the tools again.' });
  if (!tools.isOffered(name, listed)) throw new DevsError('TOOL_NOT_APPROVED');
}

function toQuestion({ inputRequests }: Extract<UpstreamAnswer, { kind: 'input_required' }>, requestState: string): RawToolResult {
  return { content: [], inputRequired: { inputRequests, requestState } };
}
