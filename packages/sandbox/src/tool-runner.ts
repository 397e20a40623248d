import type {
  FsRoot,
  RawToolOutput,
  RegisteredTool,
  SandboxExecutor,
  SandboxRun,
  ToolExecutionContext,
  ToolSettings,
  ValidatedArgs,
} from '@devs/core';

/** A project folder that gives each tool as much of it as its settings say. */
export interface FilesByTool {
  forTool(settings: ToolSettings): FsRoot;
}

/**
 * Runs tools inside devs, handing them capabilities and nothing else. No system boundary is possible
 * here: a tool that needs one is not an in-process tool. Deadline and cancellation are the gate's: it
 * stops waiting when the signal aborts, and the same signal tells the tool to stop working.
 */
export class ToolRunner implements SandboxExecutor {
  readonly #files: FilesByTool;

  /** @param files the one project folder that tools of this runner reach */
  constructor(files: FilesByTool) {
    this.#files = files;
  }

  /** Throws the signal's reason when it is already aborted; else what the tool throws. */
  async execute(
    tool: RegisteredTool,
    args: ValidatedArgs,
    // Not used: `projectRoot` is the caller's claim, and a claim must not choose which files are reached.
    _context: ToolExecutionContext,
    run: SandboxRun,
  ): Promise<RawToolOutput> {
    const { signal, view, readMore } = run;
    signal.throwIfAborted();
    return await tool.handler(args, Object.freeze({ files: this.#files.forTool(tool.settings), view, readMore, signal }));
  }
}
