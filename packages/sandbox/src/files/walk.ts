import { readlinkSync, rmdirSync } from 'node:fs';
import { DevsError, errnoOf, splitPath } from '@devs/core';
import { belowRoot } from './agent-path.ts';
import type { FsRootParts } from './fs-root-parts.ts';
import { childPath, type Opened, type Place } from './places.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;
/** Each folder of the way is a descriptor: a path must not be able to use them all up. */
const MAX_DEPTH = 256;

/** What a walk needs: how a step is made, and which ones are refused. */
export type WalkParts = Pick<FsRootParts, 'places' | 'protection'>;

interface Step {
  readonly name: string;
  readonly place: Place;
  /** This walk made the folder. */
  readonly made: boolean;
}

/** Makes a missing folder, or throws. `rest` is what is still to be walked below it. */
export type OnMissing = (walk: Walk, name: string, rest: readonly string[]) => void;

/**
 * A way from the root to a folder, one segment at a time and by hand: a link is read, not followed,
 * and its target walked from where it lies; `..` goes back to the folder that the walk came through.
 * So nothing the file system does on the way can lead out. And since there is no other way to reach
 * anything, every step is judged here: no operation can forget it. Holds one descriptor a folder until closed.
 */
export class Walk implements Disposable {
  readonly #parts: WalkParts;
  readonly #steps: Step[] = [];
  /** What is still to be walked, the next segment last. */
  readonly #rest: string[];
  #links = 0;

  constructor(parts: WalkParts, segments: readonly string[]) {
    this.#parts = parts;
    this.#rest = segments.toReversed();
  }

  get here(): Place {
    return this.#steps.at(-1)?.place ?? this.#parts.places.root;
  }

  /** The resolved names of the folders from the root to here. */
  get names(): string[] {
    return this.#steps.map((step) => step.name);
  }

  /** What lies in the folder here is so deep that no call can name it. */
  get isDeepest(): boolean {
    return this.#parts.protection.isTooDeep([...this.names, '']);
  }

  /**
   * Walks until one plain name is left and returns it; undefined when the way ends in a folder itself.
   * Errors: the operating system's, DevsError PATH_OUTSIDE_ROOT, PATH_REFUSED, NOT_A_DIRECTORY, and
   * those of `Protection.refuseStep`: also for the name, before anything tells whether it is there.
   */
  toLastName(onMissing?: OnMissing): string | undefined {
    for (let name = this.#rest.pop(); name !== undefined; name = this.#rest.pop()) {
      if (this.#rest.length === 0 && name !== '..') {
        this.#parts.protection.refuseStep([...this.names, name]);
        return name;
      }
      this.#advance(name, onMissing);
    }
    return undefined;
  }

  /** Walks to the end, which must be a folder. Errors as `toLastName`. */
  toFolder(): void {
    for (let name = this.#rest.pop(); name !== undefined; name = this.#rest.pop()) this.#advance(name);
  }

  /** Steps into a folder of this one; undefined when `name` is something else. */
  enter(name: string, made = false): Place | undefined {
    if (this.#steps.length >= MAX_DEPTH) throw new DevsError('PATH_REFUSED');
    this.#parts.protection.refuseStep([...this.names, name]);
    const place = this.#parts.places.enter(this.here, name);
    if (place !== undefined) this.#steps.push({ name, place, made });
    return place;
  }

  /**
   * Opens what is called `name` here, for reading, and only if it may be read. The caller closes the descriptor.
   * Errors: the operating system's, and those of `Protection.refuseReading`.
   */
  open(name: string): Opened {
    this.#parts.protection.refuseReading([...this.names, name]);
    return this.#parts.places.open(this.here, name);
  }

  /** @throws DevsError PATH_OUTSIDE_ROOT: there is no way back from the root */
  back(): void {
    const step = this.#steps.pop();
    if (step === undefined) throw new DevsError('PATH_OUTSIDE_ROOT');
    step.place.close();
  }

  /**
   * Puts a link's target before what is still to be walked. False when `name` is no link.
   * @throws DevsError PATH_REFUSED: links are not followed, or there were too many; PATH_OUTSIDE_ROOT
   */
  follow(name: string): boolean {
    const target = this.#readLink(name);
    if (target === undefined) return false;
    this.#parts.protection.refuseLink();
    this.#links += 1;
    if (this.#links > MAX_LINKS) throw new DevsError('PATH_REFUSED');
    this.#rest.push(...this.#segmentsOf(target).toReversed());
    return true;
  }

  /** Takes back the folders that this walk made, the deepest first, as long as they are empty. */
  removeMade(): void {
    for (let step = this.#steps.at(-1); step?.made === true; step = this.#steps.at(-1)) {
      this.back();
      try {
        rmdirSync(childPath(this.here, step.name));
      } catch {
        return; // Someone put something into it, or took it away.
      }
    }
  }

  [Symbol.dispose](): void {
    while (this.#steps.length > 0) this.back();
  }

  #advance(name: string, onMissing?: OnMissing): void {
    if (name === '..') return this.back();
    if (this.#enterOrMake(name, onMissing) !== undefined) return undefined;
    if (!this.follow(name)) throw new DevsError('NOT_A_DIRECTORY');
  }

  #enterOrMake(name: string, onMissing?: OnMissing): Place | undefined {
    try {
      return this.enter(name);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || onMissing === undefined) throw error;
    }
    onMissing(this, name, this.#rest.toReversed());
    return this.enter(name, true);
  }

  #readLink(name: string): string | undefined {
    try {
      return readlinkSync(childPath(this.here, name));
    } catch (error) {
      if (errnoOf(error) === 'EINVAL') return undefined;
      throw error;
    }
  }

  /** An absolute target starts again at the root, in which it must lie. */
  #segmentsOf(target: string): string[] {
    if (!target.startsWith('/')) return splitPath(target);
    const segments = belowRoot(target, this.#parts.places.spellings);
    this[Symbol.dispose]();
    return segments;
  }
}
