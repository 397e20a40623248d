import { describeCause, type StructuredLogger } from '@devs/core';
import type { Principal, Principals } from '../auth/principals.ts';
import type { Connection, OrchestratorServer } from '../orchestrator/OrchestratorServer.ts';
import { FairShares } from './fair-shares.ts';
import type { HttpLimits } from './limits.ts';
import type { UnreadOf } from './unread.ts';
import { Session } from './session.ts';

export interface SessionsOptions {
  readonly server: OrchestratorServer;
  readonly principals: Principals;
  readonly limits: Pick<HttpLimits, 'maxSessions' | 'sessionIdleMs'>;
  readonly unreadOf: (principal: Principal) => UnreadOf;
  readonly logger: StructuredLogger;
}

interface Entry {
  readonly session: Session;
  /** HTTP requests that it is in use by. */
  uses: number;
  timer: NodeJS.Timeout | undefined;
}

/** The sessions of the older protocol, in memory and bounded. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #entries = new Map<string, Entry>();
  /** Those that nobody uses at this moment, the longest idle first. */
  readonly #idle = new Set<Entry>();
  readonly #shares: FairShares<Principal>;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#shares = new FairShares(options.limits.maxSessions, () => options.principals.count);
  }

  get count(): number {
    return this.#entries.size;
  }

  heldBy(principal: Principal): number {
    return this.#shares.heldBy(principal);
  }

  /** Undefined for one that is not there, and for another's: nobody learns which ids there are. */
  find(id: string, principal: Principal): Session | undefined {
    const session = this.#entries.get(id)?.session;
    return session?.principal === principal ? session : undefined;
  }

  /** A new one, in the place of the longest idle where there are too many. Undefined when none is idle that may be ended. */
  async open(principal: Principal): Promise<Session | undefined> {
    if (principal.ended.aborted || !this.#makeRoom(principal)) return undefined;
    const { server } = this.#options;
    const session = new Session(principal, async (params, refusal) => server.recordRefusal(params, refusal, { origin: principal.origin, key: session }));
    const connection = this.#connectionOf(session);
    const entry: Entry = { session, uses: 0, timer: undefined };
    this.#entries.set(session.id, entry);
    principal.ended.addEventListener('abort', () => void session.close(), { once: true, signal: session.ended });
    session.ended.addEventListener('abort', () => this.#onEnd(entry, connection), { once: true });
    this.#rest(entry);
    try {
      await server.createProtocolServer(connection).connect(session);
    } catch (cause) {
      await session.close();
      throw cause;
    }
    return session;
  }

  /** In use until disposed of: it neither ends for idleness nor gives way. */
  use({ id }: Session): Disposable {
    const entry = this.#entries.get(id);
    if (entry === undefined) return { [Symbol.dispose]: () => undefined };
    entry.uses += 1;
    this.#idle.delete(entry);
    clearTimeout(entry.timer);
    return { [Symbol.dispose]: () => this.#leave(entry) };
  }

  /** Ends them all. */
  async end(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(async ({ session }) => session.close()));
  }

  #leave(entry: Entry): void {
    entry.uses -= 1;
    if (entry.uses === 0 && !entry.session.ended.aborted) this.#rest(entry);
  }

  #rest(entry: Entry): void {
    this.#idle.add(entry);
    const { session } = entry;
    entry.timer = setTimeout(() => void session.close(), this.#options.limits.sessionIdleMs).unref();
  }

  #forget(entry: Entry): void {
    clearTimeout(entry.timer);
    this.#idle.delete(entry);
    this.#entries.delete(entry.session.id);
    this.#shares.give(entry.session.principal);
  }

  /** One that has its share gives up one of its own; one that has less takes it from who has more. */
  #makeRoom(principal: Principal): boolean {
    if (this.#shares.take(principal)) return true;
    const idle = [...this.#idle].map(({ session }) => session);
    const own = this.#shares.excessOf(principal) < 0 ? undefined : idle.find((session) => session.principal === principal);
    const oldest = own ?? idle.find((session) => session.principal !== principal && this.#shares.excessOf(session.principal) > 0);
    if (oldest === undefined) return false;
    void oldest.close();
    return this.#shares.take(principal);
  }

  #connectionOf(session: Session): Connection {
    const { principal, arrivals, ended } = session;
    const unread = this.#options.unreadOf(principal);
    const { allows, serves, interactive } = principal.scope;
    return { origin: principal.origin, allows, serves, interactive, key: session, arrivals, ready: async () => unread.untilTaken(ended) };
  }

  #onEnd(entry: Entry, connection: Connection): void {
    const { server, logger } = this.#options;
    this.#forget(entry);
    server.endClient(connection).catch((cause: unknown) => {
      logger.warn('CLIENT_NOT_ENDED', { error: describeCause(cause).slice(0, 500) });
    });
  }
}
