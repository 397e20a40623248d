import { ANONYMOUS, describeCause, DevsError, silentLogger, type StructuredLogger } from '@devs/core';
import { ProtocolError, ProtocolErrorCode, Server, type JSONRPCRequest, type Result, type ServerContext } from '@modelcontextprotocol/server';
import { toProtocolError } from '../relay/protocol-failure.ts';
import { RelayHandlers } from './handlers/relay-handlers.ts';
import type { Belonging, RelayClients } from '../relay/relay-clients.ts';
import { WatchedStream } from '../relay/watched-stream.ts';
import { toRelayRequest, type RelayRequest } from '../relay/relay-request.ts';
import { AgentNames, type Agent } from '../protocol/agent-names.ts';
import type { Connection } from '../protocol/connection.ts';
import { OWN_PROFILE, type ServerProfile } from './server-profile.ts';
import { callTool, type CallGate } from './handlers/call-tool.ts';
import { relayTool } from './handlers/relay-tool.ts';
import { listTools, type ToolCatalog } from './handlers/list-tools.ts';
import { clientNameOf, clientInfoIn, clientInfoOf, type ReadRequest } from '../protocol/client-info-of.ts';

export type { Connection } from '../protocol/connection.ts';

export interface OrchestratorServerOptions {
  readonly registry: ToolCatalog;
  readonly proxy: CallGate;
  readonly logger?: StructuredLogger;
  /** Absolute path of the folder that is served. */
  readonly projectRoot: string;
  readonly version: string;
  /** What clients are told when they come; asked for each of them. Default: what holds for devs's own tools. */
  readonly profile?: (connection: Connection) => ServerProfile;
  /** The clients with the servers behind devs that are theirs. Absent: there are none. */
  readonly clients?: RelayClients;
}

interface AskedCall {
  readonly params: unknown;
  readonly signal: AbortSignal;
  /** Why it is turned away; undefined when the gate is to decide. */
  readonly refusal: DevsError | undefined;
  /** Who calls, where the call claims nothing. */
  readonly agent: () => Agent;
  /** Why it can reach no servers behind devs. */
  readonly unplaced?: DevsError;
  /** With it the call can reach servers behind devs. */
  readonly relayed?: RelayRequest | undefined;
}

/** Joins the gate to MCP. Makes one protocol server a connection (stdio), a session or a request (HTTP), for both eras. */
export class OrchestratorServer {
  readonly #options: OrchestratorServerOptions;
  readonly #logger: StructuredLogger;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #relay: RelayHandlers;
  readonly #agents = new AgentNames();
  #stopping = false;

  constructor(options: OrchestratorServerOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#relay = new RelayHandlers(options);
  }

  createProtocolServer(connection: Connection): Server {
    const { version, proxy, profile = () => OWN_PROFILE } = this.#options;
    const { capabilities, introduction, said = '' } = profile(connection);
    const own = [introduction, proxy.instructions ?? ''].filter((part) => part !== '').join(' ');
    const instructions = [own, said].filter((part) => part !== '').join('\n');
    const server = new Server({ name: 'devs', version }, { capabilities, ...(instructions !== '' && { instructions }) });
    server.onclose = () => this.#options.clients?.detach(server);
    server.onerror = (error) => this.#logger.warn('MCP_PROTOCOL_ERROR', { error: error.message.slice(0, 500) });
    // The SDK's own would keep the level to itself.
    server.removeRequestHandler('logging/setLevel');
    // Not setRequestHandler: the SDK would parse the parameters first, answer a bad shape itself and
    // drop own `__proto__` keys. Such a call would then miss the log, or reach a tool changed.
    server.fallbackRequestHandler = async (request, context) => this.#dispatch(request, { context, server, connection });
    server.fallbackNotificationHandler = async ({ method }) => this.#options.clients?.hear(server, method);
    return server;
  }

