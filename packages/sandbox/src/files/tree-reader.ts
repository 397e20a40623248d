import { opendirSync, type Dir } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { DevsError, type DirectoryEntry, type EntryKind, errnoOf } from '@devs/core';
import { kindOf } from './places.ts';
import type { Walk } from './walk.ts';

/** Entries after which other calls get their turn. */
const TURN = 1_024;

export interface TreeOptions {
  readonly recursive: boolean;
  /** Most entries that will be taken; bounds what is held of one folder. */
  readonly most: number;
  /** Most entries that will be looked at; beyond that the reader says that it is incomplete. */
  readonly scan: number;
  /** Given segments below the root. What is not shown is not entered either. */
  readonly isShown: (segments: readonly string[], kind: EntryKind) => boolean;
  /** Called when the walk has entered a folder whose entries are about to be read. */
  readonly onFolder?: (walk: Walk) => void;
  /** Asked for each entry: true when the work on it was such that other calls should get their turn. */
  readonly isDue?: () => boolean;
  readonly signal: AbortSignal;
}

/** An entry, or the moment at which a folder's own entries have their turn in the order. */
interface Item extends DirectoryEntry {
  readonly name: string;
  readonly key: string;
  readonly opens: boolean;
}

/**
 * Reads a folder, or the tree below it, in the order of whole paths, never following a link and never
 * holding more than a bounded part of a folder. `a-b` comes between `a` and `a/b`: a folder's
 * contents are sorted in among its siblings under the name `a/`.
 */
export class TreeReader {
  readonly #options: TreeOptions;
  #left: number;
  #cut = false;
  #passedOver = 0;

  constructor(options: TreeOptions) {
    this.#options = options;
    this.#left = options.scan;
  }

  /** True when there was more than was looked at. */
  get incomplete(): boolean {
    return this.#cut;
  }

  /** Folders that could not be read. */
  get passedOver(): number {
    return this.#passedOver;
  }

  /** While an entry is out, `walk` stands in the folder that holds it. */
  async *entries(walk: Walk): AsyncGenerator<DirectoryEntry & { readonly name: string }> {
    const levels = [await this.#readFolder(walk, '')];
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const item = level.next();
      if (item === undefined) {
        levels.pop();
        if (levels.length > 0) walk.back();
      } else if (item.opens) {
        const inner = await this.#openFolder(walk, item);
        if (inner !== undefined) levels.push(inner);
      } else {
        yield item;
      }
    }
  }

  /** A folder that has gone, was swapped for a link or may not be read is listed, and has no entries. */
  async #openFolder(walk: Walk, item: Item): Promise<Level | undefined> {
    const depth = walk.names.length;
    try {
      if (walk.enter(item.name) === undefined) return undefined;
      return await this.#readFolder(walk, `${item.path}/`);
    } catch (error) {
      if (walk.names.length > depth) walk.back();
      if (error instanceof DevsError) this.#cut = true;
      else if (!isPassedOver(error)) throw error;
      this.#passedOver += 1;
      return undefined;
    }
  }

  async #readFolder(walk: Walk, prefix: string): Promise<Level> {
    if (walk.isDeepest) {
      this.#cut = true;
      return new Level(0);
    }
    this.#options.onFolder?.(walk);
    const folder = opendirSync(walk.here.path, { bufferSize: 64 });
    try {
      return await this.#collect(folder, prefix, walk.names);
    } finally {
      folder.closeSync();
    }
  }

  async #collect(folder: Dir, prefix: string, names: readonly string[]): Promise<Level> {
    const level = new Level(this.#options.most);
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (this.#left === 0) {
        this.#cut = true;
        break;
      }
      this.#left -= 1;
      if (this.#left % TURN === 0 || this.#options.isDue?.() === true) await setImmediate();
      this.#options.signal.throwIfAborted();
      const { name } = entry;
      const kind = kindOf(entry);
      if (!this.#options.isShown([...names, name], kind)) continue;
      const item = { name, path: `${prefix}${name}`, kind };
      level.add({ ...item, key: name, opens: false });
      if (this.#options.recursive && item.kind === 'directory') level.add({ ...item, key: `${name}/`, opens: true });
    }
    return level;
  }
}

/** The first items of one folder, in order. */
class Level {
  readonly #most: number;
  #items: Item[] = [];
  #sorted = false;
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#sorted = false;
    if (this.#items.length >= 2 * this.#most + TURN) this.#sort();
  }

  next(): Item | undefined {
    if (!this.#sorted) this.#sort();
    this.#next += 1;
    return this.#items[this.#next - 1];
  }

  #sort(): void {
    this.#items.sort((one, other) => (one.key < other.key ? -1 : 1));
    this.#items = this.#items.slice(0, this.#most);
    this.#sorted = true;
  }
}

/** What a place may answer that has gone, was swapped for another, or may not be read. */
export function isPassedOver(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '');
}
