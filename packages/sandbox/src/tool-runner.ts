import type {
  CapabilitiesByKind,
  CodeRunner,
  CommandRunner,
  Egress,
  Enforcement,
  FsRoot,
  RawToolOutput,
  RegisteredTool,
  RepositoryWriter,
  SandboxExecutor,
  SandboxRun,
  ToolExecutionContext,
  ToolSettings,
  ValidatedArgs,
} from '@devs/core';
import { DevsError } from '@devs/core';

/** A project folder that gives each tool as much of it as its settings say. */
export interface FilesByTool {
  /** @param onRead told of each file that something is read of */
  forTool(settings: ToolSettings, onRead?: (path: string) => void): FsRoot;
  /** Throws what a walk of this path would throw, as far as its spelling tells. Absent: nothing is told before the walk. */
  refuseSpelling?(path: string, settings: ToolSettings, access: 'read' | 'write'): void;
}

/** One call, for whatever does its work outside of devs. */
export interface ConfinedCall {
  readonly settings: ToolSettings;
  readonly signal: AbortSignal;
  /** Milliseconds that the call may take. */
  readonly timeoutMs: number;
  /** To be told what holds the work, before it begins. */
  readonly enforced: (enforcement: Enforcement) => void;
}

/** What does work outside of devs, made for one call. */
export interface ConfinedWork {
  commands(call: ConfinedCall): CommandRunner;
  repository(call: ConfinedCall): RepositoryWriter;
  egress(call: ConfinedCall): Egress;
  code(call: ConfinedCall): CodeRunner;
}

/** devs's own code within devs: it has nothing but what it is handed. */
const BY_CAPABILITIES: Enforcement = Object.freeze({ by: 'capabilities', guarantees: Object.freeze([]) });

/** The program of somebody else, which was started before the call and holds what its user holds. */
const BY_NOBODY: Enforcement = Object.freeze({ by: 'none', guarantees: Object.freeze([]) });

/**
 * Runs each tool with the capabilities of its kind and nothing else, and says what holds it. Deadline and cancellation are
 * the gate's: it stops waiting when the signal aborts, and the same signal tells the tool to stop working.
 */
export class ToolRunner implements SandboxExecutor {
  readonly #files: FilesByTool;
  readonly #work: ConfinedWork | undefined;

  /**
   * @param files the one project folder that tools of this runner reach
   * @param work absent: tools whose work is not done within devs are refused
   */
  constructor(files: FilesByTool, work?: ConfinedWork) {
    this.#files = files;
    this.#work = work;
  }

  refusePaths({ kind = 'in-process', effects, settings }: RegisteredTool, paths: readonly string[]): void {
    // What commands and commits write is their own affair: of them a path names what they work on.
    const access = effects && kind === 'in-process' ? 'write' : 'read';
    for (const path of paths) this.#files.refuseSpelling?.(path, settings, access);
  }

  /** Throws the signal's reason when it is already aborted; SANDBOX_UNAVAILABLE; else what the tool throws. */
  async execute(
    tool: RegisteredTool,
    args: ValidatedArgs,
    // Not used: `projectRoot` is the caller's claim, and a claim must not choose which files are reached.
    _context: ToolExecutionContext,
    run: SandboxRun,
  ): Promise<RawToolOutput> {
    run.signal.throwIfAborted();
    switch (tool.kind) {
      case undefined:
      case 'in-process':
        return tool.handler(args, this.#inProcess(tool, run));
      case 'command':
        return tool.handler(args, this.#hand(tool, run, (work, call) => ({ commands: work.commands(call) })));
      case 'repository':
        return tool.handler(args, this.#hand(tool, run, (work, call) => ({ repository: work.repository(call) })));
      case 'network':
        // The request is devs's own, to hosts that the operator has allowed; only its target is the agent's.
        run.enforced(BY_CAPABILITIES);
        return tool.handler(args, this.#hand(tool, run, (work, call) => ({ egress: work.egress(call) })));
      case 'code': {
        const { callable: tools, callTool, bound } = run;
        return tool.handler(args, this.#hand(tool, run, (work, call) => ({ code: work.code(call), tools, callTool, bound })));
      }
      case 'upstream':
        // Whoever starts the server knows better, and says so.
        run.enforced(BY_NOBODY);
        return tool.handler(args, Object.freeze({ ...run.upstream, signal: run.signal }));
      default:
        // Of a kind that somebody has made up: nobody knows what would hold it.
        throw new DevsError('SANDBOX_UNAVAILABLE');
    }
  }

  #inProcess({ settings }: RegisteredTool, { signal, view, readMore, read, enforced }: SandboxRun): CapabilitiesByKind['in-process'] {
    enforced(BY_CAPABILITIES);
    return Object.freeze({ files: this.#files.forTool(settings, read), view, readMore, signal });
  }

  #hand<Capability extends object>(
    { settings }: RegisteredTool,
    { signal, timeoutMs, enforced }: SandboxRun,
    make: (work: ConfinedWork, call: ConfinedCall) => Capability,
  ): Readonly<Capability & { signal: AbortSignal }> {
    if (this.#work === undefined) throw new DevsError('SANDBOX_UNAVAILABLE');
    return Object.freeze({ ...make(this.#work, { settings, signal, timeoutMs, enforced }), signal });
  }
}
