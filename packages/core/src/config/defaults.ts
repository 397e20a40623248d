import type { AuditMode, BoundaryPolicy, Durability, StructuredPolicy, ValidationMode } from './choices.ts';
import type { OutputConfig } from './output-config.ts';

export type { AuditMode, BoundaryPolicy, Durability, StructuredPolicy, ValidationMode } from './choices.ts';

/** Which paths of the root tools may reach. Folders and files, relative to the root or absolute inside it. */
export interface PathRules {
  /** Only what lies in one of these. Default `[]`: the whole root. */
  readonly allowed: readonly string[];
  /** Nothing that lies in one of these, whatever is allowed. Default `[]`. */
  readonly blocked: readonly string[];
  /** Most segments of a path below the root. Default 256. */
  readonly maxDepth: number;
  /** `inside`: links are followed as long as they stay inside. `refuse`: no link is followed. Default `inside`. */
  readonly symlinks: 'inside' | 'refuse';
}

/** What seed 004 limits. */
export interface SizeLimits {
  /** Characters (UTF-16 units) of what a user tells an agent. Default 100,000. */
  readonly maxUserMessageLength: number;
  /** Characters of one tool result, as the agent loop hands it to its model. Default 50,000. */
  readonly maxToolOutputLength: number;
  /** Tokens of one whole request of the agent loop to its model. Default 180,000. */
  readonly maxTotalContextTokens: number;
  /** Most bytes that one read of a file returns. Default 10,485,760. */
  readonly maxFileReadSize: number;
}

/** What leads out of this machine. */
export interface NetworkRules {
  /** `example.com`, `*.example.com` for all below it, `*` for all public hosts. Default none. */
  readonly hosts: readonly string[];
}

/** How many calls somebody or something gets. What is too much waits in line, as long as the call may. */
export interface CallLimits {
  /** Calls that run at once. Default 64. */
  readonly atOnce: number;
  /** Calls that begin within any minute. Default null: as many as come. */
  readonly perMinute: number | null;
}

/** Whether a server that devs starts runs in a box: `prefer` where the machine can. */
export type UpstreamSandboxMode = 'none' | 'prefer' | 'require';

/** `require`: what runs outside of devs runs in a box, or not at all. `off`: it runs as devs does. */
export type SandboxMode = 'require' | 'off';

export interface SandboxRules {
  /** For commands, commits and code. `off` counts in the operator's own file alone. Default `require`. */
  readonly tools: SandboxMode;
  /** For servers that devs starts. Default `none`. */
  readonly upstreams: UpstreamSandboxMode;
  /** Bytes of memory of all processes of a call together, where the machine can count that. Default 4,294,967,296. */
  readonly memoryBytes: number;
  /** Processes and threads of a call at once. Default 512. */
  readonly processes: number;
  /** Absolute paths that commands may read beside the project and the programs in `PATH`. Default none. */
  readonly readable: readonly string[];
  /** Whether commands may make Unix sockets with names. Default false. */
  readonly unixSockets: boolean;
  /** `uid:gid` that boxes run as where devs is root; null: as root, within the box. Default null. */
  readonly account: string | null;
}

/** What one tool has otherwise than all others. What it does not say is as for all. */
export interface ToolConfig {
  readonly validation?: { readonly mode?: ValidationMode };
  /** `blocked` is added to what is blocked for all; the rest takes the place of what holds for all. */
  readonly files?: Partial<PathRules>;
  readonly limits?: Partial<Pick<SizeLimits, 'maxFileReadSize'> & CallLimits & { readonly toolTimeoutMs: number }>;
  /** Takes the place of what holds for all. */
  readonly network?: Partial<NetworkRules>;
  /** Over the preset for the tool's name. */
  readonly output?: Partial<OutputConfig>;
}

