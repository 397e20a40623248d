import { describeCause, DevsError, silentLogger, type Origin, type StructuredLogger } from '@devs/core';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server';
import type { Arrivals } from '../raw/arrivals.ts';
import { callTool, type CallGate } from './handlers/call-tool.ts';
import { listTools, type ToolCatalog } from './handlers/list-tools.ts';
import { Slots } from './slots.ts';

export interface OrchestratorServerOptions {
  readonly registry: ToolCatalog;
  readonly proxy: CallGate;
  readonly logger?: StructuredLogger;
  /** Absolute path of the folder that is served. */
  readonly projectRoot: string;
  readonly version: string;
  /** What a client is told about the tools as a whole, before what the gate says of its answers. Default: what holds for devs's own. */
  readonly introduction?: string;
  /** True when the registry may change while it is served: clients are then told that they can hear of it. */
  readonly toolsMayChange?: boolean;
}

const INTRODUCTION =
  'devs guards these tools: every call is checked, run confined and written to a log. ' +
  'A refused call has isError and says in one sentence what to change. Paths are relative to the project folder.';

/** Calls that run at once; the others wait in line. Each may hold a result of megabytes. */
const MOST_AT_ONCE = 64;

export interface Connection {
  /** What the transport has proven about whoever is at the other end. */
  readonly origin: Origin;
  /** What has come and is not answered yet, with what the raw messages were found wanting for. */
  readonly arrivals?: Arrivals;
  /** Resolves when the other end takes answers again: one that does not read must not fill the memory. */
  readonly ready?: () => Promise<void>;
}

interface AskedCall {
  readonly params: unknown;
  readonly signal: AbortSignal;
  /** Why it is turned away; undefined when the gate is to decide. */
  readonly refusal: DevsError | undefined;
}

/** Joins the gate to MCP. Makes one protocol server a connection (stdio) or a request (HTTP), for both eras. */
export class OrchestratorServer {
  readonly #options: OrchestratorServerOptions;
  readonly #logger: StructuredLogger;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #connected = new Set<Server>();
  readonly #slots = new Slots(MOST_AT_ONCE);
  #stopping = false;

  constructor(options: OrchestratorServerOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
  }

  createProtocolServer(connection: Connection): Server {
    const { registry, projectRoot, version, proxy, introduction = INTRODUCTION, toolsMayChange = false } = this.#options;
    const instructions = [introduction, proxy.instructions ?? ''].filter((part) => part !== '').join(' ');
    const capabilities = { tools: toolsMayChange ? { listChanged: true } : {} };
    const server = new Server({ name: 'devs', version }, { capabilities, ...(instructions !== '' && { instructions }) });
    this.#connected.add(server);
    server.onclose = () => this.#connected.delete(server);
    server.onerror = (error) => this.#logger.warn('MCP_PROTOCOL_ERROR', { error: error.message.slice(0, 500) });
    server.setRequestHandler('tools/list', async ({ params }) => listTools(params, registry, projectRoot));
    // Not setRequestHandler: the SDK would parse the parameters first, answer a bad shape itself and
    // drop own `__proto__` keys. Such a call would then miss the log, or reach a tool changed.
    server.fallbackRequestHandler = async (request, { mcpReq }) => this.#dispatch(request, mcpReq.signal, connection);
    return server;
  }

  /** From now on every new call is refused, and that is recorded; those under way go on. */
  stopTakingCalls(): void {
    this.#stopping = true;
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
  async recordRefusal(params: unknown, refusal: DevsError, origin: Origin): Promise<void> {
    await this.#track(this.#call({ params, signal: new AbortController().signal, refusal }, { origin }));
  }

  /** Tells every client that is connected to list the tools again. */
  announceToolChange(): void {
    for (const server of this.#connected) {
      server.sendToolListChanged().catch((cause: unknown) => {
        this.#logger.debug('TOOL_CHANGE_NOT_TOLD', { error: describeCause(cause) });
      });
    }
  }

  async #dispatch({ id, method, params }: JSONRPCRequest, signal: AbortSignal, connection: Connection): Promise<CallToolResult> {
    if (method !== 'tools/call') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const { arrivals } = connection;
    const arrival = arrivals?.take(id) ?? { params, refusal: undefined };
    try {
      return await this.#track(this.#call({ ...arrival, signal }, connection));
    } finally {
      // Also when it was cancelled: the SDK then sends no answer.
      arrivals?.end(id);
    }
  }

  async #track<Result>(running: Promise<Result>): Promise<Result> {
    this.#inFlight.add(running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  async #call({ params, signal, refusal }: AskedCall, { origin, ready }: Connection): Promise<CallToolResult> {
    const { proxy, projectRoot } = this.#options;
    const turnedAway = refusal ?? (this.#stopping ? new DevsError('SERVER_STOPPING') : undefined);
    const dependencies = { proxy, projectRoot, origin, refusal: turnedAway };
    // It runs nothing and holds no result: behind long calls it would only come late.
    if (turnedAway !== undefined) return callTool(params, signal, dependencies);
    await this.#slots.acquire();
    try {
      if (ready !== undefined && !signal.aborted) await ready();
      return await callTool(params, signal, dependencies);
    } finally {
      this.#slots.release();
    }
  }
}
