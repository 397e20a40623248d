/** What a promise of the log survives: `power` a power cut, `process` a killed process. */
export type Durability = 'power' | 'process';

export interface OutputSanitizerConfig {
  readonly mcp: {
    /** Hard cap of one tool result, in bytes of UTF-8. Default 10,485,760 (10 MB, seed 000). */
    readonly maxToolOutputBytes: number;
  };
}

/** A server as people have it in their `mcpServers` file: a command that is started, or a URL. Keys of other programs may stand beside. */
export interface McpServerConfig {
  /** A program that is started and spoken to over its standard input and output. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly type?: string;
  /** `http:` or `https:`. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly [foreign: string]: unknown;
}

export interface DevsCoreConfig extends OutputSanitizerConfig {
  readonly mcp: OutputSanitizerConfig['mcp'] & {
    /** Largest message from a client or an upstream, in bytes. Default 33,554,432. */
    readonly maxMessageBytes: number;
  };
  readonly limits: {
    /** Milliseconds a tool may take. Default 60,000. */
    readonly toolTimeoutMs: number;
  };
  readonly audit: {
    /** Default `power`. */
    readonly durability: Durability;
  };
  readonly files: {
    /** File and folder names that no tool may write, beside the built-in ones. Default none. */
    readonly protected: readonly string[];
  };
  readonly http: {
    /** Connections open at once. Default 256. */
    readonly maxConnections: number;
    /** Requests under way at once. Default 1,024. */
    readonly maxRequests: number;
    /** Milliseconds that a client gets to send a whole request. Default 30,000. */
    readonly requestTimeoutMs: number;
  };
  /** By name; the names are people's, so ask by `Object.entries` or `Object.hasOwn` alone. Default none. */
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
}

/** In force where the configuration says nothing. */
export const DEFAULT_CONFIG: DevsCoreConfig = Object.freeze({
  mcp: Object.freeze({ maxToolOutputBytes: 10_485_760, maxMessageBytes: 33_554_432 }),
  limits: Object.freeze({ toolTimeoutMs: 60_000 }),
  audit: Object.freeze({ durability: 'power' }),
  files: Object.freeze({ protected: Object.freeze([]) }),
  http: Object.freeze({ maxConnections: 256, maxRequests: 1_024, requestTimeoutMs: 30_000 }),
  mcpServers: Object.freeze({}),
});