  /**
   * A stream on which the client listens for changes, until it is disposed of. @param params of `subscriptions/listen`
   */
  watchStream(params: unknown, connection: Connection): AsyncDisposable | undefined {
    const { clients } = this.#options;
    const info = clientInfoIn(params, connection);
    if (clients === undefined || info === undefined) return undefined;
    const client = clients.of(connection.key ?? connection, info, this.#belongingOf(connection));
    if (connection.outside !== undefined) clients.attach(client, connection.outside);
    const mayWatch = async (uri: string, signal: AbortSignal) => this.#relay.mayRead(uri, { client, signal, admits: connection.allows ?? (() => true) });
    return new WatchedStream(client, params, { logger: this.#logger, mayWatch });
  }

  /** The connection or session is over: the servers that are its own go with it. */
  async endClient(connection: Connection): Promise<void> {
    await this.#options.clients?.end(connection.key ?? connection);
  }

  /** From now on every new call is refused, and that is recorded; those under way go on. */
  stopTakingCalls(): void {
    this.#stopping = true;
    this.#options.clients?.stopAsking();
  }

  /** Calls that run or wait at this moment. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Resolves when no call is running any more. */
  async drain(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }

  /** Puts a call into the log that was turned away before it came here. Never rejects. */
  async recordRefusal(params: unknown, refusal: DevsError, connection: Connection): Promise<void> {
    const agent = () => this.#agentOf(params, connection);
    await this.#track(this.#call({ params, signal: new AbortController().signal, refusal, agent }, connection));
  }

  #agentOf(params: unknown, connection: Connection, read?: ReadRequest): Agent {
    const { key = connection, idleMs } = connection;
    const name = clientNameOf(params, read);
    // A client of the older protocol has said its name once, when it came.
    return name === undefined && read === undefined && idleMs === undefined ? this.#agents.nextOfLast(key) : this.#agents.next({ key, name, idleMs });
  }

  /** Whatever is thrown reaches the client in devs's words alone; what nobody has foreseen, the operator too. */
  async #dispatch(request: JSONRPCRequest, arrived: Arrived): Promise<Result> {
    try {
      return await this.#serve(request, arrived);
    } catch (cause) {
      const isForeseen = cause instanceof ProtocolError || DevsError.is(cause);
      if (!isForeseen) this.#logger.error('MCP_REQUEST_FAILED', { method: request.method.slice(0, 100), error: describeCause(cause).slice(0, 500) });
      throw toProtocolError(cause);
    }
  }

  async #serve(request: JSONRPCRequest, arrived: Arrived): Promise<Result> {
    const { method, params } = request;
    if (method === 'tools/call') return this.#callTool(request, arrived);
    const relayed = this.#toRelayed(request, arrived);
    const untilReady = async () => untilTaken(arrived.connection, arrived.context.mcpReq.signal);
    if (method === 'tools/list') {
      const list = async () => untilReady().then(async () => listTools(params, { ...this.#options, relayed, allows: arrived.connection.allows }));
      return relayed === undefined ? list() : relayed.client.during(list);
    }
    if (relayed === undefined || !this.#relay.serves(method)) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    if (this.#stopping) throw new DevsError('SERVER_STOPPING');
    return relayed.client.during(async () => this.#track(untilReady().then(async () => this.#relay.handle(method, relayed))));
  }

  async #callTool(request: JSONRPCRequest, arrived: Arrived): Promise<Result> {
    const { arrivals } = arrived.connection;
    const { id, params } = request;
    const arrival = arrivals?.take(id) ?? { params, refusal: undefined };
    const { signal } = arrived.context.mcpReq;
    try {
      const agent = () => this.#agentOf(arrival.params, arrived.connection, arrived);
      return await this.#track(this.#call({ ...arrival, signal, agent, ...this.#tryRelayed(request, arrived) }, arrived.connection));
    } finally {
      // Also when it was cancelled: the SDK then sends no answer.
      arrivals?.end(id);
    }
  }

  /** A call that no client can be found for is refused as a call, so that it is in the log. */
  #tryRelayed(request: JSONRPCRequest, arrived: Arrived): Pick<AskedCall, 'relayed' | 'unplaced'> {
    try {
      return { relayed: this.#toRelayed(request, arrived) };
    } catch (cause) {
      return { unplaced: DevsError.is(cause) ? cause : new DevsError('INTERNAL_ERROR', { cause }) };
    }
  }

  #belongingOf({ origin, serves, allows }: Connection): Belonging {
    const { registry } = this.#options;
    const hears = (server: string): boolean => {
      const operations = ['resources/read', 'prompts/get'].flatMap((operation) => registry.getTool(`${server}/${operation}`) ?? []);
      const tools = [...operations, ...registry.listToolsForContext({ projectRoot: '', ...ANONYMOUS }).filter(({ source }) => source === server)];
      return tools.some((tool) => allows?.(tool) !== false);
    };
    return { owner: `${origin.channel} ${origin.principal}`, reach: { serves, ...(allows !== undefined && { hears }) } };
  }

  #toRelayed(request: JSONRPCRequest, { context, server, connection }: Arrived): RelayRequest | undefined {
    const { clients } = this.#options;
    if (clients === undefined) return undefined;
    const client = clients.of(connection.key ?? connection, clientInfoOf(server, context, connection), this.#belongingOf(connection));
    clients.attach(client, connection.outside ?? server);
    return toRelayRequest(request, context, { client, connection, agent: () => this.#agentOf(request.params, connection, { server, context }) });
  }

  async #track<Outcome>(running: Promise<Outcome>): Promise<Outcome> {
    this.#inFlight.add(running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  async #call({ params, signal, refusal, unplaced, relayed, agent }: AskedCall, connection: Connection): Promise<Result> {
    const { origin, allows } = connection;
    const { proxy, projectRoot, registry } = this.#options;
    const turnedAway = refusal ?? (this.#stopping ? new DevsError('SERVER_STOPPING') : unplaced);
    const dependencies = { proxy, projectRoot, origin, agent: agent(), refusal: turnedAway, ...(allows !== undefined && { admits: allows }) };
    if (turnedAway !== undefined) return callTool(params, signal, dependencies);
    const untilReady = async () => untilTaken(connection, signal);
    if (relayed !== undefined) {
      // At work from here on: its servers must not give way to those of another while it waits.
      return relayed.client.during(async () => untilReady().then(async () => relayTool(params, relayed, { ...dependencies, registry })));
    }
    await untilReady();
    return callTool(params, signal, dependencies);
  }
}

/** Until the other end takes answers again, or nobody waits for one. */
async function untilTaken({ ready }: Connection, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await ready?.();
}

/** A request, and the way that it came. */
interface Arrived {
  readonly context: ServerContext;
  readonly server: Server;
  readonly connection: Connection;
}
