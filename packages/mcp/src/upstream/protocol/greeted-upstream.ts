import { silentLogger, type Enforcement, type JsonObject, type StructuredLogger } from '@devs/core';
import type { ChildExit, ClientSide, ServerInfo, Upstream, UpstreamAnswer, UpstreamRequest } from '../../protocol/upstream.ts';
import { EraMemory } from './era-memory.ts';
import { withDeadline } from './health.ts';
import { LegacyConnection } from './legacy-connection.ts';
import { LiveUpstream } from './live-upstream.ts';
import { ModernConnection } from './modern-connection.ts';
import { ProtocolViolations } from './protocol-violations.ts';
import { Peer, type PeerLimits } from './peer.ts';
import { systemTimers, type Timers } from './timers.ts';
import { toLimits } from './upstream-limits.ts';
import type { CreateTransport, Greeter, UpstreamTransport } from './upstream-transport.ts';

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

/** What all servers have in common: they are greeted in a generation of the protocol, and live as long as they do. */
export class GreetedUpstream implements Upstream {
  readonly name: string;
  readonly #transport: UpstreamTransport;
  readonly #live: LiveUpstream;

  constructor(options: UpstreamOptions, createTransport: CreateTransport) {
    const { name, client, logger = silentLogger, random = Math.random } = options;
    const greeter = createGreeter(options);
    const { timers, startTimeoutMs } = greeter;
    const transport = createTransport(greeter);
    this.name = name;
    this.#transport = transport;
    const open = async (stop: AbortSignal) =>
      withDeadline(timers, startTimeoutMs, async (late) => transport.open(AbortSignal.any([stop, late])));
    this.#live = new LiveUpstream({ name, client, logger, timers, random, describeEnd: () => transport.describeEnd(), open });
  }

  get enforcement(): Enforcement | undefined {
    return this.#transport.enforcement;
  }

  get lastExit(): ChildExit | undefined {
    return this.#transport.lastExit;
  }

  get info(): ServerInfo | undefined {
    return this.#live.info;
  }

  async ready(signal: AbortSignal): Promise<ServerInfo> {
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
}

function createGreeter(options: UpstreamOptions): Greeter {
  const { name, client, limits, logger = silentLogger, timers = systemTimers, eras = new EraMemory(), startTimeoutMs = 60_000, maxMessageBytes = 33_554_432 } = options;
  const violations = new ProtocolViolations(logger, name, timers);
  const onViolation = (problem: string) => violations.note(problem);
  return {
    timers,
    eras,
    startTimeoutMs,
    maxMessageBytes,
    onViolation,
    greet: async ({ openWire, greet, headers, signal, giveUp }) => {
      const peer = new Peer({ client, timers, limits: toLimits(limits, maxMessageBytes), onViolation, openWire });
      try {
        const info = await greet({ peer, client: client.info, eras, timers, signal });
        if (info.era === 'legacy') return new LegacyConnection(peer, info, timers);
        return new ModernConnection({ peer, info, client, timers, headers });
      } catch (cause) {
        throw await giveUp(peer, cause);
      }
    },
  };
}
