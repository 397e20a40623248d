import {
  DevsError,
  type DirectoryListing,
  type FileRange,
  type FileSlice,
  type FsRoot,
  type ListingRequest,
  type WriteOutcome,
} from '@devs/core';
import { parseAgentPath } from './agent-path.ts';
import { toPathError } from './errno.ts';
import type { FsRootParts } from './fs-root-parts.ts';
import { listEntries } from './list-entries.ts';
import { openForReading, readSlice } from './read-slice.ts';
import { replaceFile, type Content } from './replace-file.ts';
import { sweepTemporaryFiles, type SweepReport } from './sweep.ts';
import { Walk } from './walk.ts';
import { findWriteTarget } from './write-target.ts';

/**
 * The `FsRoot` of a project folder. Beside what the port says:
 * an offset equal to the file's size gives no bytes, one beyond it is INVALID_RANGE; writing through
 * a link inside the root writes the link's target; a replaced file keeps its mode; a listing leaves
 * out temporary files of devs. An aborted signal throws the signal's reason.
 */
export class GuardedFsRoot implements FsRoot, Disposable {
  readonly #parts: FsRootParts;

  constructor(parts: FsRootParts) {
    this.#parts = parts;
  }

  async readFile(path: string, range: FileRange, signal: AbortSignal): Promise<FileSlice> {
    return await this.#attempt(path, signal, () => readSlice(openForReading(this.#parts, path), range, signal));
  }

  async writeFile(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<WriteOutcome> {
    return await this.#attempt(path, signal, () => this.#write(path, { bytes, signal }));
  }

  async listDirectory(path: string, request: ListingRequest): Promise<DirectoryListing> {
    return await this.#attempt(path, request.signal, () => listEntries(this.#parts, path, request));
  }

  /** To be called before the first write: see `SweepReport`. */
  async sweepTemporaryFiles(signal: AbortSignal): Promise<SweepReport> {
    return await sweepTemporaryFiles(this.#parts, signal);
  }

  /** Lets go of the project folder; every later call fails. */
  [Symbol.dispose](): void {
    this.#parts.places.root.close();
  }

  async #attempt<Result>(path: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : toPathError(error, path);
    }
  }

  async #write(path: string, content: Content): Promise<WriteOutcome> {
    const { segments, directory } = parseAgentPath(path, this.#parts.places.spellings);
    if (directory) throw new DevsError('NOT_A_REGULAR_FILE');
    // As spelled too: a link called `.npmrc` is protected wherever it leads.
    this.#parts.protection.refuseWriting(segments);
    using walk = new Walk(this.#parts.places, segments);
    try {
      const target = findWriteTarget(this.#parts, walk);
      await replaceFile(this.#parts, target, content);
      return { created: target.existing === undefined };
    } catch (error) {
      walk.removeMade();
      throw error;
    }
  }
}