/** A finding that is not a secret. All that is said must fit; at least one thing is. */
export interface AllowedSecret {
  /** Id of the rule, as the mark names it. */
  readonly rule?: string;
  /** Name of the tool whose output, or arguments in the log, it stands in. */
  readonly tool?: string;
  /** 16 hexadecimal digits, as `devs logs show` tells them of a finding. They hold on this machine alone. */
  readonly fingerprint?: string;
}

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
  /** True: it is neither started nor reached, as clients write it. */
  readonly disabled?: boolean;
  /** What stands before `__` in the names of its tools. Default: the server's name; empty: nothing, and no `__`. */
  readonly namespace?: string;
  /** What its tools are labelled. Default `untrusted` alone; an empty list trusts what it gives back. */
  readonly labels?: readonly ('untrusted' | 'private' | 'external')[];
  /** Of all its tools together. Default: as many as come. */
  readonly limits?: Partial<CallLimits> & {
    /** Milliseconds one of its tools may take. Default: as for all tools. */
    readonly toolTimeoutMs?: number;
  };
  /** The box of a server that devs starts. Default: as `sandbox.upstreams` says. */
  readonly sandbox?: UpstreamSandboxRules;
  readonly [foreign: string]: unknown;
}

export interface UpstreamSandboxRules {
  readonly mode?: UpstreamSandboxMode;
  /** Hosts that it reaches, as in `network.hosts`. Default none. */
  readonly network?: Partial<NetworkRules>;
  /** Absolute paths that it sees beside its program. Default none. */
  readonly mounts?: { readonly readOnly?: readonly string[]; readonly readWrite?: readonly string[] };
  /** Ports of this machine that it may connect to. Default none. */
  readonly loopbackPorts?: readonly number[];
}

export interface DevsCoreConfig extends OutputSanitizerConfig {
  readonly mcp: OutputSanitizerConfig['mcp'] & {
    /** Largest message from a client or an upstream, in bytes. Default 33,554,432. */
    readonly maxMessageBytes: number;
  };
  readonly limits: SizeLimits & {
    /** Milliseconds a tool may take. Default 60,000. */
    readonly toolTimeoutMs: number;
    /** Of each principal. Default 64 at once; no rate. */
    readonly principal: CallLimits;
  };
  readonly validation: {
    /** Default `strict`. */
    readonly mode: ValidationMode;
  };
  readonly sanitize: {
    /** Default `untrusted`. */
    readonly boundaries: BoundaryPolicy;
    /** Default `fence`. */
    readonly structured: StructuredPolicy;
    /** Whether secrets are masked, in results and in the log. Default true. */
    readonly secrets: boolean;
    /** Words that make other programs act when a model repeats them. `mcp__devs` is always one. Default `__ot`, `mcp__onetool`. */
    readonly triggers: readonly string[];
    /** What looks like a secret and is none. Default none. */
    readonly allowedSecrets: readonly AllowedSecret[];
    /** Tokens that a server may have the client's model write for one prompt of its own. Default 8,192. */
    readonly maxSamplingTokens: number;
  };
  readonly audit: {
    /** Default `power`. */
    readonly durability: Durability;
    /** Default `strict`. */
    readonly mode: AuditMode;
    /** Days after which `devs logs archive` erases inputs and outputs; 0: never. Default 90. */
    readonly payloadDays: number;
    /** Bytes of the log, its journal and its search index beyond which calls are refused; 0: any. Default 0. */
    readonly maxBytes: number;
    /** Free bytes of the log's disk below which calls are refused; 0: none. Default 268,435,456. */
    readonly minFreeBytes: number;
    /** When devs signs where the log stands, and where that goes beside what it remembers itself. */
    readonly heads: {
      /** Default 1,000. */
      readonly everyRecords: number;
      /** Default 300. */
      readonly everySeconds: number;
      /** Default true. */
      readonly systemLog: boolean;
      /** Absolute path of a file that heads are appended to. Default null. */
      readonly file: string | null;
    };
  };
  readonly files: PathRules & {
    /** File and folder names that no tool may write, beside the built-in ones. Default none. */
    readonly protected: readonly string[];
    /** Built-in protected names that tools may write all the same, as the list of them spells them. Default none. */
    readonly writable: readonly string[];
  };
  readonly labels: {
    /** Files below folders of these names are not the user's own words. Default `node_modules`, `vendor`, `.venv`, `third_party`. */
    readonly untrustedPaths: readonly string[];
  };
  readonly network: NetworkRules;
  readonly sandbox: SandboxRules;
  readonly git: {
    /** Author and committer of what `git_commit` commits. Default `devs`. */
    readonly name: string;
    /** Default `devs@localhost`. */
    readonly email: string;
  };
  readonly code: {
    /** Calls of tools that one run of `run_code` may make. Default 256. */
    readonly maxToolCalls: number;
  };
  readonly http: {
    /** Connections open at once. Default 256. */
    readonly maxConnections: number;
    /** Requests under way at once. Default 1,024. */
    readonly maxRequests: number;
    /** Milliseconds that a client gets to send a whole request. Default 30,000. */
    readonly requestTimeoutMs: number;
    /** Sessions of the older protocol that are kept at once. Default 256. */
    readonly maxSessions: number;
    /** Milliseconds after which a session that nobody uses is ended. Default 1,800,000. */
    readonly sessionIdleMs: number;
  };
  /** By name of the tool; ask by `settingsFor`. Default none. */
  readonly tools: Readonly<Record<string, ToolConfig>>;
  /** By name; the names are people's, so ask by `Object.entries` or `Object.hasOwn` alone. Default none. */
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
}

