import type { Connection } from '../protocol/connection.ts';
import { Confused, greet, greetAgain, isUnreachable } from '../protocol/greeting.ts';
import type { Greeter, Greeting, UpstreamTransport } from '../protocol/upstream-transport.ts';
import { HttpClient } from './http-client.ts';
import { HttpWire } from './http-wire.ts';
import { ParamHeaders } from './param-headers.ts';
import { toReachFailure } from './reach-failure.ts';

export interface HttpTransportOptions {
  /** `http:` or `https:`. Dialled as it is; shown to nobody. */
  readonly url: URL;
  /** Secrets, as a rule: shown to nobody. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The input schema of a tool, by the server's own name for it, where another connection has listed it. */
  readonly schemaOf?: (toolName: string) => unknown;
}

/** Speaks over Streamable HTTP to a server that is there already. It has no process. */
export class HttpTransport implements UpstreamTransport {
  readonly enforcement = undefined;
  readonly lastExit = undefined;
  readonly #options: HttpTransportOptions;
  readonly #greeter: Greeter;
  readonly #paramHeaders: ParamHeaders;

  constructor(options: HttpTransportOptions, greeter: Greeter) {
    const { schemaOf } = options;
    this.#options = options;
    this.#greeter = greeter;
    this.#paramHeaders = new ParamHeaders({ ...(schemaOf !== undefined && { schemaOf }), onExcluded: (problem) => greeter.onViolation(problem) });
  }

  describeEnd(): string {
    return '';
  }

  async open(signal: AbortSignal): Promise<Connection> {
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
  }

  async #greetBy(greeting: Greeting['greet'], signal: AbortSignal): Promise<Connection> {
    const { url, headers = {} } = this.#options;
    const { timers, maxMessageBytes } = this.#greeter;
    const wireOptions = { client: new HttpClient(url, timers), headers: toHeaders(headers), maxMessageBytes, timers };
    return this.#greeter.greet({
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
    return toReachFailure(cause instanceof Confused ? cause.cause : cause, this.#greeter.startTimeoutMs);
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
