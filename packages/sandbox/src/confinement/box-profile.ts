import type { ConfinedRequest } from '@devs/core';
import { toBubblewrapArguments, toCommandLine, type PinnedMount } from './bubblewrap-arguments.ts';
import { findInherited, openPlace } from './descriptors.ts';
import { createFilter, type FilterOptions } from './seccomp/filter.ts';
import type { Architecture } from './seccomp/system-calls.ts';

/** Everything that a box holds by. There is one; tests take one guard at a time out of a copy, and see the attack succeed. */
export interface BoxProfile {
  /** All flags of bwrap. */
  readonly toArguments: (request: ConfinedRequest, mounts: readonly PinnedMount[]) => readonly string[];
  /** What bwrap starts: the limits of one process, and the command. */
  readonly toCommandLine: (request: ConfinedRequest, prlimit: string) => readonly string[];
  readonly createFilter: (architecture: Architecture, options: FilterOptions) => Buffer;
  /** Opens what is mounted, where something in a box could swap it. */
  readonly openPlace: (place: string) => number;
  /** Descriptors that devs was started with, and that must not come along. */
  readonly findInherited: () => readonly number[];
  /** Of bwrap itself: a `LD_PRELOAD` would make another program of it. */
  readonly environment: Readonly<Record<string, string>>;
}

export const PROFILE: BoxProfile = Object.freeze({ toArguments: toBubblewrapArguments, toCommandLine, createFilter, openPlace, findInherited, environment: Object.freeze({}) });
