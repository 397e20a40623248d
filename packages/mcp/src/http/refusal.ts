import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as startTimer } from 'node:timers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { nodeHttp } from '../node-http.ts';
import { INVALID_REQUEST, type Objection, type RequestId } from '../raw/read-message.ts';
import { sendWhole, type ResponseWriterOptions } from './response-writer.ts';

/** A request that is not served, and why. */
export interface Refusal {
  /** Of HTTP. */
  readonly status: number;
  /** In the body, as JSON-RPC. */
  readonly error: Objection;
  /** Of the message, where it was read and has one. */
  readonly id?: RequestId | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON-RPC leaves -32000 and below to servers; MCP reserves down to -32019 for itself. */
const REFUSED = -32_050;
/** Seconds: calls are short, and the room of a refused one is free at once. */
const RETRY_AFTER = '1';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A refusal by what HTTP says of a request, before its body. */
export function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return { status, error: { code: REFUSED, message }, headers };
}

export const STOPPING = refusal(503, 'devs is stopping and takes no more requests. Send it again once devs is running.');

export function tooMany(what: string): Refusal {
  return refusal(429, `${what} Send the request again in a second.`, { 'retry-after': RETRY_AFTER });
}

export function tooLargeToRead(problem: string, id: RequestId | undefined): Refusal {
  const message = `The message ${problem}. Send less at once.`;
  return { status: 413, error: { code: INVALID_REQUEST, message }, id: id ?? null };
}

/** Answers a request whose body has been read. The connection goes on. */
export async function refuse(response: ServerResponse, { status, error, id = null, headers = {} }: Refusal, writer: ResponseWriterOptions): Promise<void> {
  await sendWhole(response, { status, headers: { ...headers, ...JSON_TYPE }, body: toBody(error, id) }, writer);
}

export interface ClosingRefusal extends Refusal {
  /** Milliseconds that the client gets to read it. */
  readonly lingerMs: number;
  readonly writer: ResponseWriterOptions;
}

/**
 * Answers a request whose body nobody will read, and closes the connection. Closed at once, with bytes
 * of the body unread, the system would reset it, and the client might lose the answer with it: so the
 * client gets a moment to read that and to hang up.
 */
export async function refuseAndClose(request: IncomingMessage, response: ServerResponse, options: ClosingRefusal): Promise<void> {
  const { status, error, id = null, lingerMs, writer } = options;
  request.pause();
  // The body often comes in one piece with the headers.
  await setImmediate();
  const headers = { ...options.headers, connection: 'close' };
  if (request.complete) return refuse(response, { ...options, headers }, writer);
  if (response.destroyed || response.headersSent) return;
  const body = toBody(error, id);
  response.writeHead(status, { ...headers, ...JSON_TYPE, 'content-length': body.length }).write(body);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  await setTimeout(lingerMs, undefined, { signal: gone.signal }).catch(() => undefined);
  response.destroy();
}

/** Answers on a connection on which HTTP cannot be spoken (any more), and closes it. */
export function refuseRaw(socket: Duplex, { status, error, headers = {} }: Refusal, lingerMs: number): void {
  const body = toBody(error, null);
  const lines = Object.entries({ ...headers, connection: 'close', ...JSON_TYPE, 'content-length': body.length });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  if (!socket.writable) return void socket.destroy();
  socket.on('error', () => socket.destroy()).end(`HTTP/1.1 ${status} ${nodeHttp().STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body.toString()}`);
  const timer = startTimer(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

function toBody(error: Objection, id: RequestId | null): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', error, id }));
}
