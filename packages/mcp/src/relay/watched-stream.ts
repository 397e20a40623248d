import { describeCause, DevsError, isRecord, ownValue, type StructuredLogger } from '@devs/core';
import type { RelayClient } from './relay-client.ts';

export interface WatchedStreamOptions {
  readonly logger: StructuredLogger;
  /** False for what the client may not read: then it does not hear of it either. */
  readonly mayWatch: (uri: string, signal: AbortSignal) => Promise<boolean>;
}

/** URIs that one stream may name. */
const MOST_URIS = 1_000;

/**
 * What a client wants to hear of as long as its stream is open (`subscriptions/listen`): servers are asked to tell it, and
 * no more when it closes. One that does not know a URI takes nothing from the others.
 */
export class WatchedStream implements AsyncDisposable {
  readonly #client: RelayClient;
  readonly #options: WatchedStreamOptions;
  readonly #over = new AbortController();
  readonly #watching: Promise<readonly string[]>;
  readonly #closed = Promise.withResolvers<void>();

  constructor(client: RelayClient, params: unknown, options: WatchedStreamOptions) {
    this.#client = client;
    this.#options = options;
    this.#watching = this.#watch(urisIn(params));
    // Its servers stay as long as it listens.
    void client.during(async () => this.#closed.promise);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#closed.resolve();
    const { signal } = new AbortController();
    await Promise.all((await this.#watching).map(async (uri) => this.#quietly(uri, async () => this.#client.unwatch(uri, signal))));
  }

  async #watch(uris: readonly string[]): Promise<readonly string[]> {
    const { signal } = this.#over;
    // Also with none: a server that nobody has started changes nothing that could be told.
    if (!(await this.#quietly('', async () => this.#client.instances.ready(signal)))) return [];
    const taken = await Promise.all(uris.map(async (uri) => this.#quietly(uri, async () => this.#watchOne(uri, signal))));
    return uris.filter((_, index) => taken[index] === true);
  }

  async #watchOne(uri: string, signal: AbortSignal): Promise<void> {
    if (!(await this.#options.mayWatch(uri, signal))) throw new DevsError('RESOURCE_NOT_FOUND');
    await this.#client.watch(uri, signal);
  }

  async #quietly(uri: string, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (cause) {
      this.#options.logger.debug('RESOURCE_NOT_WATCHED', { uri: uri.slice(0, 200), error: describeCause(cause).slice(0, 500) });
      return false;
    }
  }
}

function urisIn(params: unknown): readonly string[] {
  const uris = ownValue(isRecord(params) ? params['notifications'] : undefined, 'resourceSubscriptions');
  const named = Array.isArray(uris) ? uris.slice(0, MOST_URIS).filter((uri): uri is string => typeof uri === 'string' && uri !== '') : [];
  return [...new Set(named)];
}
