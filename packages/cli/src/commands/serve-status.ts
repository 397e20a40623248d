import type { JsonObject } from '@devs/core';
import type { RunningHttpServer } from '@devs/mcp';
import type { Composition } from '../compose.ts';
import { VERSION } from '../version.ts';

/** What the operator is told of a devs that serves: no secrets, no arguments, no words of servers but why one is not there. */
export class ServeStatus {
  readonly #devs: Composition;
  readonly #startedAt = performance.now();
  #running: RunningHttpServer | undefined;

  constructor(devs: Composition) {
    this.#devs = devs;
  }

  /** From now on it serves. */
  serves(running: RunningHttpServer): void {
    this.#running = running;
    void running.closed.then(() => {
      this.#running = undefined;
    });
  }

  get isHealthy(): boolean {
    return this.#running !== undefined;
  }

  async read(): Promise<JsonObject> {
    const { confinement, gateway, server, logs } = this.#devs;
    const { usable, name } = await confinement.probe();
    const [latest] = await logs.list({ limit: 1 });
    const { connections, requests, sessions, principals } = this.#running?.activity() ?? NOTHING;
    return {
      version: VERSION,
      uptimeSeconds: Math.floor((performance.now() - this.#startedAt) / 1_000),
      serving: this.isHealthy,
      connections,
      requests,
      sessions,
      principals,
      callsInFlight: server.inFlight,
      sandbox: { name, usable },
      log: { seq: latest?.receipt.seq ?? 0 },
      servers: (gateway?.pool.states ?? []).map(({ reason, ...counts }) => ({ ...counts, ...(reason !== undefined && { reason: this.#devs.policy.cleanLine(reason) }) })),
    };
  }
}

const NOTHING = { connections: 0, requests: 0, sessions: 0, principals: 0 };
