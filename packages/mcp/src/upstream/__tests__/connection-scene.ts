import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { DevsError, isRecord, type Continuation, type JsonObject, type LogFields, type StructuredLogger } from '@devs/core';
import type { ClientInfo } from '../../client-info.ts';
import { HttpTransport, type HttpTransportOptions } from '../http/http-transport.ts';
import { GreetedUpstream, type UpstreamOptions } from '../protocol/greeted-upstream.ts';
import { StdioTransport, type StdioTransportOptions } from '../stdio/stdio-transport.ts';
import { systemTimers, type Timers } from '../protocol/timers.ts';
import { UpstreamError, type ClientSide, type Upstream, type UpstreamAnswer, type UpstreamEvent } from '../../protocol/upstream.ts';

export const NOBODY = new AbortController().signal;

export const CLIENT: ClientInfo = {
  era: 'legacy',
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {}, roots: {} },
  clientInfo: { name: 'the client', version: '3' },
};
export const MODERN_CLIENT: ClientInfo = { ...CLIENT, era: 'modern', protocolVersion: '2026-07-28' };

export interface AskOptions {
  readonly signal?: AbortSignal;
  readonly onNotice?: (notice: unknown) => void;
  readonly wantsProgress?: boolean;
  readonly continuation?: Continuation;
}

/** One connection, and all that it says. Nothing of it is left when disposed. */
export interface ConnectionScene extends AsyncDisposable {
  readonly upstream: Upstream;
  readonly events: readonly UpstreamEvent[];
  readonly said: readonly (LogFields & { readonly event: string })[];
  ask(method: string, params?: JsonObject, options?: AskOptions): Promise<UpstreamAnswer>;
  call(name: string, args?: JsonObject, options?: AskOptions): Promise<UpstreamAnswer>;
}

function createEars() {
  const events: UpstreamEvent[] = [];
  const said: (LogFields & { event: string })[] = [];
  const hear = (event: string, fields: LogFields = {}) => void said.push({ ...fields, event });
  const logger: StructuredLogger = { debug: hear, info: hear, warn: hear, error: hear };
  return { events, said, logger };
}

function toScene(upstream: Upstream, ears: ReturnType<typeof createEars>): ConnectionScene {
  const ask = async (method: string, params: JsonObject = {}, { signal = NOBODY, ...rest }: AskOptions = {}) =>
    upstream.request({ method, params, signal, ...rest });
  return {
    upstream,
    ...ears,
    ask,
    call: async (name, args = {}, options = {}) => ask('tools/call', { name, arguments: args }, options),
    [Symbol.asyncDispose]: async () => upstream.end(),
  };
}

export interface SceneOptions extends Omit<Partial<UpstreamOptions>, 'client' | 'name' | 'logger'> {
  readonly info?: ClientInfo;
  readonly ask?: ClientSide['ask'];
}

function commandOf([file = '', ...args]: readonly string[]): StdioTransportOptions['command'] {
  return { command: process.execPath, args: [path.join(__dirname, file), ...args], cwd: __dirname, env: process.env };
}

/** A real process of a server of this folder. */
export function openStdio(words: readonly string[], { info = CLIENT, ask, command = commandOf(words), spawn, ...options }: SceneOptions & Partial<StdioTransportOptions> = {}): ConnectionScene {
  const ears = createEars();
  const client = { info, onEvent: (event: UpstreamEvent) => void ears.events.push(event), ask: ask ?? (async () => ({ roots: [] })) };
  const shared = { name: 'server', client, logger: ears.logger, random: () => 0, ...options };
  return toScene(new GreetedUpstream(shared, (greeter) => new StdioTransport({ command, ...(spawn !== undefined && { spawn }) }, greeter)), ears);
}

export function openHttp(url: string, { info = CLIENT, ask, headers = {}, schemaOf = () => undefined, ...options }: SceneOptions & Partial<HttpTransportOptions> = {}): ConnectionScene {
  const ears = createEars();
  const client = { info, onEvent: (event: UpstreamEvent) => void ears.events.push(event), ask: ask ?? (async () => ({ roots: [] })) };
  const shared = { name: 'server', client, logger: ears.logger, random: () => 0, ...options };
  return toScene(new GreetedUpstream(shared, (greeter) => new HttpTransport({ url: new URL(url), headers, schemaOf }, greeter)), ears);
}

