import path from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { DevsError, splitPath, type ConfinedRequest, type Confinement, type ConfinementReport, type DevsCoreConfig, type Mount, type ProcessLimits } from '@devs/core';
import { ClosedFolders } from '../closed-folders.ts';
import { findToolchains } from '../commands/toolchains.ts';
import { boxAccount, isBeyond, mayReach } from '../confinement/account-reach.ts';
import { GuardedConfinement } from '../confinement/guarded-confinement.ts';
import type { Account } from '../confinement/bubblewrap-confinement.ts';
import type { Disks } from '../disks/disks.ts';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { isWithin } from '../files/is-within.ts';
import { BlockedPlaces } from '../files/real-places.ts';
import { NetworkedConfinement } from '../egress/in-box/networked-confinement.ts';
import { ownPlacesInSystem, SYSTEM } from '../files/system-folders.ts';
import { BoxedServer, type ServerTimers } from './boxed-server.ts';
import { HOME } from './box-places.ts';
import { makePrivateParts, privateMounts } from './private-parts.ts';
import { toServerEnvironment } from './server-environment.ts';
import { arrange, namedMounts, writtenInRoot } from './server-mounts.ts';
import { refuseBox, type ServerOrder } from './server-order.ts';
import { findServerProgram, unseenArguments } from './server-program.ts';

export interface ServerBoxesOptions {
  /** The project. */
  readonly files: Pick<GuardedFsRoot, 'location' | 'protection' | 'createId'>;
  readonly confinement: Confinement;
  readonly config: Pick<DevsCoreConfig, 'sandbox' | 'files'>;
  readonly account?: Account;
  /** Folders of devs itself, absolute, also those of other projects; they need not exist. */
  readonly closed: readonly string[];
  /** Absolute folder where devs keeps what lives for a moment. */
  readonly privateFolder: string;
  /** Of whoever runs devs. */
  readonly home: string;
  /** Gets what servers say on their standard error. */
  readonly errors: Writable;
  /** Default: those of this machine. */
  readonly disks?: Disks;
}

/** A box as it would be made. */
export interface PlannedBox {
  readonly request: ConfinedRequest;
  /** Arguments that name what is not in it. */
  readonly unseen: readonly string[];
}

const MOST_FILE = 2_147_483_648;
const MOST_OPEN = 4_096;
/** Below these a program without privileges may not listen, in its own box either. */
const LEAST_PORT = 1_024;

/** Boxes for servers that devs starts: one each, for as long as the server is there. */
export class ServerBoxes {
  readonly #options: ServerBoxesOptions;
  readonly #boxes: GuardedConfinement;
  /** The same, for what may reach hosts. */
  readonly #confinement: Confinement;
  readonly #places: BlockedPlaces;
  readonly #closed: ClosedFolders;
  /** One for all: each pipe would be one more listener of what they lead to. */
  readonly #errors = new PassThrough().setMaxListeners(0);

  constructor(options: ServerBoxesOptions) {
    this.#options = options;
    this.#boxes = new GuardedConfinement({ ...options, hide: () => this.#ownPlaces() });
    this.#confinement = new NetworkedConfinement(this.#boxes, async (hosts) => (await import('../egress/egress-proxy.ts')).createEgressProxy({ hosts }));
    this.#places = new BlockedPlaces(options.files.location);
    this.#closed = new ClosedFolders(options.closed);
    this.#errors.pipe(options.errors, { end: false });
  }

  async probe(): Promise<ConfinementReport> {
    return this.#confinement.probe();
  }

