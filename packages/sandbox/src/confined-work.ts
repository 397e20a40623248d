import path from 'node:path';
import type { CodeRunner, CommandRunner, Confinement, DevsCoreConfig, Egress, ExclusiveLock, MendedLink, Mount, MovedAside, ProcessLimits, RepositoryWriter, ToolSettings } from '@devs/core';
import { DevsError } from '@devs/core';
import type { CodeEngine } from './code/code-engine.ts';
import { boxView, writablePlaces } from './box-view.ts';
import type { BoxObstacle } from './box-obstacle.ts';
import { ClosedFolders, type ShownFolders } from './closed-folders.ts';
import { BlockedLinks } from './commands/blocked-links.ts';
import { ProjectCommands, type ProjectGuard } from './commands/command-runner.ts';
import { inTurn } from './commands/in-turn.ts';
import { RootMode } from './commands/root-mode.ts';
import { findToolchains, type Toolchains } from './commands/toolchains.ts';
import { isWithin } from './files/is-within.ts';
import { boxAccount, isBeyond, mayReach } from './confinement/account-reach.ts';
import type { Account } from './confinement/bubblewrap-confinement.ts';
import { GuardedConfinement } from './confinement/guarded-confinement.ts';
import { requireUsable } from './confinement/require-usable.ts';
import { DISKS, type Disks } from './disks/disks.ts';
import { isSuspect } from './disks/other-names.ts';
import type { GuardedFsRoot } from './guarded-fs-root.ts';
import { BlockedPlaces, toRealPath } from './files/real-places.ts';
import { refuseHosts, refuseReadable } from './refused-rules.ts';
import { NetworkedConfinement } from './egress/in-box/networked-confinement.ts';
import { PlantedGuard, type Snapshot } from './repository/planted-guard.ts';
import { ownPlacesInSystem, SYSTEM } from './files/system-folders.ts';
import type { ConfinedCall, ConfinedWork } from './tool-runner.ts';

export interface ConfinedWorkOptions {
  readonly files: GuardedFsRoot;
  readonly confinement: Confinement;
  /** Held by the one command or commit that is at work in the project, of all devs of the account. */
  readonly lock: ExclusiveLock;
  readonly config: Pick<DevsCoreConfig, 'sandbox' | 'network' | 'git' | 'code' | 'tools'>;
  /** Who boxes run as, where devs is root and they are not. */
  readonly account?: Account;
  /** Folders of devs itself, absolute; they need not exist. */
  readonly closed: readonly string[];
  /** Absolute folder outside of the root and of every box, for what must not be written by one. */
  readonly privateFolder: string;
  /** Absolute file in a folder of devs itself, for what the next devs has to know of this one's commands. Default: it does not. */
  readonly noteFile?: string;
  /** As `PATH` has it. */
  readonly searchPath: string;
  /** Of whoever runs devs. */
  readonly home: string;
  /** By which devs's own notices are told from what tools say: `OutputPolicy.noticeId`. */
  readonly noticeId: string;
  /** Default: those of this machine. */
  readonly disks?: Disks;
}

/** Bytes of both outputs together, after which a command is ended: it floods, and nobody reads it. */
const MOST_OUTPUT = 268_435_456;
const MOST_FILE = 2_147_483_648;
const MOST_OPEN = 4_096;
/** Milliseconds for one page, so that the reason is told before the call is over. */
const MOST_FETCH_MS = 50_000;

/**
 * What does work outside of devs, for one project.
 * @throws DevsError CONFIG_INVALID: a host that could never be reached, or a readable path in a folder of devs itself
 */
export function createConfinedWork(options: ConfinedWorkOptions): ProjectBoxes {
  refuseHosts(options.config);
  refuseReadable(options);
  return new ProjectWork(options);
}

/** The same, and what keeps its boxes from being made. */
export interface ProjectBoxes extends ConfinedWork {
  /** Why every command and commit of a tool with these settings is refused. Undefined: nothing that can be known before. */
  findObstacle(settings: ToolSettings): Promise<BoxObstacle | undefined>;
  /** What commands find read-only because of hard links, absolute. @throws DevsError COMMAND_REFUSED: the project cannot be read */
  findLinked(): Promise<readonly string[]>;
}

interface GuardedSnapshot extends Snapshot {
  readonly mode: RootMode;
  readonly blocked: BlockedLinks;
}

/** What a start does not need is loaded when it is first asked for: it is most of this package. */
class ProjectWork implements ProjectBoxes {
  readonly #options: ConfinedWorkOptions;
  readonly #boxes: GuardedConfinement;
  /** The same, for what may reach hosts. */
  readonly #confinement: Confinement;
  readonly #guard: PlantedGuard;
  readonly #blocked: BlockedPlaces;
  readonly #closed: ClosedFolders;
  #engine: CodeEngine | undefined;
  /** Looked up when a command first needs them. */
  #toolchains: Toolchains | undefined;

