import { DevsError, type MendedLink } from '@devs/core';
import { quotePath } from '../files/errno.ts';
import type { LeftNote } from './left-note.ts';

/** Keys. A command can plant more, and all of them on a full disk: they must not fill the memory. */
const MOST_KEPT = 100_000;
const MOST_NAMED = 10;

/** What one walk could not move aside. */
export class Unmoved {
  /** As `LeftBehind` keeps them. */
  readonly keys = new Set<string>();
  readonly #stuck: string[] = [];
  readonly #removed: string[] = [];
  readonly #lost: string[] = [];
  readonly #strange: string[] = [];
  #counts = { stuck: 0, removed: 0, lost: 0, strange: 0 };
  #cause: unknown;

  get isEmpty(): boolean {
    return Object.values(this.#counts).every((count) => count === 0);
  }

  /** @param path as the user finds it */
  addStuck(key: string, path: string, cause: unknown): void {
    this.#counts.stuck += 1;
    this.#cause ??= cause;
    if (this.keys.size < MOST_KEPT) this.keys.add(lasting(key));
    if (this.#stuck.length < MOST_NAMED) this.#stuck.push(path);
  }

  addRemoved(path: string): void {
    this.#counts.removed += 1;
    if (this.#removed.length < MOST_NAMED) this.#removed.push(path);
  }

  /** A folder of the user's that no mount can name. */
  addStrange(path: string, cause: unknown): void {
    this.#counts.strange += 1;
    this.#cause ??= cause;
    if (this.#strange.length < MOST_NAMED) this.#strange.push(path);
  }

  /** A link that is gone, and that nobody could make anew. */
  addLost({ path, leadsTo }: Pick<MendedLink, 'path' | 'leadsTo'>, cause: unknown): void {
    this.#counts.lost += 1;
    this.#cause ??= cause;
    if (this.#lost.length < MOST_NAMED) this.#lost.push(`${quotePath(path)} to ${quotePath(leadsTo)}`);
  }

  /**
   * @param who what has left it, as the sentence begins
   * @param isNoted the next devs will know of it
   */
  toError(who: string, isNoted: boolean): DevsError {
    const { stuck, removed, lost, strange } = this.#counts;
    const sentences = [
      ...(stuck > 0 ? [`${who} left ${list(this.#stuck.map(quotePath), stuck)}, which could not be moved aside. Remove ${stuck > 1 ? 'them' : 'it'} before anything else.`] : []),
      ...(removed > 0 ? [`${who} left ${list(this.#removed.map(quotePath), removed)}, which no tool may make. It was removed, for there was no room to move it aside.`] : []),
      ...(lost > 0 ? [`${who} removed a protected link, which could not be put back: ${list(this.#lost, lost)}. Make ${lost > 1 ? 'them' : 'it'} anew before anything else.`] : []),
      ...(strange > 0 ? [`${who} gave a name that is no UTF-8 to ${list(this.#strange.map(quotePath), strange)}, which devs could not rename. Rename ${strange > 1 ? 'them' : 'it'} before anything else.`] : []),
      ...(stuck > 0 && !isNoted ? ['devs could not note this: if it is started anew before, it takes that for yours.'] : []),
    ];
    return new DevsError('PROJECT_UNSAFE', { sentence: sentences.join(' '), cause: this.#cause });
  }
}

/**
 * What commands have planted and nobody could move aside, for as long as it is there. Without it the next call would find it,
 * and take it for the user's own: it was there before. The note keeps it for the next devs.
 */
export class LeftBehind {
  readonly #note: LeftNote | undefined;
  readonly #keys = new Set<string>();
  #isBeyondMeasure = false;
  #isNoted = true;

  constructor(note?: LeftNote) {
    this.#note = note;
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Takes in what another devs has left, or this one before it was started anew.
   * @throws DevsError PROJECT_UNSAFE: there is more of it than anybody could keep in mind; as `LeftNote.read`
   */
  load(): void {
    const { keys = [], isBeyondMeasure = false } = this.#note?.read() ?? {};
    for (const key of keys) this.#keys.add(key);
    if (!this.#isBeyondMeasure && !isBeyondMeasure) return;
    throw new DevsError('PROJECT_UNSAFE', {
      sentence: 'A command left more protected files and folders than devs can note, and they could not be moved aside. Remove them, and the file "left-behind" in the state folder, and start devs anew.',
    });
  }

  /** @returns false: a devs that comes after this one would take what is left for the user's own */
  save(): boolean {
    this.#isNoted ||= this.#note === undefined || this.#note.write({ keys: this.all(), isBeyondMeasure: this.#isBeyondMeasure });
    return this.#isNoted;
  }

  has(key: string): boolean {
    return this.#keys.has(lasting(key));
  }

  all(): readonly string[] {
    return [...this.#keys];
  }

  add(key: string): void {
    if (this.#keys.size < MOST_KEPT) this.#keys.add(lasting(key));
    else this.#isBeyondMeasure ||= !this.has(key);
    this.#isNoted = false;
  }

  /** All of these but what is still there. */
  forget(asked: readonly string[], { keys }: Unmoved): void {
    const gone = asked.filter((key) => !keys.has(key));
    for (const key of gone) this.#keys.delete(key);
    if (gone.length > 0) this.#isNoted = false;
  }
}

/** A disk may have another number once the machine was started anew. */
function lasting(key: string): string {
  return key.replace(/^[0-9]+:/, '').replace(/\/[0-9]+:([0-9]+:[0-9.]+)$/, '/$1');
}

function list(named: readonly string[], count: number): string {
  const rest = count - named.length;
  return named.join(', ') + (rest > 0 ? ` and ${String(rest)} more` : '');
}
