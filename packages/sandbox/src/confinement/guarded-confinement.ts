import type { ConfinedProcess, ConfinedRequest, Confinement, ConfinementReport, ExecOptions, ProcessOutcome } from '@devs/core';
import { refuseObstacle, type BoxObstacle } from '../box-obstacle.ts';
import type { Disks } from '../disks/disks.ts';
import { MountCheck } from './mount-check.ts';

export interface GuardedConfinementParts {
  readonly confinement: Confinement;
  /** Default: those of this machine. */
  readonly disks?: Disks | undefined;
}

/** Makes no box whose mounts do not hold. Every box of a project or a server is made by it. */
export class GuardedConfinement implements Confinement {
  readonly #inner: Confinement;
  readonly #check: MountCheck;

  constructor({ confinement, disks }: GuardedConfinementParts) {
    this.#inner = confinement;
    this.#check = new MountCheck({ confinement, disks });
  }

  get name(): string {
    return this.#inner.name;
  }

  async probe(): Promise<ConfinementReport> {
    return this.#inner.probe();
  }

  async spawn(request: ConfinedRequest): Promise<ConfinedProcess> {
    await this.#refuseUnheld(request);
    return this.#inner.spawn(request);
  }

  async exec(request: ConfinedRequest, options: ExecOptions): Promise<ProcessOutcome> {
    await this.#refuseUnheld(request);
    return this.#inner.exec(request, options);
  }

  /** Why no box with these mounts is made. */
  async findObstacle({ mounts }: Pick<ConfinedRequest, 'mounts'>): Promise<BoxObstacle | undefined> {
    const { enforcement } = await this.#inner.probe();
    // Where the operator has given boxes up nothing is mounted.
    return enforcement.guarantees.includes('files') ? this.#check.findObstacle(mounts) : undefined;
  }

  /** @throws DevsError COMMAND_REFUSED */
  async #refuseUnheld(request: ConfinedRequest): Promise<void> {
    const obstacle = await this.findObstacle(request);
    if (obstacle !== undefined) throw refuseObstacle(obstacle);
  }
}
