import type { Confinement, Mount, ProcessLimits } from '@devs/core';
import type { Protection } from '../files/protection.ts';
import type { FolderOwner } from './private-folder.ts';
import type { PlantedGuard } from './planted-guard.ts';

/** Who commits. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

export interface CommitParts {
  /** Absolute and real. */
  readonly root: string;
  /** Other absolute spellings of the root that an agent may use. Default none. */
  readonly spellings?: readonly string[];
  /** What the tool may reach of the project: nothing else is committed. */
  readonly protection: Protection;
  readonly guard: Pick<PlantedGuard, 'before' | 'after'>;
  readonly confinement: Confinement;
  readonly identity: Identity;
  readonly limits: ProcessLimits;
  /**
   * What a command of the project sees, given what the guard has found to be protected: the root writable, that and what is
   * hidden or blocked over it, toolchains.
   */
  readonly mounts: (existing: readonly string[]) => readonly Mount[];
  /** What a command of the project finds in its environment, beside what git needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute folder outside the root, in which no box may write. Shadow folders are made there. */
  readonly temporaryFolder: string;
  /** Who boxes run as, where devs is root and they are not. */
  readonly owner?: FolderOwner;
  /** Ends the commit; before it is taken over nothing has changed. */
  readonly signal: AbortSignal;
}