  constructor(options: ConfinedWorkOptions) {
    const { files, confinement, disks, noteFile } = options;
    this.#options = options;
    this.#boxes = new GuardedConfinement({ confinement, disks, hide: () => this.#ownPlaces() });
    this.#confinement = new NetworkedConfinement(this.#boxes, async (hosts) => (await import('./egress/egress-proxy.ts')).createEgressProxy({ hosts }));
    this.#blocked = new BlockedPlaces(files.location);
    this.#closed = new ClosedFolders(options.closed);
    this.#guard = new PlantedGuard({ root: files.location, protection: files.protection, createId: files.createId, disks, noteFile });
  }

  commands(call: ConfinedCall): CommandRunner {
    const { files, config } = this.#options;
    return new ProjectCommands(
      {
        confinement: this.#confinement,
        folders: files,
        guard: this.#guardFor(call),
        lock: this.#options.lock,
        env: this.#findToolchains().env,
        mounts: (existing) => this.#mountsFor(call.settings, existing),
        limits: this.#limitsFor(call),
        unixSockets: config.sandbox.unixSockets,
      },
      call,
    );
  }

  repository(call: ConfinedCall): RepositoryWriter {
    const { files, config, account, privateFolder, lock } = this.#options;
    const confinement = this.#boxes;
    const turn = { until: performance.now() + call.timeoutMs, signal: call.signal };
    const options = {
      root: files.location,
      spellings: files.spellings,
      protection: files.protectionFor(call.settings),
      guard: this.#guardFor(call),
      confinement,
      identity: config.git,
      limits: this.#limitsFor(call),
      mounts: (existing: readonly string[]) => this.#mountsFor(call.settings, existing),
      env: this.#findToolchains().env,
      temporaryFolder: privateFolder,
      createId: files.createId,
      signal: call.signal,
      ...(account !== undefined && { owner: account }),
    };
    return {
      commit: async (plan) => {
        call.enforced(await requireUsable(confinement));
        const { createRepositoryWriter } = await import('./repository/repository-writer.ts');
        return inTurn(lock, turn, async (leftMs) => createRepositoryWriter({ ...options, limits: { ...options.limits, wallMs: leftMs } }).commit(plan));
      },
    };
  }

  egress({ settings, timeoutMs }: ConfinedCall): Egress {
    const options = { hosts: settings.network.hosts, totalMs: Math.min(MOST_FETCH_MS, timeoutMs) };
    return { fetch: async (plan, signal) => (await import('./egress/egress.ts')).createEgress(options).fetch(plan, signal) };
  }

