import { stat } from 'node:fs/promises';
import { describeCause, type StructuredLogger } from '@devs/core';
import { Principals } from '@devs/mcp';
import type { StateFolder } from './state-folder.ts';
import { openTokenBook, openTokenUse, type StateFile, type TokenBook, type TokenUse } from './token-list.ts';

/** Milliseconds: a token that is revoked lets nobody in a second later. */
const STEP_MS = 500;

export interface OpenPrincipalsOptions {
  readonly state: StateFolder;
  /** The token of the first start; undefined asks for none, and then names have no meaning. */
  readonly token: string | undefined;
  readonly logger: StructuredLogger;
  readonly now?: () => Date;
}

/** Who may send requests to a server that runs: follows `tokens.json` as it changes, and remembers the day of a token's last use. */
export class LivePrincipals implements AsyncDisposable {
  readonly principals: Principals;
  readonly #options: OpenPrincipalsOptions;
  readonly #book: StateFile<TokenBook>;
  readonly #use: StateFile<TokenUse>;
  readonly #used = new Map<string, string>();
  readonly #unwritten = new Map<string, string>();
  #mark = '';
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: OpenPrincipalsOptions) {
    const { state, token, now = () => new Date() } = options;
    this.#options = options;
    this.#book = openTokenBook(state);
    this.#use = openTokenUse(state);
    this.principals = new Principals({ token, onUse: (id) => this.#onUse(id), now: () => now().getTime() });
  }

  /** Reads the tokens, and goes on looking whether they have changed. Throws `STATE_UNUSABLE`. */
  async open(): Promise<this> {
    if (this.#options.token === undefined) return this;
    this.#mark = await markOf(this.#book.path);
    this.principals.update((await this.#book.read()).tokens);
    this.#timer = setInterval(() => void this.look(), STEP_MS).unref();
    return this;
  }

  /** Looks once. Never rejects. */
  async look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#writeUse();
  }

  async #look(): Promise<void> {
    this.principals.endExpired();
    const mark = await markOf(this.#book.path);
    if (mark !== this.#mark) await this.#readAgain(mark);
    await this.#writeUse();
  }

  /** Fails closed: of a file that cannot be believed nobody knows whom it revokes. */
  async #readAgain(mark: string): Promise<void> {
    this.#mark = mark;
    try {
      this.principals.update((await this.#book.read()).tokens);
    } catch (cause) {
      this.#options.logger.error('TOKENS_UNUSABLE', { error: describeCause(cause) });
      this.principals.update([]);
    }
  }

  #onUse(id: string): void {
    const { now = () => new Date() } = this.#options;
    const day = now().toISOString().slice(0, 10);
    if (this.#used.get(id) === day) return;
    this.#used.set(id, day);
    this.#unwritten.set(id, day);
  }

  async #writeUse(): Promise<void> {
    const unwritten = Object.fromEntries(this.#unwritten);
    this.#unwritten.clear();
    if (Object.keys(unwritten).length === 0) return;
    try {
      const { tokens } = await this.#book.read();
      const known = new Set(tokens.map(({ id }) => id));
      await this.#use.change((before) => Object.fromEntries(Object.entries({ ...before, ...unwritten }).filter(([id]) => known.has(id))));
    } catch (cause) {
      this.#options.logger.warn('TOKEN_USE_NOT_KEPT', { error: describeCause(cause) });
    }
  }
}

/** Which file it is: each change makes another. */
async function markOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return '';
  }
}
