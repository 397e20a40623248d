import { DevsError, type MendedLink } from '@devs/core';
import { quotePath } from '../errno.ts';

/** Keys. A command can plant more, and all of them on a full disk: they must not fill the memory. */
const MOST_KEPT = 100_000;
const MOST_NAMED = 10;

/** What one walk could not move aside. */
export class Unmoved {
  readonly keys = new Set<string>();
  readonly #stuck: string[] = [];
  readonly #removed: string[] = [];
  readonly #lost: string[] = [];
  #counts = { stuck: 0, removed: 0, lost: 0 };
  #cause: unknown;

  get isEmpty(): boolean {
    return this.#counts.stuck + this.#counts.removed + this.#counts.lost === 0;
  }

  /** @param path as the user finds it */
  addStuck(key: string, path: string, cause: unknown): void {
    this.#counts.stuck += 1;
    this.#cause ??= cause;
    if (this.keys.size < MOST_KEPT) this.keys.add(key);
    if (this.#stuck.length < MOST_NAMED) this.#stuck.push(path);
  }

  addRemoved(path: string): void {
    this.#counts.removed += 1;
    if (this.#removed.length < MOST_NAMED) this.#removed.push(path);
  }

  /** A link that is gone, and that nobody could make anew. */
  addLost({ path, leadsTo }: Pick<MendedLink, 'path' | 'leadsTo'>, cause: unknown): void {
    this.#counts.lost += 1;
    this.#cause ??= cause;
    if (this.#lost.length < MOST_NAMED) this.#lost.push(`${quotePath(path)} to ${quotePath(leadsTo)}`);
  }

  /** @param who what has left it, as the sentence begins */
  toError(who: string): DevsError {
    const { stuck, removed, lost } = this.#counts;
    const sentences = [
      ...(stuck > 0 ? [`${who} left ${list(this.#stuck.map(quotePath), stuck)}, which could not be moved aside. Remove ${stuck > 1 ? 'them' : 'it'} before anything else.`] : []),
      ...(removed > 0 ? [`${who} left ${list(this.#removed.map(quotePath), removed)}, which no tool may make. It was removed, for there was no room to move it aside.`] : []),
      ...(lost > 0 ? [`${who} removed a protected link, which could not be put back: ${list(this.#lost, lost)}. Make ${lost > 1 ? 'them' : 'it'} anew before anything else.`] : []),
    ];
    return new DevsError('PROJECT_UNSAFE', { sentence: sentences.join(' '), cause: this.#cause });
  }
}

/**
 * What commands have planted and nobody could move aside, for as long as it is there. Without it the next call would find it,
 * and take it for the user's own: it was there before.
 */
export class LeftBehind {
  readonly #keys = new Set<string>();
  #isBeyondMeasure = false;

  get size(): number {
    return this.#keys.size;
  }

  /** @throws DevsError PROJECT_UNSAFE: there is more of it than anybody could keep in mind */
  requireMeasure(): void {
    if (!this.#isBeyondMeasure) return;
    throw new DevsError('PROJECT_UNSAFE', {
      sentence: `A command left more than ${String(MOST_KEPT)} protected files and folders, which could not be moved aside. Remove them, and start devs anew.`,
    });
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  all(): readonly string[] {
    return [...this.#keys];
  }

  add(key: string): void {
    if (this.#keys.size < MOST_KEPT) this.#keys.add(key);
    else this.#isBeyondMeasure ||= !this.#keys.has(key);
  }

  drop(key: string): void {
    this.#keys.delete(key);
  }
}

function list(named: readonly string[], count: number): string {
  const rest = count - named.length;
  return named.join(', ') + (rest > 0 ? ` and ${String(rest)} more` : '');
}