  /** Looks, and makes nothing. @throws DevsError UPSTREAM_UNAVAILABLE: what was asked for cannot be shown, or would open what stays closed */
  async plan(order: ServerOrder): Promise<PlannedBox> {
    const { files, config, account, home } = this.#options;
    const low = order.loopbackPorts.find((port) => port < LEAST_PORT);
    if (low !== undefined) throw refuseBox(order, `its sandbox cannot have port ${String(low)}: ports below ${String(LEAST_PORT)} need privileges.`, 'Let the service listen on a higher port too, and name that in "loopbackPorts".');
    const closed = this.#closed.places;
    const shown = { root: files.location, closed, privateFolder: this.#options.privateFolder, blocked: config.files.blocked, protection: files.protection, places: this.#places, isBeyond: (place: string) => this.#isBeyondBoxes(place) };
    const place = { searchPath: order.env['PATH'] ?? '', home, root: files.location, closed };
    const toolchains = findToolchains(place);
    const reached = toolchains.mounts.filter(({ source }) => account === undefined || mayReach(source, account));
    const named = namedMounts(order, shown);
    const sources = [...reached, ...named].map(({ source }) => source);
    const program = findServerProgram(order, { shown: sources, searchPath: toolchains.env['PATH'] ?? '', place });
    const open = [...reached, ...program.mounts, ...named];
    const mounts = [...arrange(open, await this.#existing(named, order), shown), ...privateMounts(order)];
    const isSeen = (folder: string) => named.some(({ source }) => isWithin(folder, source));
    const request: ConfinedRequest = {
      argv: [program.file, ...order.args],
      cwd: isSeen(order.cwd) ? order.cwd : HOME,
      env: toServerEnvironment(order, toolchains.env),
      mounts,
      hosts: order.hosts,
      loopbackPorts: order.loopbackPorts,
      limits: this.#limits(),
      unixSockets: config.sandbox.unixSockets,
    };
    const obstacle = await this.#boxes.findObstacle(request);
    if (obstacle !== undefined) throw refuseBox(order, obstacle.sentence, `To fix it, ${obstacle.fix}.`);
    return { request, unseen: unseenArguments(order, { shown: open.map(({ source }) => source), place }) };
  }

  /** @throws DevsError UPSTREAM_UNAVAILABLE as `plan` does; SANDBOX_UNAVAILABLE: there are no boxes on this machine */
  async start(order: ServerOrder, timers: ServerTimers): Promise<BoxedServer> {
    this.#secure(order);
    const { request } = await this.plan(order);
    makePrivateParts(order, this.#options.account);
    try {
      return new BoxedServer(await this.#confinement.spawn(request), { timers, errors: this.#errors });
    } catch (cause) {
      if (DevsError.is(cause) && cause.code === 'COMMAND_REFUSED') throw refuseBox(order, 'a mount of its sandbox changed while the sandbox was created.', 'Find what changes it, and try again.');
      throw cause;
    }
  }

  /** What no box shows unless somebody has named it, wherever it lies. */
  #ownPlaces(): readonly string[] {
    const { files, home } = this.#options;
    return ownPlacesInSystem({ root: files.location, home, closed: this.#closed.places }).filter((place) => !this.#isBeyondBoxes(place));
  }

  #isBeyondBoxes(place: string): boolean {
    const account = boxAccount(this.#options.account);
    return account !== undefined && isBeyond(place, account);
  }

  #secure(order: ServerOrder): void {
    try {
      this.#closed.secure({ written: order.readWrite, read: [...SYSTEM, ...order.readOnly] });
    } catch (cause) {
      throw DevsError.is(cause) ? refuseBox(order, cause.sentence, 'Show it folders that do not hold those of devs itself.') : cause;
    }
  }

  /** What is protected in the parts of the project that it may write. What it plants there later nobody moves aside. */
  async #existing(mounts: readonly Mount[], order: ServerOrder): Promise<readonly string[]> {
    const { location, protection, createId } = this.#options.files;
    const folders = writtenInRoot(mounts, location);
    if (folders.length === 0) return [];
    const { PlantedGuard } = await import('../repository/planted-guard.ts');
    try {
      const found = await Promise.all(folders.map(async (root) => new PlantedGuard({ root, above: splitPath(path.relative(location, root)), protection, createId }).before()));
      return found.flatMap(({ existing }) => existing);
    } catch (cause) {
      throw DevsError.is(cause) ? refuseBox(order, cause.sentence, 'Let it write smaller parts of the project: "sandbox": {"mounts": {"readWrite": …}}.') : cause;
    }
  }

  /** As for commands, but for as long as it is there, and for as much as it says. */
  #limits(): ProcessLimits {
    const { memoryBytes, processes } = this.#options.config.sandbox;
    return { wallMs: Number.POSITIVE_INFINITY, outputBytes: Number.POSITIVE_INFINITY, memoryBytes, processes, fileBytes: MOST_FILE, openFiles: MOST_OPEN };
  }
}
