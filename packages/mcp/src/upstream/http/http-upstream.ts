import type { Connection } from '../protocol/connection.ts';
import { GreetedUpstream, type Greeting, type UpstreamOptions } from '../protocol/greeted-upstream.ts';
import { Confused, greet, greetAgain, isUnreachable } from '../protocol/greeting.ts';
import { withDeadline } from '../protocol/health.ts';
import { HttpClient } from './http-client.ts';
import { HttpWire } from './http-wire.ts';
import { ParamHeaders } from './param-headers.ts';
import { toReachFailure } from './reach-failure.ts';

export interface HttpUpstreamOptions extends UpstreamOptions {
  /** `http:` or `https:`. Dialled as it is; shown to nobody. */
  readonly url: URL;
  /** Secrets, as a rule: shown to nobody. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The input schema of a tool, by the server's own name for it, where another connection has listed it. */
  readonly schemaOf?: (toolName: string) => unknown;
}

/** One server that is there already, spoken to over Streamable HTTP. */
export class HttpUpstream extends GreetedUpstream {
  readonly #options: HttpUpstreamOptions;
  readonly #paramHeaders: ParamHeaders;

  constructor(options: HttpUpstreamOptions) {
    super(options);
    const { schemaOf } = options;
    this.#options = options;
    this.#paramHeaders = new ParamHeaders({ ...(schemaOf !== undefined && { schemaOf }), onExcluded: (problem) => this.noise.hear(problem) });
  }

  protected describeEnd(): string {
    return '';
  }

  protected async open(stop: AbortSignal): Promise<Connection> {
    return withDeadline(this.timers, this.startTimeoutMs, async (late) => {
      const signal = AbortSignal.any([stop, late]);
      try {
        return await this.#greetBy(greet, signal);
      } catch (cause) {
        // There is no second process of it that would be there, or let devs in.
        if (!(cause instanceof Confused) || isUnreachable(cause.cause) || signal.aborted) throw this.#explain(cause);
      }
      try {
        return await this.#greetBy(greetAgain, signal);
      } catch (cause) {
        throw this.#explain(cause);
      }
    });
  }

  async #greetBy(greeting: Greeting['greet'], signal: AbortSignal): Promise<Connection> {
    const { url, headers = {} } = this.#options;
    const { timers, maxMessageBytes } = this;
    const wireOptions = { client: new HttpClient(url, timers), headers: toHeaders(headers), maxMessageBytes, timers };
    return this.greet({
      openWire: (listener) => new HttpWire(wireOptions, listener),
      greet: greeting,
      headers: this.#paramHeaders,
      signal,
      giveUp: async (peer, cause) => {
        await peer.end();
        return cause;
      },
    });
  }

  #explain(cause: unknown): Error {
    return toReachFailure(cause instanceof Confused ? cause.cause : cause, this.startTimeoutMs);
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
