import { ownValue, silentLogger, type StructuredLogger } from '@devs/core';
import { createMcpHandler, type McpHttpHandler, type ServerEvent } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/principals.ts';
import type { ClientConnection } from '../protocol/connection.ts';
import type { Connection, OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';

/** What serves requests of the newer protocol, each principal's own: what one is told of changes, another does not hear. */
export class ModernHandlers {
  readonly #server: OrchestratorServer;
  readonly #logger: StructuredLogger;
  readonly #handlers = new Map<Principal, McpHttpHandler>();
  readonly #outside = new WeakMap<Principal, ClientConnection>();
  readonly #expected = new WeakMap<Request, Connection>();

  constructor(server: OrchestratorServer, logger: StructuredLogger = silentLogger) {
    this.#server = server;
    this.#logger = logger;
  }

  /** Serves the message in `parsedBody`, for whoever is at the other end of the connection. */
  async serve(request: Request, { principal, connection, parsedBody }: Served): Promise<Response> {
    // Revoked between admission and here.
    if (principal.ended.aborted) throw new Error('the token holds no more');
    const handler = this.#of(principal);
    this.#expected.set(request, connection);
    return handler.fetch(request, { parsedBody });
  }

  #of(principal: Principal): McpHttpHandler {
    const known = this.#handlers.get(principal);
    if (known !== undefined) return known;
    const handler = createMcpHandler(({ requestInfo }) => this.#server.createProtocolServer(this.#connectionFor(requestInfo)), {
      legacy: 'reject',
      onerror: (error) => this.#logger.warn('MCP_TRANSPORT_ERROR', { error: error.message.slice(0, 500) }),
    });
    this.#handlers.set(principal, handler);
    principal.ended.addEventListener('abort', () => void this.#end(principal, handler), { once: true });
    return handler;
  }

  /** The streams that the principal holds open: to be told what belongs to no request. */
  outsideOf(principal: Principal): ClientConnection {
    const known = this.#outside.get(principal);
    if (known !== undefined) return known;
    const outside: ClientConnection = {
      notification: async ({ method, params }) => {
        const event = toEvent(method, params);
        // Where nothing was asked for there is no stream; of one whose token is gone neither.
        if (event !== undefined) this.#handlers.get(principal)?.bus.publish(event);
        await Promise.resolve();
      },
      request: async () => Promise.reject(new Error('Nothing is asked of a client outside of its requests.')),
    };
    this.#outside.set(principal, outside);
    return outside;
  }

  /** Ends what is under way, and the streams that clients hold open. */
  async close(): Promise<void> {
    await Promise.all([...this.#handlers.values()].map(async (handler) => handler.close()));
  }

  async #end(principal: Principal, handler: McpHttpHandler): Promise<void> {
    this.#handlers.delete(principal);
    await handler.close();
    await this.#server.endClient({ origin: principal.origin, key: principal });
  }

  /** Fails closed: a server for nobody in particular would run calls that nobody can account for. */
  #connectionFor(request: Request | undefined): Connection {
    const connection = request === undefined ? undefined : this.#expected.get(request);
    if (connection === undefined) throw new Error('a request that was not admitted');
    return connection;
  }
}

const CHANGES = {
  'notifications/tools/list_changed': 'tools_list_changed',
  'notifications/prompts/list_changed': 'prompts_list_changed',
  'notifications/resources/list_changed': 'resources_list_changed',
} as const;

/** As the SDK's streams want it; undefined for what no stream carries. */
function toEvent(method: string, params: unknown): ServerEvent | undefined {
  const uri = ownValue(params, 'uri');
  if (method === 'notifications/resources/updated') return typeof uri === 'string' ? { kind: 'resource_updated', uri } : undefined;
  const change = Object.entries(CHANGES).find(([known]) => known === method);
  return change === undefined ? undefined : { kind: change[1] };
}

interface Served {
  readonly principal: Principal;
  readonly connection: Connection;
  readonly parsedBody: object;
}
