import {
  DevsError,
  PathReach,
  type DirectoryListing,
  type EditedFile,
  type FileEdit,
  type FileRange,
  type FileSlice,
  type FsRoot,
  type LineRange,
  type LineSlice,
  type ListingRequest,
  type SearchReport,
  type SearchRequest,
  type ToolSettings,
  type WriteOutcome,
  type WriteRequest,
} from '@devs/core';
import { parseAgentPath } from './files/agent-path.ts';
import { editFile } from './files/edit-file.ts';
import { toPathError } from './files/errno.ts';
import { findFolder } from './files/find-folder.ts';
import type { FsRootParts } from './files/fs-root-parts.ts';
import type { Protection } from './files/protection.ts';
import { listEntries } from './files/list-entries.ts';
import { readLines } from './files/read-lines.ts';
import { openForReading, readSlice, type ReadOptions } from './files/read-slice.ts';
import { searchFiles } from './search/search-files.ts';
import { sweepTemporaryFiles, type SweepReport } from './files/sweep.ts';
import { writeFile } from './files/write-file.ts';

/**
 * The `FsRoot` that one tool is given: a view of a project folder within the tool's rules. Beside what the port says:
 * an offset equal to the file's size gives no bytes, one beyond it is INVALID_RANGE; writing through
 * a link inside the root writes the link's target; a replaced file keeps its mode; a listing leaves
 * out temporary files of devs. An aborted signal throws the signal's reason.
 */
export class ToolFiles implements FsRoot {
  readonly #parts: FsRootParts;

  constructor(parts: FsRootParts) {
    this.#parts = parts;
  }

  async readFile(path: string, range: FileRange, signal: AbortSignal): Promise<FileSlice> {
    return await this.#attempt(path, signal, () => readSlice(openForReading(this.#parts, path), range, this.#reading(signal)));
  }

  async readLines(path: string, range: LineRange, signal: AbortSignal): Promise<LineSlice> {
    return await this.#attempt(path, signal, () => readLines(openForReading(this.#parts, path), range, this.#reading(signal)));
  }

  async writeFile(path: string, request: WriteRequest): Promise<WriteOutcome> {
    return await this.#attempt(path, request.signal, () => writeFile(this.#parts, path, request));
  }

  async editFile<Edited extends EditedFile>(path: string, edit: FileEdit<Edited>, signal: AbortSignal): Promise<Edited> {
    return await this.#attempt(path, signal, () => editFile(this.#parts, path, { edit, signal }));
  }

  async listDirectory(path: string, request: ListingRequest): Promise<DirectoryListing> {
    return await this.#attempt(path, request.signal, () => listEntries(this.#parts, path, request));
  }

  async searchFiles(path: string, request: SearchRequest): Promise<SearchReport> {
    return await this.#attempt(path, request.signal, () => searchFiles(this.#parts, path, request));
  }

  #reading(signal: AbortSignal): ReadOptions {
    return { maxReadBytes: this.#parts.maxReadBytes, signal };
  }

  async #attempt<Result>(path: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : toPathError(error, path);
    }
  }
}

/** A project folder as its owner holds it: all of it, open until it is disposed of. Tools are given views of it. */
export class GuardedFsRoot extends ToolFiles implements Disposable {
  readonly #parts: FsRootParts;
  /** One view for all calls of a tool: its rules are taken apart once. */
  readonly #views = new WeakMap<ToolSettings, { readonly parts: FsRootParts; readonly files: ToolFiles }>();
  readonly #rules = new WeakMap<ToolSettings, Protection>();

  constructor(parts: FsRootParts) {
    super(parts);
    this.#parts = parts;
  }

  /** Where it is now: absolute, real. */
  get location(): string {
    const { places } = this.#parts;
    return places.locate(places.root);
  }

  /** As its owner spelled it, and as it was when it was opened. */
  get spellings(): readonly string[] {
    return this.#parts.places.spellings;
  }

  /** What no tool may write, before the rules of a tool. */
  get protection(): Protection {
    return this.#parts.protection;
  }

  /** @see FsRootParts.createId */
  get createId(): () => string {
    return this.#parts.createId;
  }

  /** The same within the rules of a tool. */
  protectionFor({ files }: ToolSettings): Protection {
    return this.protection.within(new PathReach(files, this.spellings));
  }

  #rulesOf(settings: ToolSettings): Protection {
    const rules = this.#rules.get(settings) ?? this.protectionFor(settings);
    this.#rules.set(settings, rules);
    return rules;
  }

  /**
   * What a tool of these settings may reach of the folder. The same descriptor; nothing to dispose of.
   * @param onRead told of each file that something is read of: relative to the root, links followed
   */
  forTool(settings: ToolSettings, onRead?: (path: string) => void): ToolFiles {
    const { parts, files } = this.#views.get(settings) ?? this.#openView(settings);
    return onRead === undefined ? files : new ToolFiles({ ...parts, onRead });
  }

  #openView(settings: ToolSettings): { readonly parts: FsRootParts; readonly files: ToolFiles } {
    const parts = { ...this.#parts, maxReadBytes: settings.limits.maxFileReadSize, protection: this.#rulesOf(settings) };
    const view = { parts, files: new ToolFiles(parts) };
    this.#views.set(settings, view);
    return view;
  }

  /**
   * What is refused of a path whatever lies on the disk, in the words in which a walk would refuse it. A path with `..`
   * behind a name is left to the walk: where that leads, only the disk tells.
   * @throws DevsError `PATH_*`
   */
  refuseSpelling(path: string, settings: ToolSettings, access: 'read' | 'write'): void {
    const protection = this.#rulesOf(settings);
    try {
      const { segments } = parseAgentPath(path, this.spellings);
      if (segments[0] === '..') throw new DevsError('PATH_OUTSIDE_ROOT');
      // By a link it may lead to a place that is not as deep.
      if (segments.includes('..') || protection.isTooDeep(segments)) return;
      if (access === 'write') protection.refuseWriting(segments);
      else protection.refuseStep(segments);
    } catch (error) {
      throw toPathError(error, path);
    }
  }

  /**
   * A folder by an agent's name for it, within the rules of a tool: absolute, real.
   * @throws DevsError `PATH_*`, NOT_A_DIRECTORY, FILE_NOT_FOUND
   */
  findFolder(path: string, settings: ToolSettings): string {
    return findFolder({ ...this.#parts, protection: this.protectionFor(settings) }, path);
  }

  /** To be called before the first write: see `SweepReport`. */
  async sweepTemporaryFiles(signal: AbortSignal): Promise<SweepReport> {
    return await sweepTemporaryFiles(this.#parts, signal);
  }

  /** Lets go of the project folder; every later call fails. */
  [Symbol.dispose](): void {
    this.#parts.places.root.close();
  }
}
