import type { FolderScan } from './folder-scan.ts';
import { LinkedFiles, type FileCounts } from './linked-files.ts';

/** What a project holds of files with names elsewhere, from one walk to the next. */
export class LinkedPlaces {
  readonly #root: string;
  readonly #scan: Pick<FolderScan, 'visit'>;
  /** Of the files of which that was found when every folder was looked at. */
  #found: FileCounts = new Map();

  /** @param root absolute and real */
  constructor(root: string, scan: Pick<FolderScan, 'visit'>) {
    this.#root = root;
    this.#scan = scan;
  }

  /** To be shown each folder of a walk. */
  begin(): LinkedFiles {
    return new LinkedFiles(this.#root);
  }

  /**
   * A new name changes the folder that it is in, and not the one where the file lay before. That one is remembered without the
   * file, or with a name too many: the file would seem to lie elsewhere too, and a command could make a project unusable by `ln`.
   * So where a file seems to that did not before, all folders are looked at anew.
   * @returns as `LinkedFiles.places`
   */
  async find(looked: LinkedFiles, readOnly: readonly string[]): Promise<readonly string[]> {
    const seeming = await looked.countElsewhere(readOnly);
    if (!looked.isRemembered || this.#isFound(seeming)) return this.#keep(looked, readOnly, seeming);
    const anew = new LinkedFiles(this.#root, true);
    await this.#scan.visit((folder, pause) => anew.look(folder, pause));
    return this.#keep(anew, readOnly, await anew.countElsewhere(readOnly));
  }

  async #keep(looked: LinkedFiles, readOnly: readonly string[], found: FileCounts): Promise<readonly string[]> {
    this.#found = found;
    return looked.places(readOnly, found);
  }

  #isFound(seeming: FileCounts): boolean {
    for (const [file, count] of seeming) if (this.#found.get(file) !== count) return false;
    return true;
  }
}
