import { connect, type Socket } from 'node:net';
import { expect } from '@jest/globals';
import { isRecord } from '@devs/core';
import { createToken } from '../auth/token.ts';
import type { OrchestratorServerOptions } from '../orchestrator/OrchestratorServer.ts';
import { serveOverHttp, type HttpOptions, type RunningHttpServer } from '../transports/http.ts';
import { createFixture, type Fixture } from './fixture.ts';

export type Era = 'legacy' | 'modern';

export const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface Served extends Fixture, AsyncDisposable {
  readonly running: RunningHttpServer;
  readonly port: number;
  readonly authorization: string;
  /** Of a session of the older protocol that is open; its requests name it where they say nothing else. */
  readonly sessionId: string;
}

export async function startHttp(options: Partial<HttpOptions> = {}, more: Partial<OrchestratorServerOptions> = {}): Promise<Served> {
  const token = createToken();
  const fixture = createFixture(more);
  const running = await serveOverHttp(fixture.server, { host: '127.0.0.1', port: 0, token, lingerMs: 200, ...options });
  const dispose = async () => running.close();
  const served = { ...fixture, running, port: running.port, authorization: `Bearer ${token}`, sessionId: '', [Symbol.asyncDispose]: dispose };
  return options.principals === undefined ? { ...served, sessionId: await beginSession(served) } : served;
}

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'test', version: '1' },
};

export function initialize(params: object = INITIALIZE): Asked {
  return { headers: { 'mcp-session-id': undefined }, body: JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }) };
}

/** The id of a new session. Leaves no connection behind. */
export async function beginSession(served: Served, authorization = served.authorization): Promise<string> {
  using wire = openWire({ ...served, authorization });
  const { headers } = await wire.ask(initialize());
  wire.socket.destroy();
  await until(() => served.running.activity().connections === 0);
  return headers.get('mcp-session-id') ?? '';
}

export interface Reply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The message in the body: JSON, or the last event of a stream. */
  readonly message: Record<string, unknown>;
}

/** What the next request is made of. Headers that are `undefined` are left out; those in `raw` are added as they are. */
export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly era?: Era;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly raw?: readonly string[];
  readonly body?: string | Buffer;
}

/** One connection, spoken to byte by byte. */
export class Wire {
  readonly socket: Socket;
  readonly #served: Served;
  #received: Buffer = Buffer.alloc(0);
  #ended = false;
  #news = Promise.withResolvers<void>();

  constructor(served: Served) {
    this.#served = served;
    this.socket = connect(served.port, '127.0.0.1');
    this.socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#tell();
    });
    for (const event of ['end', 'close']) this.socket.on(event, () => this.#onEnd());
    this.socket.on('error', () => undefined);
  }

  get isClosed(): boolean {
    return this.#ended;
  }

  /** Everything that has come and was not read. */
  get received(): string {
    return this.#received.toString();
  }

  /** The head of a request, with what every client sends. */
  head({ method = 'POST', path = '/mcp', headers = {}, raw = [] }: Asked): string {
    const given: Record<string, string | undefined> = {
      host: `127.0.0.1:${this.#served.port}`,
      authorization: this.#served.authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(headers['mcp-protocol-version'] === '2025-11-25' && { 'mcp-session-id': this.#served.sessionId }),
      ...headers,
    };
    const lines = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
    return `${[`${method} ${path} HTTP/1.1`, ...lines, ...raw].join('\r\n')}\r\n\r\n`;
  }

  write(data: string | Buffer): this {
    this.socket.write(data);
    return this;
  }

  send(asked: Asked = {}): this {
    const body = asked.body ?? '';
    const headers = { 'content-length': String(Buffer.byteLength(body)), ...asked.headers };
    return this.write(Buffer.concat([Buffer.from(this.head({ ...asked, headers })), typeof body === 'string' ? Buffer.from(body) : body]));
  }

  async ask(asked: Asked): Promise<Reply> {
    return this.send(asked).reply();
  }

  /** The next whole answer. */
  async reply(): Promise<Reply> {
    for (;;) {
      const taken = takeReply(this.#received);
      if (taken !== undefined) {
        this.#received = taken.rest;
        return taken.reply;
      }
      if (this.#ended) throw new Error(`closed after ${JSON.stringify(this.received.slice(0, 200))}`);
      await this.#news.promise;
    }
  }

  async closed(): Promise<void> {
    while (!this.#ended) await this.#news.promise;
  }

  #onEnd(): void {
    this.#ended = true;
    this.#tell();
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

export function openWire(served: Served): Wire & Disposable {
  const wire = new Wire(served);
  return Object.assign(wire, { [Symbol.dispose]: () => void wire.socket.destroy() });
}

/** Headers that go with a message. */
export function headersOf(era: Era, { method, name }: { readonly method: string; readonly name?: string | undefined }): Record<string, string> {
  if (era === 'legacy') return { 'mcp-protocol-version': '2025-11-25' };
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) };
}

/** A call of the echo tool, as a whole request. */
export function echoCall(era: Era, text = 'hello', id: string | number = 1): Asked {
  return callOf(era, { name: 'echo', args: { text }, id });
}

export function callOf(era: Era, { name, args, id = 1 }: { readonly name: string; readonly args: unknown; readonly id?: string | number }): Asked {
  const params = { name, arguments: args, ...(era === 'modern' && { _meta: MODERN }) };
  return { headers: headersOf(era, { method: 'tools/call', name }), body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }) };
}

