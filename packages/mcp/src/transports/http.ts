import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { silentLogger, type StructuredLogger } from '@devs/core';
import { Principals, type Principal } from '../auth/principals.ts';
import { Connections } from '../http/connections.ts';
import { PATH } from '../http/request-admission.ts';
import { HttpRequests } from '../http/http-requests.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '../http/limits.ts';
import { ModernHandlers } from '../http/modern-handlers.ts';
import { Sessions } from '../http/sessions.ts';
import { Unread } from '../http/unread.ts';
import { nodeHttp } from '../node-http.ts';
import type { Connection, OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';
import { listen } from './listen.ts';
import type { RunningServer } from './stdio.ts';

export interface HttpOptions extends Partial<HttpLimits> {
  /** `127.0.0.1` or `::1`. `localhost` is `127.0.0.1`. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The bearer token to ask for; undefined serves without one, Host and Origin checked all the same. */
  readonly token: string | undefined;
  /** Who may send requests, where `token` alone does not say it. Its own token takes the place of `token`. */
  readonly principals?: Principals;
  /** The input schema of a tool as this client is shown it, for the headers that repeat its arguments. Default: none repeats any. */
  readonly schemaOf?: (tool: string, connection: Connection) => unknown;
  readonly logger?: StructuredLogger;
}

/** What is going on at one moment. */
export interface HttpActivity {
  readonly connections: number;
  /** Open streams among them. */
  readonly requests: number;
  readonly sessions: number;
  /** How many may send requests: named tokens, and the token of the first start. */
  readonly principals: number;
}

export interface RunningHttpServer extends RunningServer {
  readonly port: number;
  readonly url: string;
  activity(): HttpActivity;
}

/** Milliseconds that clients get, once all is over, to take what they are answered. With the grace before it less than supervisors wait. */
const LAST_WORDS_MS = 1_500;

/** Serves MCP, both eras, over Streamable HTTP at `/mcp`. Rejects when the port cannot be had. */
export async function serveOverHttp(server: OrchestratorServer, options: HttpOptions): Promise<RunningHttpServer> {
  const { host, port: asked, token, logger = silentLogger, principals = new Principals({ token }), schemaOf = () => undefined, ...named } = options;
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...named };
  const http = createHttpServer(limits);
  const connections = new Connections(http, { limits, principals: () => principals.count });
  const unread = new Unread<Principal | undefined>(limits.maxUnreadBytes, () => principals.count);
  const unreadOf = unread.of.bind(unread);
  const writerOf = (principal: Principal | undefined) => ({ unread: unreadOf(principal), timeoutMs: limits.answerTimeoutMs, maxWaitingBytes: limits.maxUnreadBytes });
  const sessions = new Sessions({ server, principals, limits, unreadOf, logger });
  const handlers = new ModernHandlers(server, logger);
  const requests = new HttpRequests({ server, principals, limits, logger, writerOf, sessions, handlers, schemaOf, prove: connections.prove.bind(connections) });
  serveRequests(http, { requests, connections });
  const { port, origin } = await listen(http, { host, port: asked });
  const closed = new Promise<void>((resolve) => http.once('close', resolve));
  return {
    port,
    url: `${origin}${PATH}`,
    activity: () => ({ connections: connections.count, requests: requests.count, sessions: sessions.count, principals: principals.count }),
    closed,
    close: async () => {
      requests.stop();
      http.close();
      server.stopTakingCalls();
      await within(limits.graceMs, requests.answered());
      // Streams that clients hold open have no end of their own; what is not answered by now is cancelled, and recorded so.
      await Promise.all([sessions.end(), handlers.close()]);
      await server.drain();
      // A client that takes its last answer slowly must not keep devs from going.
      await within(Math.min(limits.graceMs, LAST_WORDS_MS), requests.idle());
      http.closeAllConnections();
      await closed;
    },
  };
}

async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  const over = new AbortController();
  const passed = setTimeout(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([done, passed]);
  over.abort();
}

function createHttpServer({ requestTimeoutMs, idleTimeoutMs }: HttpLimits): Server {
  return nodeHttp().createServer({
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(requestTimeoutMs / 4)),
    // Admission checks whether a request names this server.
    requireHostHeader: false,
  });
}

function serveRequests(http: Server, { requests, connections }: { readonly requests: HttpRequests; readonly connections: Connections }): void {
  // Node would leave out what is beyond two thousand, a second Host among it. Their bytes are bounded.
  http.maxHeadersCount = 0;
  const receive = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    connections.begin(request.socket, response);
    // The parser drops what follows an offer to change the protocol: a client that sends on must know it is not served.
    if (offersUpgrade(request)) response.setHeader('connection', 'close');
    requests.receive(request, response, expectsContinue);
  };
  http.on('request', receive(false));
  // With a listener Node does not ask for the body by itself, before the request is admitted.
  http.on('checkContinue', receive(true));
  http.on('checkExpectation', receive(false));
}

function offersUpgrade({ headers }: IncomingMessage): boolean {
  const tokens = (headers.connection ?? '').toLowerCase().split(',');
  return tokens.some((token) => token.trim() === 'upgrade');
}
