import { DevsError, silentLogger, type Origin, type StructuredLogger } from '@devs/core';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server';
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
  /** What a client is told about the tools as a whole. Default: what holds for devs's own; empty: nothing. */
  readonly instructions?: string;
}

const INSTRUCTIONS =
  'devs guards these tools: every call is checked, run confined and written to a log. ' +
  'A refused call has isError and says in one sentence what to change. Paths are relative to the project folder.';

/** Calls that run at once; the others wait in line. Each may hold a result of megabytes. */
const MOST_AT_ONCE = 64;

export interface Connection {
  /** What the transport has proven about whoever is at the other end. */
  readonly origin: Origin;
  /** Resolves when the other end takes answers again: one that does not read must not fill the memory. */
  readonly ready?: () => Promise<void>;
}

/** Joins the gate to MCP. Makes one protocol server a connection (stdio) or a request (HTTP), for both eras. */
export class OrchestratorServer {
  readonly #options: OrchestratorServerOptions;
  readonly #logger: StructuredLogger;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #slots = new Slots(MOST_AT_ONCE);
  #stopping = false;

  constructor(options: OrchestratorServerOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
  }

  createProtocolServer(connection: Connection): Server {
    const { registry, projectRoot, version, instructions = INSTRUCTIONS } = this.#options;
    const server = new Server(
      { name: 'devs', version },
      { capabilities: { tools: { listChanged: true } }, ...(instructions !== '' && { instructions }) },
    );
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

  async #dispatch({ method, params }: JSONRPCRequest, signal: AbortSignal, connection: Connection): Promise<CallToolResult> {
    if (method !== 'tools/call') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const running = this.#call(params, signal, connection);
    this.#inFlight.add(running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  async #call(params: unknown, signal: AbortSignal, { origin, ready }: Connection): Promise<CallToolResult> {
    const { proxy, projectRoot } = this.#options;
    const refusal = this.#stopping ? new DevsError('SERVER_STOPPING') : undefined;
    await this.#slots.acquire();
    try {
      if (ready !== undefined && !signal.aborted) await ready();
      return await callTool(params, signal, { proxy, projectRoot, origin, refusal });
    } finally {
      this.#slots.release();
    }
  }
}