export function textOf({ message }: Reply): unknown {
  const { result } = message;
  const content = isRecord(result) ? result['content'] : undefined;
  return Array.isArray(content) && isRecord(content[0]) ? content[0]['text'] : undefined;
}

function takeReply(received: Buffer): { readonly reply: Reply; readonly rest: Buffer } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [status = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const code = Number(status.split(' ')[1]);
  const rest = received.subarray(end + 4);
  const taken = code === 100 ? { body: '', length: 0 } : takeBody(rest, headers);
  if (taken === undefined) return undefined;
  const reply = { status: code, headers, body: taken.body, message: toMessage(taken.body) };
  return { reply, rest: rest.subarray(taken.length) };
}

function takeBody(bytes: Buffer, headers: ReadonlyMap<string, string>): { readonly body: string; readonly length: number } | undefined {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? 0);
    return bytes.length < length ? undefined : { body: bytes.toString('utf8', 0, length), length };
  }
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = line === -1 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (Number.isNaN(size) || bytes.length < line + 2 + size + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(pieces).toString(), length: line + 4 };
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

function toMessage(body: string): Record<string, unknown> {
  const events = body.split('\n').filter((line) => line.startsWith('data: '));
  try {
    const value: unknown = JSON.parse(events.at(-1)?.slice('data: '.length) ?? body);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

export const LARGE = 'x'.repeat(9_000_000);

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turns(1);
}

export async function expectAlive(served: Served): Promise<void> {
  using wire = openWire(served);
  expect(textOf(await wire.ask(echoCall('modern', 'still here')))).toBe('still here');
}

/** A tool whose answer no socket's buffers hold, however the system is set up, when it is called a few times. */
export function registerLarge({ registry }: Served): void {
  const echo = registry.getTool('echo');
  if (echo === undefined) throw new Error('the fixture has an echo');
  registry.register({
    definition: { ...echo.definition, name: 'large', inputSchema: { type: 'object' } },
    handler: async () => ({ content: [{ type: 'text', text: LARGE }] }),
    effects: false,
    labels: [],
    source: 'built-in',
  });
}

/** A client that asks for more than fits between it and the server, and reads nothing of it after the first bytes. */
export async function openNonReader(served: Served, era: Era): Promise<Wire & Disposable> {
  const wire = openWire(served);
  for (let id = 1; id <= 6; id += 1) wire.send(callOf(era, { name: 'large', args: {}, id }));
  await new Promise((resolve) => wire.socket.once('data', resolve));
  wire.socket.pause();
  await until(() => served.records.length >= 1);
  return wire;
}
