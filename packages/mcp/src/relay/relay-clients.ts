import { createHash } from 'node:crypto';
import { canonicalJson, describeCause, DevsError, type Json } from '@devs/core';
import type { ClientInfo } from '../client-info.ts';
import type { ClientConnection } from '../protocol/connection.ts';
import type { Reach } from './ports.ts';
import { RelayClient, type RelayClientOptions } from './relay-client.ts';

/**
 * What proves that two requests come from one client: the connection, the session, or, where each request stands for
 * itself, the principal. Compared by identity alone.
 */
export type ClientKey = object;

export interface RelayClientsOptions extends Omit<RelayClientOptions, 'info' | 'reach'> {
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** Milliseconds after which the servers of a client that asks for nothing are ended; those of a connection stay. Default 1,800,000. */
  readonly idleMs?: number;
}

/** Who a client belongs to, and what is there for it. */
export interface Belonging {
  /** Whose places it takes: the name of the principal. */
  readonly owner?: string;
  /** Default: everything. */
  readonly reach?: Reach | undefined;
}

interface Kept {
  readonly client: RelayClient;
  /** All of its owner's. */
  readonly owned: Owned;
  usedAt: number;
}

/** What one owner holds: each client has servers of its own, which are processes as a rule. */
interface Owned {
  readonly clients: Set<Kept>;
  /** Clients whose servers are not gone yet. */
  ending: number;
}

/** Clients of one connection, session or principal that are told apart by what they say of themselves. One more, and the one that was used longest ago goes. */
const MOST_OF_ONE_KEY = 8;
/** Clients of one owner over all connections and sessions, and as many whose servers are still ending. */
const MOST_OF_ONE_OWNER = 32;
/** UTF-16 units of what a client says of itself: it is kept, and told each of its servers. */
const MOST_SAID = 65_536;
const IDLE_MS = 1_800_000;

/** The clients that are there, each with the servers that are its own. */
export class RelayClients {
  readonly #options: RelayClientsOptions;
  readonly #now: () => number;
  readonly #attached = new WeakMap<ClientConnection, RelayClient>();
  readonly #byKey = new Map<ClientKey, Map<string, Kept>>();
  readonly #byOwner = new Map<string, Owned>();

  constructor(options: RelayClientsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * The client with this info. A new client replaces the one that was idle longest where there are too many.
   * @throws DevsError TOO_MANY_CALLS where all of them are at work, MESSAGE_REFUSED where it says too much of itself
   */
  of(key: ClientKey, info: ClientInfo, belonging: Belonging = {}): RelayClient {
    const kept = this.#byKey.get(key) ?? new Map<string, Kept>();
    const digest = digestOf(info);
    const known = kept.get(digest) ?? this.#make(info, [...kept.values()], belonging);
    this.#byKey.set(key, kept);
    known.usedAt = this.#now();
    kept.set(digest, known);
    return known.client;
  }

  /** What the client is told outside of a request, and asked, goes over this connection from now on. */
  attach(client: RelayClient, connection: ClientConnection): void {
    this.#attached.set(connection, client);
    client.attach(connection);
  }

  detach(connection: ClientConnection): void {
    this.#attached.get(connection)?.detach(connection);
  }

  /** A notification of a client's for its servers. Others than these are none of theirs. */
  hear(connection: ClientConnection, method: string): void {
    if (method === 'notifications/roots/list_changed') this.#attached.get(connection)?.instances.notify(method, {});
  }

  /** The connection or session is over. */
  async end(key: ClientKey): Promise<void> {
    const kept = this.#byKey.get(key);
    this.#byKey.delete(key);
    await Promise.all([...(kept?.values() ?? [])].map(async (each) => this.#end(each)));
  }

  /** devs is about to stop: calls that wait for somebody's answer go on without it. */
  stopAsking(): void {
    for (const kept of this.#byKey.values()) {
      for (const { client } of kept.values()) client.stopAsking();
    }
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#byKey.keys()].map(async (key) => this.end(key)));
  }

  /** Ends what nobody has used for long. For keys that have no end of their own; call it now and then. */
  async endIdle(): Promise<void> {
    const before = this.#now() - (this.#options.idleMs ?? IDLE_MS);
    const ending: Promise<void>[] = [];
    for (const { clients } of this.#byOwner.values()) {
      for (const each of clients) {
        // A connection is there as long as it is there.
        if (each.usedAt < before && each.client.info.era !== 'legacy' && !each.client.isBusy) ending.push(this.#end(each));
      }
    }
    await Promise.all(ending);
  }

  #make(info: ClientInfo, ofKey: readonly Kept[], { owner = '', reach }: Belonging): Kept {
    const owned = this.#byOwner.get(owner) ?? { clients: new Set<Kept>(), ending: 0 };
    if (ofKey.length >= MOST_OF_ONE_KEY) this.#endIdlest(ofKey);
    if (owned.clients.size >= MOST_OF_ONE_OWNER) this.#endIdlest([...owned.clients]);
    // Who comes and goes fast enough would else have any number of processes that are about to go.
    if (owned.ending > MOST_OF_ONE_OWNER) throw tooMany();
    this.#byOwner.set(owner, owned);
    const made: Kept = { client: new RelayClient({ ...this.#options, info, reach }), owned, usedAt: this.#now() };
    owned.clients.add(made);
    return made;
  }

  #endIdlest(clients: readonly Kept[]): void {
    const [idlest] = clients.filter(({ client }) => !client.isBusy).toSorted((one, other) => one.usedAt - other.usedAt);
    if (idlest === undefined) throw tooMany();
    void this.#end(idlest);
  }

  /** Never rejects. */
  async #end(ended: Kept): Promise<void> {
    const { client, owned } = ended;
    if (!owned.clients.delete(ended)) return;
    this.#forget(ended);
    owned.ending += 1;
    try {
      await client.end();
    } catch (cause) {
      this.#options.logger.warn('CLIENT_NOT_ENDED', { error: describeCause(cause).slice(0, 500) });
    } finally {
      owned.ending -= 1;
    }
  }

  #forget(ended: Kept): void {
    for (const [key, kept] of this.#byKey) {
      for (const [digest, each] of kept) if (each === ended) kept.delete(digest);
      if (kept.size === 0) this.#byKey.delete(key);
    }
  }
}

function tooMany(): DevsError {
  return new DevsError('TOO_MANY_CALLS', {
    sentence: `devs keeps servers for ${MOST_OF_ONE_OWNER} clients of one caller, and for ${MOST_OF_ONE_KEY} on one connection; all of them are at work.`,
    suggestion: 'End one of them, and call again.',
    repair: { retryAfterMs: 5_000 },
  });
}

/**
 * What tells one client from others of the same key. A client of the older protocol introduces itself once, and its connection is its own: how
 * it was read there, raw or by the SDK's schema, must not make two clients of it, each with servers of its own.
 */
function digestOf(info: ClientInfo): string {
  const { era, protocolVersion, capabilities, clientInfo } = info;
  if (era === 'legacy') return era;
  const said = canonicalJson([protocolVersion, capabilities as Json, { ...clientInfo }]);
  if (said.length > MOST_SAID) throw new DevsError('MESSAGE_REFUSED', { sentence: `What the client says of itself is longer than ${MOST_SAID} characters.` });
  return createHash('sha256').update(said).digest('base64url');
}
