import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeCause } from '@devs/core';
import type { ConfinedProcess, ConfinedRequest, Confinement, ConfinementReport, ExecOptions, ProcessOutcome } from '@devs/core';
import { isWithin } from '../files/is-within.ts';
import { PROFILE } from './box-profile.ts';
import { BoxStarter, type BubblewrapParts } from './box-starter.ts';
import { Groups } from './cgroups/groups.ts';
import { collect } from './collect.ts';
import { findProgram } from './find-program.ts';
import { allReports, toEnforcement } from './guarantees.ts';
import type { Obstacle } from './failure.ts';
import { Pipes } from './pipes.ts';
import { probeBoxes } from './probe.ts';
import { architectureOf } from './seccomp/system-calls.ts';
import { sweepShortFolders } from './short-folder.ts';
import { endStranded } from './stranded.ts';
import { unavailable } from './unavailable.ts';

export interface BubblewrapOptions {
  /** Absolute, real path of the folder that is served: no program from there confines anything. */
  readonly root: string;
  /** Where programs are looked for. Default: `PATH` of this process. */
  readonly searchPath?: string;
  /** The account that boxes run as, where devs is root and they should not be. */
  readonly account?: Account;
}

/** A user and a group of the machine, by number. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const NAME = 'bubblewrap';
/** Milliseconds for which a probe that failed is believed: it starts processes, and whoever is refused may ask often. */
const ANEW_MS = 10_000;

/** Boxes made by bubblewrap, a seccomp filter, limits, and control groups where there are any. Linux alone. */
export class BubblewrapConfinement implements Confinement {
  readonly name = NAME;
  readonly #options: BubblewrapOptions;
  #prepared: Promise<Prepared> | undefined;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
  }

  async probe(): Promise<ConfinementReport> {
    return (await this.#prepare()).report;
  }

  async spawn(request: ConfinedRequest): Promise<ConfinedProcess> {
    return this.#start(request, undefined);
  }

  async exec(request: ConfinedRequest, { stdin = '', ...options }: ExecOptions): Promise<ProcessOutcome> {
    return collect(await this.#start(request, stdin), options);
  }

  async #start(request: ConfinedRequest, input: Uint8Array | string | undefined): Promise<ConfinedProcess> {
    const { starter, report } = await this.#prepare();
    if (starter === undefined || !report.usable) throw unavailable(report);
    return starter.start(request, { enforcement: report.enforcement, input });
  }

  /** Once, where boxes hold. Where they do not, again after a while: somebody may have mended it, and what was short may be there. */
  async #prepare(): Promise<Prepared> {
    const prepared = (this.#prepared ??= prepare(this.#options));
    const { report, at } = await prepared;
    if (report.usable || performance.now() - at < ANEW_MS) return prepared;
    // Of several that have waited, the first.
    if (this.#prepared === prepared) this.#prepared = prepare(this.#options);
    return this.#prepared;
  }
}

interface Prepared {
  readonly starter: BoxStarter | undefined;
  readonly report: ConfinementReport;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Never rejects: what could not be prepared is not there. */
async function prepare(options: BubblewrapOptions): Promise<Prepared> {
  try {
    const found = findParts(options);
    if ('fix' in found) return refuse(found);
    endStranded();
    sweepShortFolders();
    await found.groups.sweep();
    const starter = new BoxStarter(found);
    const report = await probeBoxes({ name: NAME, starter, groupObstacle: found.groups.obstacle });
    return { starter, report, at: performance.now() };
  } catch (cause) {
    return refuse({ detail: `sandboxes cannot be prepared: ${describeCause(cause)}`, fix: 'Find the cause, and try again' });
  }
}

/** All that boxes are made with here, or what is missing. Looks, and starts nothing. */
export function findParts({ root, searchPath = process.env['PATH'] ?? '', account }: BubblewrapOptions): (BubblewrapParts & { readonly groups: Groups }) | Obstacle {
  if (process.platform !== 'linux') return { detail: `devs confines processes on Linux alone, not on ${process.platform}`, fix: 'Run devs on Linux, in a virtual machine or a container' };
  if (architectureOf(process.arch) === undefined) return { detail: `devs has no seccomp filter for ${process.arch}`, fix: 'Run devs on x64 or arm64' };
  if (isWithin(realpathSync.native(tmpdir()), root)) return exposed();
  const find = (name: string) => findProgram(name, withoutPackages(searchPath), root);
  const [bubblewrap, prlimit, setpriv, mkfifo] = [find('bwrap'), find('prlimit'), find('setpriv'), find('mkfifo')];
  if (bubblewrap === undefined) return { detail: 'bubblewrap is not installed: there is no bwrap in PATH', fix: 'sudo apt-get install bubblewrap' };
  if (prlimit === undefined || setpriv === undefined) return { detail: 'util-linux is not installed: there is no prlimit or no setpriv in PATH', fix: 'sudo apt-get install util-linux' };
  if (mkfifo === undefined) return { detail: 'coreutils is not installed: there is no mkfifo in PATH', fix: 'sudo apt-get install coreutils' };
  return { bubblewrap, prlimit, profile: PROFILE, pipes: new Pipes(mkfifo), become: becomeArguments(setpriv, account), groups: new Groups() };
}

/**
 * In a package of a workspace, `npm run` and `pnpm exec` put the `node_modules/.bin` of the folders around it into `PATH`, too.
 * Those lie outside of the root, and a dependency may call its program `bwrap`.
 */
function withoutPackages(searchPath: string): string {
  return searchPath.split(path.delimiter).filter((folder) => !folder.split('/').includes('node_modules')).join(path.delimiter);
}

/** There lie, for a moment, the flags of the next box: a command that still runs could write its own, and its pipes are there. */
function exposed(): Obstacle {
  return { detail: 'the folder for temporary files is in the project, where a command could change what sandboxes are made of', fix: 'Start devs with another one: TMPDIR=/var/tmp' };
}

/** bwrap itself runs as the account: what is root's in the box would be root's outside. */
function becomeArguments(setpriv: string, account: Account | undefined): readonly string[] {
  if (account === undefined) return [];
  return [setpriv, `--reuid=${String(account.uid)}`, `--regid=${String(account.gid)}`, '--clear-groups', '--inh-caps=-all', '--'];
}

function refuse(obstacle: Obstacle): Prepared {
  const guarantees = allReports({ state: 'absent', ...obstacle });
  return { starter: undefined, report: { name: NAME, usable: false, enforcement: toEnforcement(NAME, guarantees), guarantees }, at: performance.now() };
}
