import { type CommandOutcome, type CommandPlan, type CommandRunner, type ConfinedRequest, type Confinement, DevsError, errnoOf, type ExclusiveLock, type MendedLink, type Mount, type MovedAside, type ProcessLimits, type ToolSettings } from '@devs/core';
import { requireUsable } from '../confinement/require-usable.ts';
import type { ConfinedCall } from '../tool-runner.ts';
import { inTurn } from './in-turn.ts';
import { tellEffects } from '../repository/told-effects.ts';
import type { RootMode } from './root-mode.ts';

/** Looks after what a command could plant for others to obey. */
export interface ProjectGuard<Snapshot extends ProjectSnapshot = ProjectSnapshot> {
  /** @throws DevsError COMMAND_REFUSED */
  before(): Promise<Snapshot>;
  /** @throws DevsError PROJECT_UNSAFE */
  after(snapshot: Snapshot, onLink: (link: MendedLink) => void): Promise<readonly MovedAside[]>;
}

export interface ProjectSnapshot {
  /** What is protected and there already; absolute, real. */
  readonly existing: readonly string[];
  /** What is known of the root's mode after the command. */
  readonly mode?: Pick<RootMode, 'wasOpened'>;
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
  readonly lock: ExclusiveLock;
  /** What a command sees beside the system. @param existing what must stay as it is */
  readonly mounts: (existing: readonly string[]) => readonly Mount[];
  /** What it finds in its environment, before what it is given. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  readonly unixSockets: boolean;
}

/** A command with the milliseconds that are left for it. */
type TimedPlan = CommandPlan & Required<Pick<CommandPlan, 'timeoutMs'>>;

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
    const { settings, signal, timeoutMs, enforced } = this.#call;
    const cwd = folders.findFolder(plan.cwd ?? '.', settings);
    enforced(await requireUsable(confinement));
    // Beyond its time the gate waits a little for what the command has said, so a wait that ends here is told as one.
    const until = Math.min(this.#since + timeoutMs, performance.now() + (plan.timeoutMs ?? Infinity));
    return inTurn(lock, { until, signal }, async (leftMs) => this.#runAlone({ ...plan, timeoutMs: leftMs }, cwd));
  }

  async #runAlone(plan: TimedPlan, cwd: string): Promise<CommandOutcome> {
    const { confinement, guard } = this.#parts;
    const { stdin = '', keepBytes } = plan;
    const snapshot = await guard.before();
    const run = async () => confinement.exec(this.#toRequest(plan, cwd, snapshot), { stdin, signal: this.#call.signal, keepBytes });
    const [ended] = await Promise.allSettled([run()]);
    // Also of one that failed, and when nobody waits any more: what was planted must not stay.
    const links: MendedLink[] = [];
    const movedAside = await guard.after(snapshot, (link) => links.push(link));
    return tellEffects({ movedAside, links }, this.#call.signal, () => {
      if (ended.status === 'rejected') throw toRefusal(ended.reason);
      if (ended.value.exit.kind === 'setup') throw notStarted(ended.value.exit.detail);
      return { ...ended.value, movedAside, links, ...(snapshot.mode?.wasOpened === true && { rootClosed: true }) };
    });
  }

  #toRequest({ argv, env = {}, timeoutMs }: TimedPlan, cwd: string, { existing }: ProjectSnapshot): ConfinedRequest {
    const { mounts, env: own, limits, unixSockets } = this.#parts;
    return {
      argv,
      cwd,
      mounts: mounts(existing),
      unixSockets,
      // Git writes an index that it was only asked to look at, if it may.
      env: { ...own, GIT_OPTIONAL_LOCKS: '0', ...env },
      hosts: this.#call.settings.network.hosts,
      limits: { ...limits, wallMs: timeoutMs },
    };
  }
}

/** What the system does not even take as a command line. */
function toRefusal(cause: unknown): unknown {
  if (errnoOf(cause) !== 'E2BIG') return cause;
  return new DevsError('COMMAND_REFUSED', { sentence: 'The arguments are longer than the system takes; nothing was run.', suggestion: 'Pass less, or through "stdin" or a file.', cause });
}

function notStarted(detail: string): DevsError {
  return new DevsError('COMMAND_REFUSED', { sentence: 'The command could not be started; nothing was run.', cause: new Error(detail) });
}