/** A process that serves over HTTP, ended with the scene. */
export async function startHttpServer(words: readonly string[]): Promise<AsyncDisposable & { readonly url: string }> {
  const [file = '', ...args] = words;
  const child = spawn(process.execPath, [path.join(__dirname, file), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [url] = await once(readline.createInterface({ input: child.stdout }), 'line');
  return {
    url: String(url),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
  /** Answers as a server without fault would. */
  readonly reply: (result: unknown) => void;
}

export interface ScriptOptions {
  /** Default: it greets back. */
  readonly onInitialize?: (visit: Visit) => void;
  readonly onInitialized?: () => Promise<void>;
  /** Default: the session is ended. */
  readonly onDelete?: (visit: Visit) => void;
}

/** A server over HTTP that does what the test says; greetings of the older protocol are answered for it. */
export async function serveScript(script: (visit: Visit) => void | Promise<void>, { onInitialize = greetBack, onInitialized, onDelete = ({ response }) => void response.writeHead(200).end() }: ScriptOptions = {}) {
  const visits: Omit<Visit, 'reply' | 'response'>[] = [];
  const server = http.createServer((request, response) => {
    void readJson(request).then(async (message) => {
      const { method = '', url = '', headers } = request;
      const reply = (result: unknown) => sendJson(response, 200, { jsonrpc: '2.0', id: message['id'], result });
      visits.push({ method, path: url, headers, message });
      if (method === 'GET') return void response.writeHead(405).end();
      if (method === 'DELETE') return onDelete({ method, path: url, headers, message, response, reply });
      if (message['method'] === 'server/discover') return sendJson(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'no' } });
      if (message['method'] === 'notifications/initialized') {
        await onInitialized?.();
        return void response.writeHead(202).end();
      }
      const answer = message['method'] === 'initialize' ? onInitialize : script;
      return answer({ method, path: url, headers, message, response, reply });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    visits,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function greetBack({ response, reply }: Visit): void {
  response.setHeader('mcp-session-id', 's-1');
  reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'script', version: '1' } });
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  return isRecord(parsed) ? parsed : {};
}

/** The result of a request that is at its end. */
export function resultOf(answer: UpstreamAnswer): Record<string, unknown> {
  if (answer.kind !== 'complete' || !isRecord(answer.result)) throw new Error(`no result: ${JSON.stringify(answer)}`);
  return answer.result;
}

export function wordsOf(answer: UpstreamAnswer): string {
  const { content } = resultOf(answer);
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  return isRecord(first) ? String(first['text']) : '';
}

/** How a request failed: a code of devs's, or `rpc` and the server's. */
export async function failureOf(promise: Promise<unknown>): Promise<{ code: string; sentence: string }> {
  try {
    return { code: '', sentence: JSON.stringify(await promise) };
  } catch (cause) {
    if (DevsError.is(cause)) return { code: cause.code, sentence: cause.sentence };
    if (cause instanceof UpstreamError) return { code: `rpc ${cause.code}`, sentence: cause.message };
    throw cause;
  }
}

/** No waits but those that the test ends: each sleep is kept with its length. */
export function createClock() {
  let now = 0;
  const sleeps = new Set<{ readonly until: number; readonly milliseconds: number; readonly wake: () => void }>();
  const asked: number[] = [];
  const timers: Timers = {
    monotonicMs: () => now,
    sleep: async (milliseconds, signal) =>
      new Promise<void>((resolve) => {
        asked.push(milliseconds);
        if (signal.aborted) return resolve();
        const sleep = { until: now + milliseconds, milliseconds, wake: resolve };
        sleeps.add(sleep);
        signal.addEventListener('abort', () => {
          sleeps.delete(sleep);
          resolve();
        }, { once: true });
      }),
  };
  const advance = (milliseconds: number) => {
    now += milliseconds;
    for (const sleep of sleeps) {
      if (sleep.until > now) continue;
      sleeps.delete(sleep);
      sleep.wake();
    }
  };
  return { timers, advance, sleeps, asked };
}

/** The machine's time, but that waits of up to so many milliseconds are short. */
function shorten(longest: number): Timers {
  const sleep: Timers['sleep'] = async (milliseconds, signal) => systemTimers.sleep(milliseconds > longest ? milliseconds : Math.min(milliseconds, 20), signal);
  return { ...systemTimers, sleep };
}

/** Waits between attempts are short; no time that a server gets to answer is. */
export const hasty: Timers = shorten(4_500);
/** For servers that leave devs waiting for good. */
export const impatient: Timers = shorten(15_000);
