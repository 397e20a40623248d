import { DevsError, isRecord, type JsonObject } from '@devs/core';
import type { Peer } from './peer.ts';
import { BackOff, type Timers } from './timers.ts';
import type { ServerInfo, UpstreamEvent } from '../../protocol/upstream.ts';

export interface SubscriptionsOptions {
  readonly peer: Peer;
  readonly info: ServerInfo;
  readonly timers: Timers;
  readonly envelope: JsonObject;
  readonly onEvent: (event: UpstreamEvent) => void;
}

const MOST_RESOURCES = 1_000;
/** A server that ends each of them at once is not asked on and on. */
const MOST_FAILURES = 5;

/**
 * What a server of the newer protocol is listened to for: one `subscriptions/listen`, opened anew with what is
 * added, so that a client of either protocol hears of changes.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #lists: JsonObject;
  readonly #uris = new Set<string>();
  #current: AbortController | undefined;
  /** The one before, as long as the current one is not there yet. */
  #before: AbortController | undefined;
  #acknowledged: (() => void)[] = [];

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#lists = listsOf(options.info.capabilities);
    options.peer.onAcknowledged = () => {
      this.#endBefore();
      for (const resolve of this.#acknowledged.splice(0)) resolve();
    };
    void options.peer.closed.then(() => {
      this.#current?.abort();
      this.#endBefore();
    });
    this.#restart();
  }

  /** Resolves when the server has said that it tells of the resource's changes. */
  async add(uri: string, signal: AbortSignal): Promise<void> {
    if (this.#uris.size >= MOST_RESOURCES) throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence: 'Too many resources are subscribed to.' });
    const isNew = !this.#uris.has(uri);
    this.#uris.add(uri);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(new DevsError('CALL_CANCELLED'));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#acknowledged.push(resolve);
    this.#restart();
    const over = this.#current?.signal;
    over?.addEventListener('abort', () => resolve(), { once: true });
    try {
      await promise;
    } catch (cause) {
      // One that never acknowledges must not gather what nobody waits for any more.
      if (isNew) this.remove(uri);
      throw cause;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#acknowledged = this.#acknowledged.filter((each) => each !== resolve);
    }
  }

  remove(uri: string): void {
    if (this.#uris.delete(uri)) this.#restart();
  }

  /** The one before ends when the next is there: a change between the two would be told to nobody. No more than these two are open. */
  #restart(): void {
    this.#endBefore();
    this.#before = this.#current;
    this.#current = undefined;
    if (this.#uris.size === 0 && Object.keys(this.#lists).length === 0) return this.#endBefore();
    this.#current = new AbortController();
    void this.#listen(this.#current);
  }

  #endBefore(): void {
    this.#before?.abort();
    this.#before = undefined;
  }

  async #listen(current: AbortController): Promise<void> {
    const { peer, timers, envelope } = this.#options;
    const { signal } = current;
    const backOff = new BackOff();
    for (let failures = 0; failures < MOST_FAILURES && !signal.aborted; failures += 1) {
      const startedAt = timers.monotonicMs();
      const resources = this.#uris.size === 0 ? {} : { resourceSubscriptions: [...this.#uris] };
      const params = { _meta: envelope, notifications: { ...this.#lists, ...resources } };
      await peer.ask({ method: 'subscriptions/listen', params, signal, isSubscription: true }).catch(() => undefined);
      if (signal.aborted) return;
      const lifeMs = timers.monotonicMs() - startedAt;
      if (lifeMs > 60_000) failures = 0;
      await timers.sleep(backOff.delayAfter(lifeMs), signal);
      // What changed meanwhile nobody has told.
      if (!signal.aborted) this.#tellAll();
    }
    current.abort();
    if (this.#current === current) this.#endBefore();
  }

  #tellAll(): void {
    const { onEvent } = this.#options;
    if (this.#lists['toolsListChanged'] === true) onEvent({ kind: 'tools-changed' });
    if (this.#lists['promptsListChanged'] === true) onEvent({ kind: 'prompts-changed' });
    if (this.#lists['resourcesListChanged'] === true) onEvent({ kind: 'resources-changed' });
    for (const uri of this.#uris) onEvent({ kind: 'resource-updated', uri });
  }
}

/** The lists whose changes the server says that it tells of. */
function listsOf(capabilities: JsonObject): JsonObject {
  const entries = ['tools', 'prompts', 'resources'].flatMap((list): [string, true][] => {
    const declared = capabilities[list];
    return isRecord(declared) && declared['listChanged'] === true ? [[`${list}ListChanged`, true]] : [];
  });
  return Object.fromEntries(entries);
}

