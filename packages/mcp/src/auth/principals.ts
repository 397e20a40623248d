import { randomBytes, timingSafeEqual } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Origin } from '@devs/core';
import { idOfToken, type NamedToken } from './named-token.ts';
import { createScope, WHOLE_SCOPE, type Scope } from './scope.ts';
import { digestOf, readBearer } from './token.ts';

/** Somebody who may send requests. One object for as long as the token holds: another token of the same name is somebody else. */
export interface Principal {
  readonly origin: Origin;
  readonly scope: Scope;
  /** Aborted when the token is revoked, changed or expired. */
  readonly ended: AbortSignal;
}

export interface PrincipalsOptions {
  /** The token of the first start; undefined asks for none, and then there are no others either. */
  readonly token: string | undefined;
  /** Told the id of a named token whenever it lets somebody in. Must not throw. */
  readonly onUse?: (id: string) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Known {
  readonly kept: string;
  readonly digest: Buffer;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly principal: Principal;
  readonly ending: AbortController;
}

/** Who a request comes from, by its bearer token. */
export class Principals {
  readonly #options: PrincipalsOptions;
  readonly #first: Principal;
  readonly #digest: Buffer;
  /** What an unknown id is compared with: its refusal takes the work of any other. */
  readonly #decoy = randomBytes(32);
  #named: ReadonlyMap<string, Known> = new Map();

  constructor(options: PrincipalsOptions) {
    this.#options = options;
    this.#digest = digestOf(options.token ?? '');
    this.#first = create({ name: options.token === undefined ? 'unauthenticated' : 'token', scope: WHOLE_SCOPE, ending: new AbortController() });
  }

  /** How many there may be at once. */
  get count(): number {
    return 1 + this.#named.size;
  }

  /** Undefined for nobody that is known. Does the same work for every token of one length, whatever is wrong with it. */
  identify(authorization: string | undefined): Principal | undefined {
    const { token, onUse } = this.#options;
    if (token === undefined) return this.#first;
    const given = readBearer(authorization);
    const digest = digestOf(given);
    const id = idOfToken(given) ?? '';
    const known = this.#named.get(id);
    const isNamed = timingSafeEqual(digest, known?.digest ?? this.#decoy);
    const isFirst = timingSafeEqual(digest, this.#digest);
    if (isFirst) return this.#first;
    if (known === undefined || !isNamed || this.#endIfExpired(known)) return undefined;
    onUse?.(id);
    return known.principal;
  }

  /** From now on these hold, and no others. Who is not among them any more, or not as before, is ended. */
  update(tokens: readonly NamedToken[]): void {
    const before = this.#named;
    const named = new Map<string, Known>();
    for (const each of tokens) {
      const known = before.get(each.id);
      named.set(each.id, known?.kept === JSON.stringify(each) ? known : toKnown(each));
    }
    this.#named = named;
    for (const [id, known] of before) {
      if (named.get(id) !== known) known.ending.abort();
    }
  }

  /** Ends those whose time has come, though they ask for nothing. */
  endExpired(): void {
    for (const known of this.#named.values()) this.#endIfExpired(known);
  }

  #endIfExpired({ expires, ending }: Known): boolean {
    const { now = Date.now } = this.#options;
    // A time that is none has passed.
    if (!(now() < expires)) ending.abort();
    return ending.signal.aborted;
  }
}

function toKnown(token: NamedToken): Known {
  const { name, sha256, scope, expiresAt } = token;
  const ending = new AbortController();
  const principal = create({ name: `token:${name}`, scope: createScope(scope), ending });
  const expires = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  return { kept: JSON.stringify(token), digest: Buffer.from(sha256, 'hex'), expires, principal, ending };
}

function create({ name, scope, ending }: { readonly name: string; readonly scope: Scope; readonly ending: AbortController }): Principal {
  // Each of its requests and sessions listens; how many there are is bounded.
  setMaxListeners(0, ending.signal);
  return Object.freeze({ origin: Object.freeze({ principal: name, channel: 'http' }), scope, ended: ending.signal });
}
