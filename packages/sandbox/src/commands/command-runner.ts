import {
  DevsError,
  type CommandOutcome,
  type CommandPlan,
  type CommandRunner,
  type ConfinedRequest,
  type Confinement,
  type MovedAside,
  type Mount,
  type ProcessLimits,
  type ToolSettings,
} from '@devs/core';
import { errnoOf } from '../errno.ts';
import { requireUsable } from '../confinement/require-usable.ts';
import type { ConfinedCall } from '../tool-runner.ts';
import type { ProjectLock } from './project-lock.ts';

/** Looks after what a command could plant for others to obey. */
export interface ProjectGuard<Snapshot extends ProjectSnapshot = ProjectSnapshot> {
  /** @throws DevsError COMMAND_REFUSED */
  before(): Promise<Snapshot>;
  /** @throws DevsError PROJECT_UNSAFE */
  after(snapshot: Snapshot): Promise<readonly MovedAside[]>;
}

export interface ProjectSnapshot {
  /** What is protected and there already; absolute, real. */
  readonly existing: readonly string[];
}

/** Finds a folder of the project by the agent's name for it, within the rules of a tool. */
export interface FolderFinder {
  /** Absolute, real. @throws DevsError `PATH_*`, NOT_A_DIRECTORY, FILE_NOT_FOUND */
  findFolder(path: string, settings: ToolSettings): string;
}

export interface CommandRunnerParts {
  readonly confinement: Confinement;
  readonly folders: FolderFinder;
  readonly guard: ProjectGuard;
  readonly lock: ProjectLock;
  /** What a command sees beside the system. @param existing what must stay as it is */
  readonly mounts: (existing: readonly string[]) => readonly Mount[];
  /** What it finds in its environment, before what it is given. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  readonly unixSockets: boolean;
}

/** Runs commands for one call. */
export class ProjectCommands implements CommandRunner {
  readonly #parts: CommandRunnerParts;
  readonly #call: ConfinedCall;
  /** Monotonic milliseconds. */
  readonly #since = performance.now();

  constructor(parts: CommandRunnerParts, call: ConfinedCall) {
    this.#parts = parts;
    this.#call = call;
  }

  async run(plan: CommandPlan): Promise<CommandOutcome> {
    const { confinement, folders, lock } = this.#parts;
    const { settings, signal, enforced } = this.#call;
    const cwd = folders.findFolder(plan.cwd ?? '.', settings);
    enforced(await requireUsable(confinement));
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(this.#call.timeoutMs)]);
    return lock.hold(async () => this.#runAlone(plan, cwd), waiting).catch((cause: unknown) => {
      throw cause === waiting.reason && !signal.aborted ? busy() : cause;
    });
  }

  async #runAlone(plan: CommandPlan, cwd: string): Promise<CommandOutcome> {
    const { confinement, guard } = this.#parts;
    const { stdin = '', keepBytes } = plan;
    const snapshot = await guard.before();
    const run = async () => confinement.exec(this.#toRequest(plan, cwd, snapshot), { stdin, signal: this.#call.signal, keepBytes });
    const [ended] = await Promise.allSettled([run()]);
    // Also of one that failed, and when nobody waits any more: what was planted must not stay.
    const movedAside = await guard.after(snapshot);
    if (ended.status === 'rejected') throw toRefusal(ended.reason);
    if (ended.value.exit.kind === 'setup') throw notStarted(ended.value.exit.detail);
    return { ...ended.value, movedAside };
  }

  #toRequest({ argv, env = {}, timeoutMs }: CommandPlan, cwd: string, { existing }: ProjectSnapshot): ConfinedRequest {
    const { mounts, env: own, limits, unixSockets } = this.#parts;
    return {
      argv,
      cwd,
      mounts: mounts(existing),
      unixSockets,
      // Git writes an index that it was only asked to look at, if it may.
      env: { ...own, GIT_OPTIONAL_LOCKS: '0', ...env },
      hosts: this.#call.settings.network.hosts,
      // What it has waited for others is gone: the gate waits no longer for that.
      limits: { ...limits, wallMs: Math.max(1, Math.min(timeoutMs ?? limits.wallMs, limits.wallMs - (performance.now() - this.#since))) },
    };
  }
}

function busy(): DevsError {
  return new DevsError('COMMAND_REFUSED', { sentence: 'Another command works in this project, and took all the time that this one had; nothing was run.', suggestion: 'Call again when it is through.' });
}

/** What the system does not even take as a command line. */
function toRefusal(cause: unknown): unknown {
  if (errnoOf(cause) !== 'E2BIG') return cause;
  return new DevsError('COMMAND_REFUSED', { sentence: 'The arguments are longer than the system takes; nothing was run.', suggestion: 'Pass less, or through "stdin" or a file.', cause });
}

function notStarted(detail: string): DevsError {
  return new DevsError('COMMAND_REFUSED', { sentence: 'The command could not be started; nothing was run.', cause: new Error(detail) });
}
