/** What of a project is kept in memory, and what one listing may fill: a command must not end devs before devs has looked. */
export interface ScanLimits {
  readonly folders: number;
  /** Of all their paths. */
  readonly characters: number;
  /** Of one folder, as the disk counts its list of names. */
  readonly listingBytes: number;
  /** What is read in one go: nobody's call waits longer than for that. Default: 128 KiB. */
  readonly atOnceBytes?: number;
}

/** What is asked of a folder. */
export interface SizedFolder {
  readonly path: string;
  /** There are too many names in it to guard it. */
  readonly isTooLarge: boolean;
}

/** What one walk has seen, as far as it is kept. */
export class SeenFolders<Folder extends SizedFolder> {
  readonly #most: ScanLimits;
  readonly #folders = new Map<string, Folder>();
  #characters = 0;
  #hasSkipped = false;
  count = 0;

  constructor(most: ScanLimits) {
    this.#most = most;
  }

  get isTooLarge(): boolean {
    return this.#hasSkipped || this.count > this.#most.folders || this.#characters > this.#most.characters;
  }

  /** Nothing of what is too large. */
  get folders(): ReadonlyMap<string, Folder> {
    return this.#folders;
  }

  /** Each folder once. */
  meet(folder: Folder): void {
    this.count += 1;
    this.#characters += folder.path.length;
    this.#hasSkipped ||= folder.isTooLarge;
    if (this.isTooLarge) this.#folders.clear();
  }

  keep(folder: Folder): void {
    if (!this.isTooLarge) this.#folders.set(folder.path, folder);
  }
}
