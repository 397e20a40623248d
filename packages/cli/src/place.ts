import type { DevsCoreConfig } from '@devs/core';
import type { ServerCheck } from './config/server-check.ts';
import type { LogKeys } from './log-keys.ts';
import type { StateFolder } from './state/state-folder.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Where a command works: the root, what devs remembers of it, and who it speaks with. */
export interface Place {
  /** Absolute, real path. */
  readonly root: string;
  readonly state: StateFolder;
  /** Where the key lies that the log is signed with. */
  readonly logKeys: LogKeys;
  /** What is in force, complete. */
  readonly config: DevsCoreConfig;
  /** To be asked before each start of a server. Absent: every one may be started. */
  readonly checkServer?: ServerCheck;
  /** Whether a server comes from a file of the project: it runs there. Absent: none does. */
  readonly isOfProject?: (server: string) => boolean;
  readonly terminal: Terminal;
  /** Aborted when the user stops the command. */
  readonly stop: AbortSignal;
}
