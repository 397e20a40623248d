import type { Duplex, Readable, Writable } from 'node:stream';

/**
 * What can be promised about a call, each by the operating system. `files`: nothing is read or written but what is
 * mounted. `network`: no socket leads out but through devs. `processes`: it sees and signals none but its own, and none
 * of them outlives it. `memory`: all of it together stays below the limits. `privilege`: it gains none, and reaches no
 * part of the kernel that it does not need.
 */
export type Guarantee = 'files' | 'network' | 'processes' | 'memory' | 'privilege';

/** What held one call while it ran. */
export interface Enforcement {
  /**
   * `capabilities`: devs's own code within devs, which has nothing else to reach the machine with; no boundary of the
   * system. `none`: nothing. Else the name of a `Confinement`.
   */
  readonly by: string;
  /** What the operating system kept, in the order of `Guarantee`. */
  readonly guarantees: readonly Guarantee[];
}

/** Of one guarantee, on this machine. */
export interface GuaranteeReport {
  readonly guarantee: Guarantee;
  readonly state: 'enforced' | 'partial' | 'absent';
  /** By what, or why not: a sentence for the operator. */
  readonly detail: string;
  /** The command or step that mends it. */
  readonly fix?: string;
}

/** What a probe has found, in the very profile that calls run in. */
export interface ConfinementReport {
  readonly name: string;
  /** Whether calls may run: all but `memory` are enforced. */
  readonly usable: boolean;
  readonly enforcement: Enforcement;
  /** One each, in the order of `Guarantee`. */
  readonly guarantees: readonly GuaranteeReport[];
}

/** A file or folder of the machine that the process sees at the same path. */
export interface Mount {
  /** Absolute and real: a link in it would be followed outside, by whoever could plant it. */
  readonly source: string;
  /** Absolute. Default: the source. */
  readonly target?: string;
  /** `hidden`: something empty that cannot be written lies in its place. */
  readonly access: 'read' | 'write' | 'hidden';
  /** Nothing is wrong when the source is not there. Default false. */
  readonly optional?: boolean;
  /** Somebody in another box could put a link there: it is opened first, and judged then. Default: below what is writable. */
  readonly pinned?: boolean;
}

export interface ProcessLimits {
  /** Milliseconds from the start until the whole tree is killed. `Infinity`: never, and its processor time is not limited either. */
  readonly wallMs: number;
  /** Bytes of stdout and stderr together until the tree is killed. */
  readonly outputBytes: number;
  /** Bytes of memory of all processes together where the machine can count that; else of each one's data. */
  readonly memoryBytes: number;
  /** Processes and threads at once. */
  readonly processes: number;
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Open files of one process. */
  readonly openFiles: number;
}

/** One process tree to be confined: plain data, complete. Nothing is inherited. */
export interface ConfinedRequest {
  /** Program and arguments; never a shell string. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute; one that is mounted. */
  readonly cwd: string;
  /** All of the environment, beside `PATH`, `HOME`, `TMPDIR` and `LANG` where it does not name them. */
  readonly env: Readonly<Record<string, string>>;
  /** In this order: a later one lies over an earlier one. The system's own folders are there anyway, read-only. */
  readonly mounts: readonly Mount[];
  /** Hosts that it may reach through devs, as `network.hosts` has them. Empty: there is no network. */
  readonly hosts: readonly string[];
  /** Ports of this machine's own loopback that it may connect to, on its own. Default none. */
  readonly loopbackPorts?: readonly number[];
  readonly limits: ProcessLimits;
  /** Whether it may make Unix sockets with names. One in a mounted folder leads to whoever listens there. Default false. */
  readonly unixSockets?: boolean;
  /** Whether it gets a stream of its own to speak to devs on, as file descriptor `CHANNEL_FD`. Default false. */
  readonly channel?: boolean;
}

/** The file descriptor of `ConfinedRequest.channel` inside the process. */
export const CHANNEL_FD = 3;

/** How a process tree ended. `setup`: it never began, and `detail` says why to the operator. */
export type ProcessExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'limit'; readonly limit: 'wall' | 'output' | 'memory' | 'processes' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'setup'; readonly detail: string };

/** A running process tree. */
export interface ConfinedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Devs's end; undefined unless it was asked for. */
  readonly channel: Duplex | undefined;
  readonly enforcement: Enforcement;
  /** Resolves when no process of the tree is left and all output was read. Never rejects. */
  readonly exit: Promise<ProcessExit>;
  /** Asks the program, and what it has started as long as it has not gone off, to end: SIGTERM. Nobody has to. */
  askToEnd(): void;
  /** Ends all of it. The exit is then `cancelled`, if nothing else ended it first. */
  kill(): void;
}

/** The beginning and the end of an output, and how much is missing between them. */
export interface CapturedOutput {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Bytes between the two. */
  readonly omitted: number;
}

export interface ProcessOutcome {
  readonly exit: ProcessExit;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly enforcement: Enforcement;
}

export interface ExecOptions {
  readonly stdin?: Uint8Array | string;
  /** Ends the tree: the exit is `cancelled`. */
  readonly signal: AbortSignal;
  /** Most bytes of each output that are kept. */
  readonly keepBytes: number;
}

/**
 * Runs processes that cannot do what they are not given. What it cannot enforce it does not run.
 * An implementation passes the escape tests, each with its negative control.
 */
export interface Confinement {
  readonly name: string;
  /** What it can enforce here. Found out once, by trying. Never throws. */
  probe(): Promise<ConfinementReport>;
  /** @throws DevsError SANDBOX_UNAVAILABLE naming the guarantee that is missing, and how to mend it */
  spawn(request: ConfinedRequest): Promise<ConfinedProcess>;
  /** `spawn`, to its end. Throws what `spawn` does. */
  exec(request: ConfinedRequest, options: ExecOptions): Promise<ProcessOutcome>;
}
