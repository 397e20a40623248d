import type { Encoding } from '../protocol/decode.ts';
import type { TextView } from '../sanitization/pipeline/text-view.ts';
import type { CodePlan, CodeRunner, CommandRunner, Egress, RepositoryWriter } from './confined-tools.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** A window on a file. Units are bytes. */
export interface FileRange {
  /** First byte to return, 0 or more. Default 0. */
  readonly offset?: number;
  /** Most bytes to return, 1 or more. */
  readonly limit: number;
  /** Bytes to read before the window and after it; before it more, where a key or a token may have begun earlier. Default 0. */
  readonly margin?: number;
}

/** A window with what stands around it in the file: what is masked by its neighbours has to be seen with them. */
export interface Surroundings {
  readonly bytes: Uint8Array;
  /** Where in `bytes` the window begins. It is as long as the bytes of its slice. */
  readonly start: number;
  /** What the file's first bytes say about how all of it is to be read. */
  readonly encoding: Encoding;
}

export interface FileSlice {
  readonly bytes: Uint8Array;
  readonly surroundings: Surroundings;
  /** Size of the whole file in bytes when it was opened. */
  readonly size: number;
  readonly offset: number;
  /** Most bytes that this read could return: what was asked for, or the root's own limit if that is less. */
  readonly limit: number;
}

/** A window on a file, in lines. A line ends at its line feed, and what follows the last one is a line too. */
export interface LineRange {
  /** First line to return, 1 or more. */
  readonly startLine: number;
  /** Most lines to return, 1 or more. Default: as many as fit. */
  readonly lineCount?: number;
  /** Most bytes to return, 1 or more. */
  readonly limit: number;
  /** As for a `FileRange`. */
  readonly margin?: number;
}

