/** What a promise of the log survives: `power` a power cut, `process` a killed process. */
export type Durability = 'power' | 'process';

export interface OutputSanitizerConfig {
  readonly mcp: {
    /** Hard cap of one tool result, in bytes of UTF-8. Default 10,485,760 (10 MB, seed 000). */
    readonly maxToolOutputBytes: number;
  };
}

export interface DevsCoreConfig extends OutputSanitizerConfig {
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
}

/** In force where the configuration says nothing. */
export const DEFAULT_CONFIG: DevsCoreConfig = Object.freeze({
  mcp: Object.freeze({ maxToolOutputBytes: 10_485_760 }),
  limits: Object.freeze({ toolTimeoutMs: 60_000 }),
  audit: Object.freeze({ durability: 'power' }),
  files: Object.freeze({ protected: Object.freeze([]) }),
});
