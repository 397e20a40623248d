import { arch } from 'node:process';
import { DevsError, type ConfinedProcess, type ConfinedRequest, type Enforcement, type ProcessExit } from '@devs/core';
import type { Group } from './cgroups/group.ts';
import type { Groups } from './cgroups/groups.ts';
import { openData } from './descriptors.ts';
import { askBoxToEnd, killBox } from './kill-box.ts';
import { launch, PIPES_OF_A_BOX, type Launched, type LaunchParts } from './launch.ts';
import { toExit, type Reason } from './process-end.ts';
import { whenGone, whenGroupGone } from '../processes/process-stat.ts';
import { RunningTree } from './running-tree.ts';
import { architectureOf } from './seccomp/system-calls.ts';

/** What a box is started with, found once. */
export interface BubblewrapParts extends Omit<LaunchParts, 'filter' | 'inherited'> {
  readonly groups: Pick<Groups, 'create'>;
}

export interface StartOptions {
  readonly enforcement: Enforcement;
  /** All of its standard input, where that is known before: then it can be opened by its name, too. */
  readonly input?: Uint8Array | string | undefined;
}

/** Starts boxes. Knows nothing of whether they hold: who uses it has asked a probe before. */
export class BoxStarter {
  readonly #parts: BubblewrapParts;
  readonly #inherited: readonly number[];
  /** One each, open as long as devs is. */
  readonly #filters = new Map<boolean, number>();

  constructor(parts: BubblewrapParts) {
    this.#parts = parts;
    this.#inherited = parts.profile.findInherited();
  }

  async start(request: ConfinedRequest, { enforcement, input }: StartOptions): Promise<ConfinedProcess> {
    // Between this question and the taking nothing else runs.
    while (!this.#parts.pipes.has(PIPES_OF_A_BOX)) await this.#parts.pipes.makeMore();
    return this.#start(request, { enforcement, input });
  }

  #start(request: ConfinedRequest, { enforcement, input }: StartOptions): ConfinedProcess {
    const { groups, ...parts } = this.#parts;
    const { memoryBytes, processes, wallMs, outputBytes } = request.limits;
    const filter = this.#filterFor(request.unixSockets === true);
    const group = groups.create({ memoryBytes, processes });
    try {
      const launched = launch({ request, input, doors: group?.doors ?? [] }, { ...parts, filter, inherited: this.#inherited });
      const { child, streams, channel, status } = launched;
      return new RunningTree({
        child,
        streams,
        channel,
        enforcement,
        limits: { wallMs, outputBytes },
        kill: () => killBox(child, status),
        askToEnd: () => askBoxToEnd(child, status),
        conclude: async (reason) => conclude(launched, group, reason),
      });
    } catch (cause) {
      void group?.dispose();
      throw cause;
    }
  }

  #filterFor(unixSockets: boolean): number {
    const known = this.#filters.get(unixSockets);
    if (known !== undefined) return known;
    const architecture = architectureOf(arch);
    if (architecture === undefined) throw new DevsError('SANDBOX_UNAVAILABLE');
    const filter = openData(this.#parts.profile.createFilter(architecture, { unixSockets }));
    this.#filters.set(unixSockets, filter);
    return filter;
  }
}

async function conclude({ status, child }: Launched, group: Group | undefined, reason: Reason | undefined): Promise<ProcessExit> {
  const { endCode: code, firstProcess } = status;
  status.close();
  if (firstProcess !== undefined) await whenGone(firstProcess);
  else if (child.pid !== undefined) await whenGroupGone(child.pid);
  const events = group?.events;
  if (group !== undefined) await group.dispose();
  if (reason !== undefined) return reason;
  if (events?.killed === true && code !== 0) return { kind: 'limit', limit: 'memory' };
  if (code === undefined) return { kind: 'setup', detail: 'bwrap ended before the command began' };
  if (events?.refused === true && code !== 0) return { kind: 'limit', limit: 'processes' };
  return toExit(code);
}
