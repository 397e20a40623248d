import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger, type Origin, type StructuredLogger } from '@devs/core';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { foreignRequest } from '../auth/loopback.ts';
import { isAuthorized } from '../auth/token.ts';
import type { OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';
import type { RunningServer } from './stdio.ts';

export interface HttpOptions {
  /** A loopback address. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The bearer token to ask for; undefined serves without one, Host and Origin checked all the same. */
  readonly token: string | undefined;
  readonly logger?: StructuredLogger;
}

export interface RunningHttpServer extends RunningServer {
  readonly port: number;
  readonly url: string;
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

const STOPPING: Refusal = { status: 503, message: 'devs is stopping.' };

const PATH = '/mcp';
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** JSON-RPC leaves -32000 and below to servers; MCP reserves down to -32019 for itself. */
const REFUSED = -32_050;

/** Serves MCP, both eras, over Streamable HTTP at `/mcp`. Rejects when the port cannot be had. */
export async function serveOverHttp(server: OrchestratorServer, options: HttpOptions): Promise<RunningHttpServer> {
  const logger = options.logger ?? silentLogger;
  const onerror = (error: Error) => logger.warn('MCP_TRANSPORT_ERROR', { error: error.message.slice(0, 500) });
  const origin: Origin = { principal: options.token === undefined ? 'unauthenticated' : 'token', channel: 'http' };
  const mcp = createMcpHandler(() => server.createProtocolServer({ origin }), { maxRequestBodySize: MAX_BODY_BYTES, onerror });
  const handle = toNodeHandler(mcp, { maxRequestBodySize: MAX_BODY_BYTES, onerror });
  let stopping = false;
  const http = createServer((request, response) => {
    const refusal = refusalOf(request, options.token) ?? (stopping ? STOPPING : undefined);
    if (refusal !== undefined) return refuse(response, refusal);
    void handle(toPortable(request), response).catch(onerror);
  });
  await listen(http, options);
  const closed = new Promise<void>((resolve) => http.once('close', resolve));
  const { port } = http.address() as AddressInfo;
  const shownHost = options.host === '::1' ? '[::1]' : options.host;
  return {
    port,
    url: `http://${shownHost}:${port}${PATH}`,
    closed,
    close: async () => {
      // Connections that are kept alive would go on asking: they are told, and closed.
      stopping = true;
      http.close();
      server.stopTakingCalls();
      await server.drain();
      await mcp.close();
      http.closeIdleConnections();
      // A stream that a client holds open has no end of its own.
      http.closeAllConnections();
      await closed;
    },
  };
}

/** The part of a request that the adapter reads. */
function toPortable(request: IncomingMessage): Parameters<ReturnType<typeof toNodeHandler>>[0] {
  const { method = 'GET', url = '/', headers } = request;
  return { method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() };
}

/** Cheapest first, and nothing is read of a body before all of it has passed. */
function refusalOf({ headers, url, socket }: IncomingMessage, token: string | undefined): Refusal | undefined {
  const foreign = foreignRequest(headers, socket.localPort ?? 0);
  if (foreign !== undefined) return { status: 403, message: foreign };
  if (token !== undefined && !isAuthorized(headers.authorization, token)) {
    return { status: 401, message: 'A bearer token is needed; devs prints at its start where it is kept.' };
  }
  const path = (url ?? '').split('?', 1)[0];
  if (path !== PATH) return { status: 404, message: `There is nothing here. MCP is served at ${PATH}.` };
  return undefined;
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: REFUSED, message }, id: null });
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...challenge }).end(body);
}

async function listen(http: Server, { host, port }: HttpOptions): Promise<void> {
  const listening = Promise.withResolvers<void>();
  http.once('error', listening.reject);
  http.listen(port, host, listening.resolve);
  await listening.promise;
  http.removeListener('error', listening.reject);
}
