import { silentLogger, type JsonObject, type StructuredLogger } from '@devs/core';
import type { Connection } from './connection.ts';
import { EraMemory } from './era-memory.ts';
import { Confused, greet, greetAgain, type GreetingOptions } from './greeting.ts';
import { withDeadline } from './health.ts';
import { HttpClient } from './http-client.ts';
import { HttpWire } from './http-wire.ts';
import { LegacyConnection } from './legacy-connection.ts';
import { LiveUpstream } from './live-upstream.ts';
import { ModernConnection } from './modern-connection.ts';
import { Noise } from './noise.ts';
import { ParamHeaders } from './param-headers.ts';
import { Peer, type PeerLimits } from './peer.ts';
import { toReachFailure } from './start-failure.ts';
import { systemTimers, type Timers } from './timers.ts';
import type { ClientSide, ServerHello, Upstream, UpstreamAnswer, UpstreamRequest } from './types.ts';
import { toLimits } from './upstream-limits.ts';

export interface HttpUpstreamOptions {
  /** As the configuration names it, and as the log shows it. */
  readonly name: string;
  /** `http:` or `https:`. Dialled as it is; shown to nobody. */
  readonly url: URL;
  /** Secrets, as a rule: shown to nobody. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly client: ClientSide;
  /** The input schema of a tool, by the server's own name for it, where another connection has listed it. */
  readonly schemaOf?: (toolName: string) => unknown;
  readonly logger?: StructuredLogger;
  /** Largest message from the server, in bytes. Default 33,554,432. */
  readonly maxMessageBytes?: number;
  /** Milliseconds that the server gets to be greeted. Default 60,000. */
  readonly startTimeoutMs?: number;
  readonly timers?: Timers;
  /** Between 0 and 1, for waits that many must not end at once. Default `Math.random`. */
  readonly random?: () => number;
  /** Shared by all connections to the server: what it speaks is found out once. */
  readonly eras?: EraMemory;
  readonly limits?: Partial<PeerLimits>;
}

/** One server that is there already, spoken to over Streamable HTTP. */
export class HttpUpstream implements Upstream {
  readonly name: string;
  readonly #options: HttpUpstreamOptions;
  readonly #live: LiveUpstream;
  readonly #timers: Timers;
  readonly #noise: Noise;
  readonly #eras: EraMemory;
  readonly #startTimeoutMs: number;
  readonly #maxMessageBytes: number;
  readonly #paramHeaders: ParamHeaders;

  constructor(options: HttpUpstreamOptions) {
    const { name, client, schemaOf, logger = silentLogger, timers = systemTimers, random = Math.random } = options;
    this.name = name;
    this.#options = options;
    this.#timers = timers;
    this.#noise = new Noise(logger, name, timers);
    this.#eras = options.eras ?? new EraMemory();
    this.#startTimeoutMs = options.startTimeoutMs ?? 60_000;
    this.#maxMessageBytes = options.maxMessageBytes ?? 33_554_432;
    this.#paramHeaders = new ParamHeaders({ ...(schemaOf !== undefined && { schemaOf }), onExcluded: (problem) => this.#noise.hear(problem) });
    this.#live = new LiveUpstream({ name, client, logger, timers, random, describeEnd: () => '', open: async (stop) => this.#open(stop) });
  }

  get hello(): ServerHello | undefined {
    return this.#live.hello;
  }

  async ready(signal: AbortSignal): Promise<ServerHello> {
    return this.#live.ready(signal);
  }

  async request(request: UpstreamRequest): Promise<UpstreamAnswer> {
    return this.#live.request(request);
  }

  notify(method: string, params: JsonObject): void {
    this.#live.notify(method, params);
  }

  async end(): Promise<void> {
    await this.#live.end();
  }

  async #open(stop: AbortSignal): Promise<Connection> {
    return withDeadline(this.#timers, this.#startTimeoutMs, async (late) => {
      const signal = AbortSignal.any([stop, late]);
      try {
        return await this.#greetOnce(greet, signal);
      } catch (cause) {
        if (!(cause instanceof Confused) || signal.aborted) throw this.#explain(cause);
      }
      try {
        return await this.#greetOnce(greetAgain, signal);
      } catch (cause) {
        throw this.#explain(cause);
      }
    });
  }

  async #greetOnce(greeting: (options: GreetingOptions) => Promise<ServerHello>, signal: AbortSignal): Promise<Connection> {
    const { client, url, headers = {}, limits } = this.#options;
    const timers = this.#timers;
    const maxMessageBytes = this.#maxMessageBytes;
    const wireOptions = { client: new HttpClient(url, timers), headers: toHeaders(headers), maxMessageBytes, timers };
    const peer = new Peer({
      client,
      timers,
      limits: toLimits(limits, maxMessageBytes),
      onNoise: (problem) => this.#noise.hear(problem),
      openWire: (listener) => new HttpWire(wireOptions, listener),
    });
    try {
      const hello = await greeting({ peer, client: client.hello, eras: this.#eras, timers, signal });
      if (hello.era === 'legacy') return new LegacyConnection(peer, hello, timers);
      return new ModernConnection({ peer, hello, client, timers, headers: this.#paramHeaders });
    } catch (cause) {
      await peer.end();
      throw cause;
    }
  }

  #explain(cause: unknown): Error {
    return toReachFailure(cause instanceof Confused ? cause.cause : cause, this.#startTimeoutMs);
  }
}

/** What a person writes for a server, but for what belongs to the protocol and the connection. */
function toHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(entries.filter(([name]) => !OWN_HEADERS.has(name)));
}

const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
]);
