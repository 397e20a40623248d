import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describeCause, silentLogger, type JsonObject, type StructuredLogger } from '@devs/core';
import { isAuthorized } from '../auth/token.ts';
import { methodRefused, objectionToStanding, tokenRefused } from '../http/request-admission.ts';
import { refusal, type Refusal } from '../http/refusal.ts';
import { nodeHttp } from '../node-http.ts';
import { listen } from './listen.ts';
import type { RunningServer } from './stdio.ts';

export interface OperatorOptions {
  /** `127.0.0.1` or `::1`. `localhost` is `127.0.0.1`. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The operator's own bearer token. That of agents is none here, and this is none there. */
  readonly token: string;
  /** What `/status` shows: no secrets, no arguments of calls. Asked once at a time. */
  readonly status: () => Promise<JsonObject>;
  /** False when devs runs and serves nobody: `/health` is then 503. Default: it is always well. */
  readonly isHealthy?: () => boolean;
  readonly logger?: StructuredLogger;
}

export interface RunningOperatorServer extends RunningServer {
  readonly port: number;
  readonly url: string;
}

interface Answer {
  /** Of HTTP. */
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A person and a supervisor ask; agents have no business here. */
const MOST_CONNECTIONS = 32;
const TIMEOUT_MS = 5_000;

/** Serves `GET /health` and, to who has the operator's token, `GET /status`, on a port of their own. Rejects when it cannot be had. */
export async function serveOperator(options: OperatorOptions): Promise<RunningOperatorServer> {
  const { host, port: asked } = options;
  const answers = new OperatorAnswers(options);
  const http = nodeHttp().createServer({ requestTimeout: TIMEOUT_MS, keepAliveTimeout: TIMEOUT_MS, connectionsCheckingInterval: 1_000, requireHostHeader: false });
  boundConnections(http);
  http.maxHeadersCount = 0;
  http.on('request', (request, response) => void answers.answer(request, response));
  http.on('connect', (_request, socket) => socket.destroy());
  const { port, origin: url } = await listen(http, { host, port: asked });
  const closed = new Promise<void>((resolve) => http.once('close', resolve));
  const close = async () => {
    http.close();
    http.closeAllConnections();
    await closed;
  };
  return { port, url, closed, close };
}

/** Whoever opens connections and says nothing keeps nobody out: the oldest gives way. Each is answered at once, or it is not worth a place. */
function boundConnections(http: Server): void {
  const open = new Set<Socket>();
  http.on('connection', (socket) => {
    const [oldest] = open;
    if (oldest !== undefined && open.size >= MOST_CONNECTIONS) {
      open.delete(oldest);
      oldest.destroy();
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

class OperatorAnswers {
  readonly #options: OperatorOptions;
  #asking: Promise<Answer> | undefined;

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Nothing that it sends is kept; it gets as long for it as for its headers.
    request.on('error', () => undefined).resume();
    const { status, body, headers } = await this.#answerTo(request);
    const text = `${JSON.stringify(body)}\n`;
    const own = { 'content-type': 'application/json', 'cache-control': 'no-store', 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, { ...headers, ...own }).end(text);
  }

  /** Host and Origin first, as on the port of the agents: a page in a browser learns not even that devs is well. */
  async #answerTo(request: IncomingMessage): Promise<Answer> {
    const foreign = objectionToStanding(request);
    if (foreign !== undefined) return toAnswer(foreign);
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/health' && path !== '/status') return toAnswer(refusal(404, 'There is nothing here but /health and /status.'));
    if (path === '/status' && !isAuthorized(request.headers.authorization, this.#options.token)) return toAnswer(tokenRefused(request));
    if (request.method !== 'GET') return toAnswer({ ...methodRefused('GET'), error: { code: 0, message: 'There is GET alone.' } });
    return path === '/health' ? this.#health() : this.#status();
  }

  #health(): Answer {
    const { isHealthy = () => true } = this.#options;
    return isHealthy() ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { status: 'unavailable' }, headers: { 'retry-after': '1' } };
  }

  /** Whoever asks while it is being asked gets the same: the answer costs more than the question. */
  async #status(): Promise<Answer> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<Answer> {
    const { status, logger = silentLogger } = this.#options;
    try {
      return { status: 200, body: await status() };
    } catch (cause) {
      logger.error('STATUS_FAILED', { error: describeCause(cause).slice(0, 500) });
      return { status: 500, body: { error: 'The status cannot be told; see the diagnostics.' } };
    }
  }
}

function toAnswer({ status, error, headers }: Refusal): Answer {
  return { status, body: { error: error.message }, ...(headers !== undefined && { headers }) };
}
