import { describeCause, DevsError, isRecord, LOG_LEVELS, type CallNotice, type JsonObject, type LogLevel, type Question, type StructuredLogger } from '@devs/core';
import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { ClientInfo } from '../client-info.ts';
import type { ClientConnection } from '../protocol/connection.ts';
import type { ClientSide, UpstreamEvent } from '../protocol/upstream.ts';
import type { Reach, UpstreamInstances, InstanceSource } from './ports.ts';

export interface RelayClientOptions {
  readonly info: ClientInfo;
  readonly pool: InstanceSource;
  readonly logger: StructuredLogger;
  /** Which servers are there for it. Default: all. */
  readonly reach?: Reach | undefined;
  /** Makes what a server says outside of a request safe to pass on; undefined for what is no such word. */
  readonly cleanNotice: (notice: unknown, server?: string) => CallNotice | undefined;
}

/** Milliseconds that a person gets to answer a question. */
export const ANSWER_TIMEOUT_MS = 600_000;
/** Notifications on their way at once: what comes while a client does not read is not kept for it. */
const MOST_UNSENT = 256;
const MOST_WATCHED = 1_000;
const MOST_URI_CHARACTERS = 8_192;

/** Takes an answer as it came: the SDK's schemas would drop what they do not know. */
export const RAW: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'devs', validate: (value) => ({ value }) },
};

const CHANGES = {
  'tools-changed': 'notifications/tools/list_changed',
  'prompts-changed': 'notifications/prompts/list_changed',
  'resources-changed': 'notifications/resources/list_changed',
} as const;

/** One client with the servers behind devs that are its own, and the ways to tell and to ask it something. */
export class RelayClient {
  readonly info: ClientInfo;
  readonly instances: UpstreamInstances;
  readonly #options: RelayClientOptions;
  readonly #connections = new Set<ClientConnection>();
  /** URIs that it wants to hear of, and how often it said so. */
  readonly #watched = new Map<string, number>();
  readonly #stopping = new AbortController();
  #beginning = 0;
  #unsent = 0;
  #requests = 0;

  constructor(options: RelayClientOptions) {
    this.#options = options;
    this.info = options.info;
    const side: ClientSide = {
      info: options.info,
      onEvent: (event) => this.#hear(event),
      ask: async (question, signal) => this.ask(question, { signal }),
    };
    this.instances = options.pool.open(side, options.reach);
  }

  /** True while a request of its own is served, or a stream of it is open. */
  get isBusy(): boolean {
    return this.#requests > 0 || this.#watched.size > 0;
  }

  /** Resolves with what the request gives; the client is busy with it meanwhile. */
  async during<Result>(serve: () => Promise<Result>): Promise<Result> {
    this.#requests += 1;
    try {
      return await serve();
    } finally {
      this.#requests -= 1;
    }
  }

  /** What is told outside of a request goes there from now on. */
  attach(connection: ClientConnection): void {
    this.#connections.add(connection);
  }

  detach(connection: ClientConnection): void {
    this.#connections.delete(connection);
  }

  /** Tells the client, unless it has long not read. Never rejects. */
  tell(method: string, params: JsonObject = {}): void {
    for (const connection of this.#connections) this.send(async () => connection.notification({ method, params: { ...params } }));
  }

  /** The same on a way of its own: of a request, to whoever made it. */
  send(send: () => Promise<void>): void {
    if (this.#unsent >= MOST_UNSENT) return;
    this.#unsent += 1;
    void send()
      .catch((cause: unknown) => this.#options.logger.debug('CLIENT_NOT_TOLD', { error: describeCause(cause).slice(0, 500) }))
      .finally(() => {
        this.#unsent -= 1;
      });
  }

  /**
   * Puts a server's question to the client, as clients of the older protocol are asked. Rejects with the client's own error,
   * or `CALL_CANCELLED`.
   */
  async ask({ method, params = {} }: Question, { signal, relatedRequestId }: AskOptions): Promise<JsonObject> {
    const [connection] = this.#connections;
    if (connection === undefined || this.info.era === 'modern') throw new DevsError('CALL_CANCELLED');
    const options = { signal: AbortSignal.any([signal, this.#stopping.signal]), timeout: ANSWER_TIMEOUT_MS, resetTimeoutOnProgress: false, ...(relatedRequestId !== undefined && { relatedRequestId }) };
    const answer = await connection.request({ method, params: { ...params } }, RAW, options);
    return isRecord(answer) ? (answer as JsonObject) : {};
  }

  /** @throws DevsError MESSAGE_REFUSED where it watches too much: each URI is kept, and asked for again when its server was lost */
  async watch(uri: string, signal: AbortSignal): Promise<void> {
    if (!this.#watched.has(uri)) await this.#beginToWatch(uri, signal);
    // Another stream may have begun meanwhile.
    this.#watched.set(uri, (this.#watched.get(uri) ?? 0) + 1);
  }

  async #beginToWatch(uri: string, signal: AbortSignal): Promise<void> {
    const isTooMuch = uri.length > MOST_URI_CHARACTERS || this.#watched.size + this.#beginning >= MOST_WATCHED;
    if (isTooMuch) throw new DevsError('MESSAGE_REFUSED', { sentence: `A client can watch ${MOST_WATCHED} resources, with URIs of ${MOST_URI_CHARACTERS} characters at most.` });
    this.#beginning += 1;
    try {
      await this.instances.subscribe(uri, signal);
    } finally {
      this.#beginning -= 1;
    }
  }

  async unwatch(uri: string, signal: AbortSignal): Promise<void> {
    const times = this.#watched.get(uri) ?? 0;
    if (times > 1) return void this.#watched.set(uri, times - 1);
    this.#watched.delete(uri);
    if (times === 1) await this.instances.unsubscribe(uri, signal);
  }

  /** From now on nobody is asked, and nobody is waited for who was: a person may take longer than devs has. */
  stopAsking(): void {
    this.#stopping.abort();
  }

  async end(): Promise<void> {
    this.stopAsking();
    this.#connections.clear();
    await this.instances.end();
  }

  #hear(event: UpstreamEvent): void {
    switch (event.kind) {
      case 'tools-changed':
      case 'prompts-changed':
      case 'resources-changed':
        return this.tell(CHANGES[event.kind]);
      case 'resource-updated':
        return this.#watched.has(event.uri) ? this.tell('notifications/resources/updated', { uri: event.uri }) : undefined;
      case 'log':
        return this.#hearLog(event.notice, event.server);
      case 'lost':
        return undefined;
    }
  }

  /** A modern client asks for log lines with a request, and gets those of that request alone. */
  #hearLog(notice: unknown, server: string | undefined): void {
    const cleaned = this.info.era === 'modern' ? undefined : this.#options.cleanNotice(notice, server);
    if (cleaned?.kind !== 'log') return;
    const { kind: _kind, ...params } = cleaned;
    this.tell('notifications/message', params);
  }
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** The client's request that the question belongs to. */
  readonly relatedRequestId?: string | number;
}

/** True when a line of one level is wanted by who asked for another. */
export function isLoudEnough(level: LogLevel, wanted: unknown): boolean {
  const least = LOG_LEVELS.findIndex((known) => known === wanted);
  return least !== -1 && LOG_LEVELS.indexOf(level) >= least;
}