export interface LineSlice extends FileSlice {
  /** Whole lines in `bytes`. 0 when the first one alone is longer than the limit: then `bytes` is its beginning. */
  readonly lines: number;
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

/** What a file to be written holds now. `none`: there is none. `too-large`: more than may be read. */
export type ExistingContent = Uint8Array | 'none' | 'too-large';

export interface WriteRequest {
  readonly bytes: Uint8Array;
  /**
   * Is asked before anything is written; what it throws leaves all as it was. What it saw is what is replaced:
   * a file that is another one by then, or holds other bytes, is FILE_CHANGED. Absent: the file is replaced unread.
   */
  readonly judge?: (existing: ExistingContent) => void;
  readonly signal: AbortSignal;
}

export interface WriteOutcome {
  /** False when a file was replaced. */
  readonly created: boolean;
}

/** What an edit makes of a file: its new content, and whatever else the editor wants to know afterwards. */
export interface EditedFile {
  readonly content: Uint8Array;
}

/** Given the content of a file. What it throws leaves the file as it is. */
export type FileEdit<Edited extends EditedFile = EditedFile> = (bytes: Uint8Array) => Edited;

export interface SearchedLine {
  /** Relative to the root, links followed, `/` between segments. Not cleaned: it is the file system's word. */
  readonly path: string;
  /** Counted from 1, by the line feeds of the file. */
  readonly number: number;
  /** As an agent is shown it, without its line feed, nor a carriage return before it. */
  readonly text: string;
}

export interface SearchRequest {
  /**
   * Only files whose path below the searched folder fits: `*`, `?`, `[a-z]`, `**`, `{a,b}`. Without a `/`
   * it is held against the name alone. A file that is searched by itself: as if it lay right in that folder.
   */
  readonly glob?: string;
  /** What an agent is shown of a piece of a file: a pattern held against more could spell out what is masked. */
  readonly view: (bytes: Uint8Array, path: string) => TextView;
  /**
   * Is shown the lines of all text files, in the order of whole paths. False: that was enough. `miss`: the search goes on,
   * and nothing of this line is shown to anybody; else the answer is as trusted as the file.
   */
  readonly onLine: (line: SearchedLine) => boolean | 'miss';
  readonly signal: AbortSignal;
}

/** What was searched, and what was not. */
export interface SearchReport {
  /** Text files that were searched. */
  readonly files: number;
  /** Files that were passed over because their beginning is no text, as `read_file` tells it. */
  readonly binary: number;
  /** Files and folders that could not be opened. */
  readonly unreadable: number;
  /** Files and folders that a `.gitignore` left out. */
  readonly ignored: number;
  /** Files of which only a part was shown: they, or a line of theirs, are longer than a search goes. */
  readonly partial: number;
  /** Why the search ended before its end: `enough` is what the caller said. Absent: it came to its end. */
  readonly cut?: 'enough' | 'entries' | 'bytes' | 'rules';
}

/**
 * The only way a tool reaches files. Paths are the agent's: relative to the root, or absolute inside
 * it. An implementation enforces, at the moment of use, that nothing outside the root is read, made
 * or changed, whatever links and renames happen meanwhile. It throws `DevsError` with one of the
 * `PATH_*`, `FILE_*`, `NOT_A_*`, `PERMISSION_DENIED`, `NO_SPACE`, `INVALID_RANGE`, `PATTERN_REFUSED` codes.
 */
export interface FsRoot {
  readFile(path: string, range: FileRange, signal: AbortSignal): Promise<FileSlice>;
  /** Holds one chunk of the file and what it returns, wherever in the file the lines are. */
  readLines(path: string, range: LineRange, signal: AbortSignal): Promise<LineSlice>;
  /** Creates missing folders. Atomic: a reader sees the old file or the new one, never a part. */
  writeFile(path: string, request: WriteRequest): Promise<WriteOutcome>;
  /**
   * Puts what `edit` makes of a file in its place, as `writeFile` does, and gives it back. What was read is
   * what is replaced: a file that changes meanwhile is FILE_CHANGED, and stays as it is.
   */
  editFile<Edited extends EditedFile>(path: string, edit: FileEdit<Edited>, signal: AbortSignal): Promise<Edited>;
  listDirectory(path: string, request: ListingRequest): Promise<DirectoryListing>;
  /**
   * Shows the lines of a file, or of the text files below a folder. Follows no link; passes over `.git` and
   * what the `.gitignore` files of the root leave out, but searches what `path` itself names.
   */
  searchFiles(path: string, request: SearchRequest): Promise<SearchReport>;
}

/** What every tool is handed, whatever its kind. */
export interface CallCapabilities {
  /** Aborted at the deadline, and when the caller cancels or goes away. */
  readonly signal: AbortSignal;
}

/** What a tool that runs inside devs is handed. It has nothing else to reach the machine with. */
export interface ToolCapabilities extends CallCapabilities {
  readonly files: FsRoot;
  /**
   * What an agent is shown of these bytes of a file. @param path of the file, relative to the root, links followed;
   * absent: such files as this call has read
   */
  readonly view: (bytes: Uint8Array, path?: string) => TextView;
  /** What a budget has cut off of an earlier answer to this caller; for `read_more` alone. Throws `OVERFLOW_NOT_FOUND`. */
  readonly readMore: (handle: string) => string;
}

/** What each kind of tool is handed, and nothing else. */
export interface CapabilitiesByKind {
  /** Runs inside devs, on the files of the project. */
  readonly 'in-process': ToolCapabilities;
  /** Has a process do the work, in a box. */
  readonly command: CallCapabilities & { readonly commands: CommandRunner };
  /** Writes the project's git repository. */
  readonly repository: CallCapabilities & { readonly repository: RepositoryWriter };
  /** Reaches other machines. */
  readonly network: CallCapabilities & { readonly egress: Egress };
  /** Runs code that calls tools. */
  readonly code: CallCapabilities & {
    readonly code: CodeRunner;
    /** Names of the tools that this call may call. */
    readonly tools: readonly string[];
    readonly callTool: CodePlan['callTool'];
    /** Redacts this answer and puts it into a boundary, whatever its tool's labels say. */
    readonly bound: () => void;
  };
  /** Belongs to another server, which the call is handed on to. */
  readonly upstream: CallCapabilities & UpstreamCall;
}

export type ToolKind = keyof CapabilitiesByKind;
