import { randomUUID } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DevsError, errnoOf } from '@devs/core';
import { approvePins, noteShown, readPinBook, writePinBook, type Approval, type PinBook, type PinStore, type ServerIdentity, type ServerPins, type ShownServer } from '@devs/mcp';
import { FileLock } from '@devs/storage';
import { lockForChange } from './lock-for-change.ts';
import { writePrivateFile } from './private-file.ts';
import { checkStateIfThere, prepareState, type StateFolder } from './state-folder.ts';

/** Definitions of a thousand servers; a file that is larger is not one that devs has written. */
const MAX_BYTES = 268_435_456n;
// No link is followed, and no pipe in the file's place can hold devs up.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Kept {
  readonly book: PinBook;
  /** Counts each writing. One that is lower than what was seen is an older file, put back. */
  readonly generation: number;
  /** Which file it is: each writing makes another. */
  readonly mark: string;
}

const NOTHING: Kept = { book: new Map(), generation: 0, mark: '' };

/**
 * The pins of a root, in `pins.json` of its state folder: outside of what tools reach, for its owner alone. A file that
 * is damaged, open to others, or older than one that was seen, approves nothing.
 */
export class PinsFile implements PinStore {
  readonly #state: StateFolder;
  readonly #now: () => Date;
  readonly #lock: FileLock;
  #kept: Kept = NOTHING;

  constructor(state: StateFolder, now: () => Date = () => new Date()) {
    this.#state = state;
    this.#now = now;
    this.#lock = new FileLock(this.path);
  }

  get path(): string {
    return path.join(this.#state.path, 'pins.json');
  }

  /** Everything. Throws `STATE_UNUSABLE`. */
  async read(): Promise<PinBook> {
    return (await this.#read()).book;
  }

  async find({ key }: ServerIdentity): Promise<ServerPins | undefined> {
    return (await this.read()).get(key);
  }

  async note(identity: ServerIdentity, shown: ShownServer): Promise<ServerPins> {
    const book = await this.#change((before) => noteShown(before, identity, { shown, now: this.#now().toISOString() }));
    const pins = book.get(identity.key);
    if (pins === undefined) throw new Error('what was noted is not there');
    return pins;
  }

  /** What a person said yes to. Throws `STATE_UNUSABLE` when it is not there any more as it was shown. */
  async approve(approvals: readonly Approval[]): Promise<void> {
    await this.#change((book) => approvePins(book, approvals, this.#now().toISOString()));
  }

  async #change(change: (book: PinBook) => PinBook): Promise<PinBook> {
    const before = await this.#read();
    // Most listings show what is pinned already: nobody has to wait for that.
    if (change(before.book) === before.book) return before.book;
    await prepareState(this.#state);
    using _lock = await lockForChange(this.#lock, this.path);
    const current = await this.#read();
    const book = change(current.book);
    if (book !== current.book) await this.#write({ book, generation: current.generation + 1 });
    return book;
  }

  async #read(): Promise<Kept> {
    await checkStateIfThere(this.#state);
    try {
      await using handle = await open(this.path, READ);
      const stats = await handle.stat({ bigint: true });
      const mark = markOf(stats);
      if (mark === this.#kept.mark) return this.#kept;
      this.#checkOurs(stats);
      const read = readPinBook(await handle.readFile('utf8'));
      if (read === 'newer') throw this.#newer();
      if (read === undefined) throw this.#unusable('is damaged');
      return this.#accept({ ...read, mark });
    } catch (cause) {
      const code = errnoOf(cause);
      if (code === 'ENOENT') return this.#accept(NOTHING);
      throw DevsError.is(cause) ? cause : this.#unusable('cannot be read', cause);
    }
  }

  #checkOurs(stats: BigIntStats): void {
    if (!stats.isFile()) throw this.#unusable('is none');
    if (process.getuid !== undefined && stats.uid !== BigInt(process.getuid())) throw this.#unusable('belongs to another user');
    if ((stats.mode & 0o077n) !== 0n) throw this.#unusable('is accessible to other users');
    if (stats.size > MAX_BYTES) throw this.#unusable('is larger than devs writes it');
  }

  /** Somebody who puts an older file back takes approvals back, or pins that were made since. */
  #accept(kept: Kept): Kept {
    if (kept.generation < this.#kept.generation) throw this.#unusable('is older than what was read from it before');
    this.#kept = kept;
    return kept;
  }

  async #write({ book, generation }: Omit<Kept, 'mark'>): Promise<void> {
    const draft = `${this.path}.${randomUUID()}`;
    try {
      await writePrivateFile(draft, writePinBook(book, generation));
      await rename(draft, this.path);
      await syncFolder(this.#state.path);
    } catch (cause) {
      throw new DevsError('STATE_UNUSABLE', { sentence: `The pins ${JSON.stringify(this.path)} cannot be written.`, cause });
    } finally {
      await rm(draft, { force: true });
    }
    // What is there now is read again: another process may have written it since.
    this.#kept = { book, generation, mark: '' };
  }

  #newer(): DevsError {
    const sentence = `The pins ${JSON.stringify(this.path)} were written by a newer devs, so no tool of a server is offered, and they are left unchanged. Start that devs, or update this one.`;
    return new DevsError('STATE_UNUSABLE', { sentence });
  }

  #unusable(problem: string, cause?: unknown): DevsError {
    const sentence =
      `The pins ${JSON.stringify(this.path)} cannot be trusted: the file ${problem}. No tool of a server is offered until you fix this: ` +
      'restore a good copy, or move it away. Then every tool is pinned as its server shows it next, so review it with devs tools.';
    return new DevsError('STATE_UNUSABLE', { sentence, cause });
  }
}

/** A file is told from the one before it by what the system says of it: writing makes a new one in its place. */
function markOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  await handle.sync();
}