  code(call: ConfinedCall): CodeRunner {
    const { config, noticeId } = this.#options;
    const confinement = this.#boxes;
    return {
      run: async (plan) => {
        call.enforced(await requireUsable(confinement));
        const [{ CodeEngine }, { createCodeRunner }] = await Promise.all([import('./code/code-engine.ts'), import('./code/create-code-runner.ts')]);
        // One for all runs: it has an image made, once.
        this.#engine ??= new CodeEngine(confinement);
        return createCodeRunner({ engine: this.#engine, limits: this.#limitsFor(call), maxToolCalls: config.code.maxToolCalls, noticeId }).run(plan);
      },
    };
  }

  async findObstacle(settings: ToolSettings): Promise<BoxObstacle | undefined> {
    const closed = this.#closed.findObstacle(this.#shown(settings.files));
    if (closed !== undefined) return closed;
    try {
      // All of a project is looked at only where its disk gives a reason to.
      const existing = isSuspect(this.#options.files.location, this.#options.disks ?? DISKS) ? (await this.#guard.look()).existing : [];
      return await this.#boxes.findObstacle({ mounts: this.#mountsFor(settings, existing) });
    } catch (cause) {
      return toObstacle(cause);
    }
  }

  async findLinked(): Promise<readonly string[]> {
    return (await this.#guard.look()).linked;
  }

  #shown(rules: ToolSettings['files']): ShownFolders {
    return { written: writablePlaces(rules, this.#options.files.location), read: this.#readFolders() };
  }

  /** What devs makes for itself comes first: made in the middle of a call, it would look as if the command had planted it. */
  #guardFor({ settings }: ConfinedCall): ProjectGuard<GuardedSnapshot> {
    const before = async () => {
      this.#closed.secure(this.#shown(settings.files));
      const mode = new RootMode(this.#options.files.location);
      return { ...(await this.#guard.before()), mode, blocked: this.#blockedLinks(settings) };
    };
    const after = async (snapshot: GuardedSnapshot, onLink: (link: MendedLink) => void) => {
      const moved: MovedAside[] = [];
      try {
        moved.push(...(await this.#guard.after(snapshot, onLink)));
      } finally {
        try {
          moved.push(...(await snapshot.blocked.mend(onLink)));
        } finally {
          snapshot.mode.takeBack();
        }
      }
      return moved;
    };
    return { before, after };
  }

  /** Of what is blocked for any tool: a command of this one can plant for the others. */
  #blockedLinks({ files: { blocked } }: ToolSettings): BlockedLinks {
    const { files: { location: root, createId }, config: { tools } } = this.#options;
    return new BlockedLinks({ root, createId, entries: [...blocked, ...Object.values(tools).flatMap(({ files }) => files?.blocked ?? [])] });
  }

  /** What no box shows by showing the system's folders. An account that cannot come there needs no mount to keep it away. */
  #ownPlaces(): readonly string[] {
    const { files: { location: root }, home } = this.#options;
    const closed = this.#closed.secure({ written: [], read: SYSTEM });
    return ownPlacesInSystem({ root, home, closed }).filter((place) => !this.#isBeyondBoxes(place));
  }

  #isBeyondBoxes(place: string): boolean {
    const account = boxAccount(this.#options.account);
    return account !== undefined && isBeyond(place, account);
  }

  #readFolders(): readonly string[] {
    return [...SYSTEM, ...this.#options.config.sandbox.readable.map(toRealPath)];
  }

  /**
   * What a command of the project sees beside the system.
   * @param existing what is protected and there, absolute and real
   * @throws DevsError COMMAND_REFUSED: a folder of devs itself cannot be closed to it
   */
  #mountsFor({ files: rules }: ToolSettings, existing: readonly string[]): readonly Mount[] {
    const { files, config } = this.#options;
    const root = files.location;
    const hidden = this.#closed.secure(this.#shown(rules));
    const readable = config.sandbox.readable.map((named) => ({ named, real: toRealPath(named) }));
    const read = readable.map(({ real }) => real);
    const view = boxView({ root, rules, closed: this.#closed.places, readOnly: existing, protection: files.protection, read, places: this.#blocked });
    const mounts = [
      ...this.#findToolchains().mounts,
      ...readable.map(({ named, real }): Mount => ({ source: real, access: 'read', optional: true, ...(named !== real && { target: named }) })),
      ...hidden.filter((folder) => isWithinAny(folder, read)).map((source): Mount => ({ source, access: 'hidden' })),
      ...view,
      ...readable.flatMap(({ named, real }) => hiddenUnder(named, real, [...hidden, ...hiddenIn(view)])),
    ];
    return mounts.filter(({ source, optional = false }) => optional || !this.#isBeyondBoxes(source));
  }

  #limitsFor({ timeoutMs }: ConfinedCall): ProcessLimits {
    const { memoryBytes, processes } = this.#options.config.sandbox;
    return { wallMs: timeoutMs, memoryBytes, processes, outputBytes: MOST_OUTPUT, fileBytes: MOST_FILE, openFiles: MOST_OPEN };
  }

  #findToolchains(): Toolchains {
    const { files, searchPath, home } = this.#options;
    this.#toolchains ??= withinReach(findToolchains({ searchPath, home, root: files.location, closed: this.#closed.places }), this.#options.account);
    return this.#toolchains;
  }
}

/** What a command would be refused for. */
function toObstacle(cause: unknown): BoxObstacle {
  if (!DevsError.is(cause)) throw cause;
  return { sentence: cause.sentence, fix: cause.suggestion ?? 'ask devs doctor', cause };
}

function hiddenIn(mounts: readonly Mount[]): readonly string[] {
  return mounts.filter(({ access }) => access === 'hidden').map(({ source }) => source);
}

/** What is readable by the name of a link shows at that name what it leads to, and in it what is hidden at its own. */
function hiddenUnder(named: string, real: string, hidden: readonly string[]): readonly Mount[] {
  if (named === real) return [];
  const within = hidden.filter((place) => isWithin(place, real));
  return within.map((source) => ({ source, target: path.join(named, path.relative(real, source)), access: 'hidden' }));
}

function isWithinAny(place: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(place, folder));
}

/** bwrap mounts as the account that boxes run as: one folder that it may not look into would keep every box from starting. */
function withinReach({ mounts, env }: Toolchains, account: Account | undefined): Toolchains {
  return { mounts: account === undefined ? mounts : mounts.filter(({ source }) => mayReach(source, account)), env };
}
