import type { DevsError, Question } from '@devs/core';
import type { UpstreamError } from '../../protocol/upstream.ts';

/** How far a request has come: its result, or what the server asks before it goes on. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'held'; readonly state: string; readonly serverRequests: Readonly<Record<string, Question>> };

export type Settlement = Outcome | { readonly kind: 'failed'; readonly cause: DevsError | UpstreamError };

/** What a server of the older protocol has asked, and waits to be answered. */
export interface OpenServerRequest extends Question {
  /** Of the server's request. */
  readonly id: string | number;
}

/** Whoever waits for a request now. A request that is held has nobody. */
export interface Round {
  readonly onNotice: ((notice: unknown) => void) | undefined;
  readonly settle: (settlement: Settlement) => void;
}

/** MCP lets a server ask the client while it works on one of these, and on no other. */
const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** A request that the server has not answered yet, or whose answer nobody has fetched yet. */
export class InFlight {
  readonly id: number;
  readonly method: string;
  round: Round | undefined;
  /** Came while the request was held. */
  kept: Settlement | undefined;
  keptBytes = 0;
  /** Put to the client, by the keys that the client answers under. */
  readonly asked = new Map<string, OpenServerRequest>();
  /** Came while the client had others to answer. */
  readonly waiting: OpenServerRequest[] = [];
  #keys = 0;

  constructor(id: number, method: string) {
    this.id = id;
    this.method = method;
  }

  get mayAsk(): boolean {
    return ASKING_METHODS.has(this.method);
  }

  get serverRequestCount(): number {
    return this.asked.size + this.waiting.length;
  }

  /** What is put to the client next, by its keys. */
  putServerRequests(): Readonly<Record<string, Question>> {
    for (const serverRequest of this.waiting.splice(0)) {
      this.#keys += 1;
      this.asked.set(`q${this.#keys}`, serverRequest);
    }
    const entries = [...this.asked].map(([key, { method, params }]) => [key, { method, ...(params !== undefined && { params }) }] as const);
    return Object.fromEntries(entries);
  }

  /** The server has withdrawn its request. */
  withdraw(serverRequestId: unknown): boolean {
    const index = this.waiting.findIndex(({ id }) => id === serverRequestId);
    if (index >= 0) this.waiting.splice(index, 1);
    const asked = [...this.asked].find(([, { id }]) => id === serverRequestId);
    if (asked !== undefined) this.asked.delete(asked[0]);
    return index >= 0 || asked !== undefined;
  }

  /** Takes all server-to-client requests that are open. */
  takeServerRequests(): readonly OpenServerRequest[] {
    const open = [...this.asked.values(), ...this.waiting];
    this.asked.clear();
    this.waiting.length = 0;
    return open;
  }

  /** Tells whoever waits; keeps it for whoever comes next where nobody does. */
  settle(settlement: Settlement): void {
    const { round } = this;
    this.round = undefined;
    if (round === undefined) this.kept = settlement;
    else round.settle(settlement);
  }
}
