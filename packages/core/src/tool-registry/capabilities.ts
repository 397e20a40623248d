/** A window on a file. Units are bytes. */
export interface FileRange {
  /** First byte to return, 0 or more. Default 0. */
  readonly offset?: number;
  /** Most bytes to return, 1 or more. */
  readonly limit: number;
}

export interface FileSlice {
  readonly bytes: Uint8Array;
  /** Size of the whole file in bytes when it was opened. */
  readonly size: number;
  readonly offset: number;
}

export type EntryKind = 'file' | 'directory' | 'link' | 'other';

export interface DirectoryEntry {
  /** Relative to the listed directory, `/` between segments. Not cleaned: it is the file system's word. */
  readonly path: string;
  readonly kind: EntryKind;
}

export interface DirectoryListing {
  /** Sorted by path, code unit order. */
  readonly entries: readonly DirectoryEntry[];
  /** True when the directory holds more than `limit` entries. */
  readonly truncated: boolean;
}

export interface ListingRequest {
  readonly recursive: boolean;
  /** Most entries to return. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface WriteOutcome {
  /** False when a file was replaced. */
  readonly created: boolean;
}

/**
 * The only way a tool reaches files. Paths are the agent's: relative to the root, or absolute inside
 * it. An implementation enforces, at the moment of use, that nothing outside the root is read, made
 * or changed, whatever links and renames happen meanwhile. It throws `DevsError` with one of the
 * `PATH_*`, `FILE_*`, `NOT_A_*`, `PERMISSION_DENIED`, `NO_SPACE`, `INVALID_RANGE` codes.
 */
export interface FsRoot {
  readFile(path: string, range: FileRange, signal: AbortSignal): Promise<FileSlice>;
  /** Creates missing folders. Atomic: a reader sees the old file or the new one, never a part. */
  writeFile(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<WriteOutcome>;
  listDirectory(path: string, request: ListingRequest): Promise<DirectoryListing>;
}

/** What a tool that runs inside devs is handed. It has nothing else to reach the machine with. */
export interface ToolCapabilities {
  readonly files: FsRoot;
  /** Aborted at the deadline, and when the caller cancels or goes away. */
  readonly signal: AbortSignal;
}
