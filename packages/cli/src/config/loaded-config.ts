import type { DevsCoreConfig } from '@devs/core';
import type { LayerContent } from './layer.ts';
import type { Sources } from './sources.ts';

/** One file that is in force. */
export interface Layer extends LayerContent {
  /** `--config` names a file outside the project. */
  readonly role: 'user' | 'project' | '--config';
  readonly path: string;
  /** ISO 8601; of a project's file alone. */
  readonly trustedAt?: string;
}

export interface LoadedConfig {
  /** In force, complete and frozen. */
  readonly config: DevsCoreConfig;
  /** Lowest first. */
  readonly layers: readonly Layer[];
  readonly sources: Sources;
  /** The same as `config` as it stands in the files: what may be shown. */
  readonly written: Readonly<Record<string, unknown>>;
}