/**
 * In force where the configuration says nothing.
 * @example
 * ```ts
 * import { DEFAULT_CONFIG } from '@devs/core';
 * console.log(DEFAULT_CONFIG.sandbox.tools, DEFAULT_CONFIG.network.hosts); // require []
 * ```
 */
export const DEFAULT_CONFIG: DevsCoreConfig = Object.freeze({
  mcp: Object.freeze({ maxToolOutputBytes: 10_485_760, maxMessageBytes: 33_554_432 }),
  limits: Object.freeze({
    toolTimeoutMs: 60_000,
    principal: Object.freeze({ atOnce: 64, perMinute: null }),
    maxUserMessageLength: 100_000,
    maxToolOutputLength: 50_000,
    maxTotalContextTokens: 180_000,
    maxFileReadSize: 10_485_760,
  }),
  validation: Object.freeze({ mode: 'strict' }),
  sanitize: Object.freeze({
    boundaries: 'untrusted',
    structured: 'fence',
    secrets: true,
    triggers: Object.freeze(['__ot', 'mcp__onetool']),
    allowedSecrets: Object.freeze([]),
    maxSamplingTokens: 8_192,
  }),
  audit: Object.freeze({
    durability: 'power',
    mode: 'strict',
    payloadDays: 90,
    maxBytes: 0,
    minFreeBytes: 268_435_456,
    heads: Object.freeze({ everyRecords: 1_000, everySeconds: 300, systemLog: true, file: null }),
  }),
  files: Object.freeze({
    protected: Object.freeze([]),
    writable: Object.freeze([]),
    allowed: Object.freeze([]),
    blocked: Object.freeze([]),
    maxDepth: 256,
    symlinks: 'inside',
  }),
  labels: Object.freeze({ untrustedPaths: Object.freeze(['node_modules', 'vendor', '.venv', 'third_party']) }),
  network: Object.freeze({ hosts: Object.freeze([]) }),
  sandbox: Object.freeze({
    tools: 'require',
    upstreams: 'none',
    memoryBytes: 4_294_967_296,
    processes: 512,
    readable: Object.freeze([]),
    unixSockets: false,
    account: null,
  }),
  git: Object.freeze({ name: 'devs', email: 'devs@localhost' }),
  code: Object.freeze({ maxToolCalls: 256 }),
  http: Object.freeze({ maxConnections: 256, maxRequests: 1_024, requestTimeoutMs: 30_000, maxSessions: 256, sessionIdleMs: 1_800_000 }),
  tools: Object.freeze({}),
  mcpServers: Object.freeze({}),
});
