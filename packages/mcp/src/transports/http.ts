import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger, type Origin, type StructuredLogger } from '@devs/core';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Connections } from '../http/connections.ts';
import { PATH } from '../http/door.ts';
import { HttpFront } from '../http/http-front.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '../http/limits.ts';
import { Unread } from '../http/unread.ts';
import type { Connection, OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';
import type { RunningServer } from './stdio.ts';

export interface HttpOptions extends Partial<HttpLimits> {
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

/** Serves MCP, both eras, over Streamable HTTP at `/mcp`. Rejects when the port cannot be had. */
export async function serveOverHttp(server: OrchestratorServer, options: HttpOptions): Promise<RunningHttpServer> {
  const { host, port: asked, token, logger = silentLogger, ...named } = options;
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...named };
  const origin: Origin = { principal: token === undefined ? 'unauthenticated' : 'token', channel: 'http' };
  const expected = new WeakMap<Request, Connection>();
  const mcp = createMcpHandler(({ requestInfo }) => server.createProtocolServer(connectionFor(requestInfo, expected)), {
    onerror: (error) => logger.warn('MCP_TRANSPORT_ERROR', { error: error.message.slice(0, 500) }),
  });
  const http = createHttpServer(limits);
  const connections = new Connections(http, limits);
  const outlet = { unread: new Unread(limits.maxUnreadBytes), timeoutMs: limits.answerTimeoutMs, maxWaitingBytes: limits.maxUnreadBytes };
  const expect = (request: Request, connection: Connection) => void expected.set(request, connection);
  const isExtra = connections.isExtra.bind(connections);
  const front = new HttpFront({ server, origin, token, limits, logger, outlet, mcp, expect, isExtra });
  serveRequests(http, { front, connections });
  await listen(http, { host, port: asked });
  const closed = new Promise<void>((resolve) => http.once('close', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    port,
    url: `http://${host === '::1' ? '[::1]' : host}:${port}${PATH}`,
    closed,
    close: async () => {
      front.stop();
      http.close();
      server.stopTakingCalls();
      await front.answered();
      await server.drain();
      // A stream that a client holds open has no end of its own.
      await mcp.close();
      await front.idle();
      http.closeAllConnections();
      await closed;
    },
  };
}

function createHttpServer({ requestTimeoutMs, idleTimeoutMs }: HttpLimits): Server {
  return createServer({
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(requestTimeoutMs / 4)),
    // Whether a request names this server is the door's to say.
    requireHostHeader: false,
  });
}

function serveRequests(http: Server, { front, connections }: { readonly front: HttpFront; readonly connections: Connections }): void {
  // Node would leave out what is beyond two thousand, a second Host among it. Their bytes are bounded.
  http.maxHeadersCount = 0;
  const receive = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    connections.begin(request.socket, response);
    // The parser drops what follows an offer to change the protocol: a client that sends on must know it is not served.
    if (offersUpgrade(request)) response.setHeader('connection', 'close');
    front.receive(request, response, expectsContinue);
  };
  http.on('request', receive(false));
  // With a listener Node does not ask for the body by itself, before the door has been passed.
  http.on('checkContinue', receive(true));
  http.on('checkExpectation', receive(false));
}

function offersUpgrade({ headers }: IncomingMessage): boolean {
  const tokens = (headers.connection ?? '').toLowerCase().split(',');
  return tokens.some((token) => token.trim() === 'upgrade');
}

/** Fails closed: a server for nobody in particular would run calls that nobody can account for. */
function connectionFor(request: Request | undefined, expected: WeakMap<Request, Connection>): Connection {
  const connection = request === undefined ? undefined : expected.get(request);
  if (connection === undefined) throw new Error('a request that did not come through the door');
  return connection;
}

async function listen(http: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const listening = Promise.withResolvers<void>();
  http.once('error', listening.reject);
  http.listen(port, host, listening.resolve);
  await listening.promise;
  http.removeListener('error', listening.reject);
}
