import type { ToolResult } from '../protocol/tool-result.ts';
import type { ProcessOutcome } from './confinement.ts';

/** A command for the project folder. Paths are the agent's. */
export interface CommandPlan {
  readonly argv: readonly [string, ...string[]];
  /** Default: the root. */
  readonly cwd?: string;
  /** Over the few variables that every command gets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Milliseconds; at most what the call may take, which is the default. */
  readonly timeoutMs?: number;
  /** Most bytes of each output that are kept. */
  readonly keepBytes: number;
}

export interface CommandOutcome extends ProcessOutcome {
  /**
   * What the command made that others would obey, a nested `.git` or a protected file, relative to the root, each with
   * where it was moved to.
   */
  readonly movedAside: readonly MovedAside[];
  /** Protected links that the command has removed, or put something else in the place of. Default: none. */
  readonly links?: readonly MendedLink[];
  /** The command had let other accounts write the root: that was taken back. */
  readonly rootClosed?: boolean;
}

export interface MovedAside {
  readonly path: string;
  /** Relative to the root. */
  readonly to: string;
}

export interface MendedLink {
  /** Relative to the root. */
  readonly path: string;
  /** As it is written in the link. */
  readonly leadsTo: string;
  /** It is there again. False: the folder that it was in is gone. */
  readonly isBack: boolean;
}

/** Runs commands in the project folder, each in a box of its own. */
export interface CommandRunner {
  /** @throws DevsError SANDBOX_UNAVAILABLE, COMMAND_REFUSED, PROJECT_BUSY, `PATH_*` for the `cwd` */
  run(plan: CommandPlan): Promise<CommandOutcome>;
}

export interface CommitPlan {
  readonly message: string;
  /** Paths of the agent, to be added and committed. Absent: all changes of tracked files and what is staged. */
  readonly paths?: readonly string[];
}

export interface CommitOutcome {
  /** Full object name of the new commit. */
  readonly commit: string;
  /** Short name of the branch; undefined on a detached head. */
  readonly branch: string | undefined;
  /** `git show --stat`, and what hooks have said. */
  readonly summary: string;
  /** As of a command: what hooks made. */
  readonly movedAside: readonly MovedAside[];
  /** As of a command: what hooks took away. */
  readonly links?: readonly MendedLink[];
}

/** Commits to the project's git repository without letting it run anything outside a box. */
export interface RepositoryWriter {
  /** @throws DevsError SANDBOX_UNAVAILABLE, COMMIT_REFUSED, PROJECT_BUSY, `PATH_*` */
  commit(plan: CommitPlan): Promise<CommitOutcome>;
}

export interface FetchPlan {
  readonly url: string;
  /** Most bytes of the body, after decompression. */
  readonly maxBytes: number;
}

export interface FetchedPage {
  /** Where the body came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Lower case, without parameters; empty when the server names none. */
  readonly mediaType: string;
  /** As the server names it. */
  readonly charset: string | undefined;
  readonly body: Uint8Array;
  /** The body went on after `maxBytes`. */
  readonly truncated: boolean;
}

/** Reaches hosts that the operator has allowed, and no address that is not the public network's. */
export interface Egress {
  /** @throws DevsError HOST_NOT_ALLOWED, FETCH_FAILED */
  fetch(plan: FetchPlan, signal: AbortSignal): Promise<FetchedPage>;
}

export interface CodePlan {
  /** Body of an async function. */
  readonly code: string;
  /** Milliseconds; at most what the call may take, which is the default. */
  readonly timeoutMs?: number;
  /** The tools that it may call, by name. */
  readonly tools: readonly string[];
  /** Calls a tool through the whole gate, as a child of this call. */
  readonly callTool: (toolName: string, args: unknown, signal: AbortSignal) => Promise<ToolResult>;
  readonly signal: AbortSignal;
}

export type CodeEnd =
  /** `value` is JSON; undefined when nothing was returned. `isText`: it was a string, and `value` is that string. */
  | { readonly kind: 'value'; readonly value: string | undefined; readonly isText: boolean }
  /** The code threw: its words, with the place in its own lines. */
  | { readonly kind: 'thrown'; readonly message: string }
  /** It did not end by itself. */
  | { readonly kind: 'limit'; readonly limit: 'time' | 'memory' | 'calls' | 'stack' | 'output' }
  /** It, or what ran it, broke: what it said is not believed. */
  | { readonly kind: 'broken' };

export interface CodeOutcome {
  readonly end: CodeEnd;
  /** What it printed, in order, within a bound. */
  readonly printed: string;
  /** What it printed beyond that, in characters. */
  readonly omitted: number;
  /** What devs had to say about answers of tools: cut, masked, more to read. */
  readonly notices: readonly string[];
  /** Calls that it made. */
  readonly calls: number;
  /** What `__sanitize__` was at the end. True whenever the end is not to be believed. */
  readonly sanitize: boolean | undefined;
}

/** Runs code in a process of its own that is thrown away afterwards. */
export interface CodeRunner {
  /** @throws DevsError SANDBOX_UNAVAILABLE */
  run(plan: CodePlan): Promise<CodeOutcome>;
}
