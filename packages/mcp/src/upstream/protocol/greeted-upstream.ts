import { silentLogger, type JsonObject, type StructuredLogger } from '@devs/core';
import type { Connection } from './connection.ts';
import { EraMemory } from './era-memory.ts';
import type { GreetingOptions } from './greeting.ts';
import { LegacyConnection } from './legacy-connection.ts';
import { LiveUpstream } from './live-upstream.ts';
import { ModernConnection } from './modern-connection.ts';
import { Noise } from './noise.ts';
import { Peer, type PeerLimits, type PeerOptions } from './peer.ts';
import { systemTimers, type Timers } from './timers.ts';
import type { ClientSide, ServerHello, Upstream, UpstreamAnswer, UpstreamRequest } from '../../protocol/upstream.ts';
import { toLimits } from './upstream-limits.ts';
import type { RequestHeaders } from './wire.ts';

/** What a server is reached with, however it is spoken to. */
export interface UpstreamOptions {
  /** As the configuration names it, and as the log shows it. */
  readonly name: string;
  readonly client: ClientSide;
  readonly logger?: StructuredLogger;
  /** Largest message from the server, in bytes. Default 33,554,432. */
  readonly maxMessageBytes?: number;
  /** Milliseconds that the server gets to start, where devs starts it, and to be greeted. Default 60,000. */
  readonly startTimeoutMs?: number;
  readonly timers?: Timers;
  /** Between 0 and 1, for waits that many must not end at once. Default `Math.random`. */
  readonly random?: () => number;
  /** Shared by all connections to the server: what it speaks is found out once. */
  readonly eras?: EraMemory;
  readonly limits?: Partial<PeerLimits>;
}

/** One try to greet a server. */
export interface Greeting {
  readonly openWire: PeerOptions['openWire'];
  readonly greet: (options: GreetingOptions) => Promise<ServerHello>;
  /** Of HTTP alone. */
  readonly headers: RequestHeaders | undefined;
  readonly signal: AbortSignal;
  /** Lets go of what the try has opened. Gives what it failed for. */
  readonly giveUp: (peer: Peer, cause: unknown) => Promise<unknown>;
}

/** What all servers have in common: they are greeted in a generation of the protocol, and live as long as they do. */
export abstract class GreetedUpstream implements Upstream {
  readonly name: string;
  protected readonly timers: Timers;
  protected readonly noise: Noise;
  protected readonly eras: EraMemory;
  protected readonly startTimeoutMs: number;
  protected readonly maxMessageBytes: number;
  readonly #options: UpstreamOptions;
  readonly #live: LiveUpstream;

  constructor(options: UpstreamOptions) {
    const { name, client, logger = silentLogger, timers = systemTimers, random = Math.random } = options;
    this.name = name;
    this.#options = options;
    this.timers = timers;
    this.noise = new Noise(logger, name, timers);
    this.eras = options.eras ?? new EraMemory();
    this.startTimeoutMs = options.startTimeoutMs ?? 60_000;
    this.maxMessageBytes = options.maxMessageBytes ?? 33_554_432;
    const describeEnd = () => this.describeEnd();
    this.#live = new LiveUpstream({ name, client, logger, timers, random, describeEnd, open: async (stop) => this.open(stop) });
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

  /** Reaches and greets the server once more. */
  protected abstract open(stop: AbortSignal): Promise<Connection>;

  /** How the last connection ended, for the operator; empty where that says nothing. */
  protected abstract describeEnd(): string;

  protected async greet({ openWire, greet, headers, signal, giveUp }: Greeting): Promise<Connection> {
    const { client, limits } = this.#options;
    const { timers, eras } = this;
    const onNoise = (problem: string) => this.noise.hear(problem);
    const peer = new Peer({ client, timers, limits: toLimits(limits, this.maxMessageBytes), onNoise, openWire });
    try {
      const hello = await greet({ peer, client: client.hello, eras, timers, signal });
      if (hello.era === 'legacy') return new LegacyConnection(peer, hello, timers);
      return new ModernConnection({ peer, hello, client, timers, headers });
    } catch (cause) {
      throw await giveUp(peer, cause);
    }
  }
}
