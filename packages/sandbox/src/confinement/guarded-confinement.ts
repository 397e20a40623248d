import type { ConfinedProcess, ConfinedRequest, Confinement, ConfinementReport, ExecOptions, Mount, ProcessOutcome } from '@devs/core';
import { refuseObstacle, type BoxObstacle } from '../box-obstacle.ts';
import type { Disks } from '../disks/disks.ts';
import { MountCheck } from './mount-check.ts';

export interface GuardedConfinementParts {
  readonly confinement: Confinement;
  /** Default: those of this machine. */
  readonly disks?: Disks | undefined;
  /** What is hidden in every box before anything is mounted: absolute, real, and there. */
  readonly hide: () => readonly string[];
}

/**
 * Makes no box whose mounts do not hold, and none that shows what nobody has asked it to. Every box of a project or a server
 * is made by it.
 */
export class GuardedConfinement implements Confinement {
  readonly #inner: Confinement;
  readonly #check: MountCheck;
  readonly #hide: GuardedConfinementParts['hide'];

  constructor({ confinement, disks, hide }: GuardedConfinementParts) {
    this.#inner = confinement;
    this.#check = new MountCheck({ confinement, disks });
    this.#hide = hide;
  }

  get name(): string {
    return this.#inner.name;
  }

  async probe(): Promise<ConfinementReport> {
    return this.#inner.probe();
  }

  async spawn(request: ConfinedRequest): Promise<ConfinedProcess> {
    return this.#inner.spawn(await this.#guarded(request));
  }

  async exec(request: ConfinedRequest, options: ExecOptions): Promise<ProcessOutcome> {
    return this.#inner.exec(await this.#guarded(request), options);
  }

  /** Why no box with these mounts is made. */
  async findObstacle({ mounts }: Pick<ConfinedRequest, 'mounts'>): Promise<BoxObstacle | undefined> {
    const { enforcement } = await this.#inner.probe();
    // Where the operator has given boxes up nothing is mounted.
    return enforcement.guarantees.includes('files') ? this.#check.findObstacle(this.#withHidden(mounts)) : undefined;
  }

  /** @throws DevsError COMMAND_REFUSED */
  async #guarded(request: ConfinedRequest): Promise<ConfinedRequest> {
    const obstacle = await this.findObstacle(request);
    if (obstacle !== undefined) throw refuseObstacle(obstacle);
    return { ...request, mounts: this.#withHidden(request.mounts) };
  }

  #withHidden(mounts: readonly Mount[]): readonly Mount[] {
    return [...this.#hide().map((source): Mount => ({ source, access: 'hidden' })), ...mounts];
  }
}
