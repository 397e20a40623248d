import { DevsError, isRecord, type OutputPolicy } from '@devs/core';
import type { ChildExit, ClientInfo, ServerProfile, ServerInfo, Upstream } from '@devs/mcp';
import type { Gateway } from './gateway.ts';
import { ServerIntroductions } from './server-introductions.ts';

/** The one server of `devs run`: its client is told what the server has, and what it says of itself. */
export class GuardedServer {
  readonly name: string;
  #upstream: Upstream | undefined;
  #info: ServerInfo | undefined;
  #said = '';

  constructor(name: string) {
    this.name = name;
  }

  /** The instance that the client got. */
  attach(upstream: Upstream): void {
    this.#upstream = upstream;
  }

  /** Starts it for the client with this info. Rejects with `UPSTREAM_UNAVAILABLE` and the reason where there is none to be had. */
  async open(info: ClientInfo, { gateway, policy, key, signal }: Opening): Promise<void> {
    const { instances } = gateway.clients.of(key, info);
    this.#info = await instances.require(this.name, signal);
    const said = instances.instructions.get(this.name);
    this.#said = said === undefined ? '' : new ServerIntroductions(policy).of([{ server: this.name, namespace: '', said }]);
  }

  /** Tools may be withdrawn, whatever the server says of its own. */
  get profile(): ServerProfile {
    const declared = this.#info?.capabilities ?? {};
    const { resources, prompts, completions, logging } = declared;
    const capabilities: ServerProfile['capabilities'] = {
      ...(isRecord(resources) && { resources: { subscribe: resources['subscribe'] === true, listChanged: resources['listChanged'] === true } }),
      ...(isRecord(prompts) && { prompts: { listChanged: prompts['listChanged'] === true } }),
      ...(isRecord(completions) && { completions: {} }),
      ...(isRecord(logging) && { logging: {} }),
      tools: { listChanged: true },
    };
    return { capabilities, introduction: '', said: this.#said };
  }

  /** How its last process ended; undefined when there was none. To be asked when all is over. */
  get lastExit(): ChildExit | undefined {
    return this.#upstream?.lastExit;
  }
}

export interface Opening {
  readonly gateway: Gateway;
  readonly policy: OutputPolicy;
  readonly key: object;
  readonly signal: AbortSignal;
}

/** What is asked of a server that is not there at all. */
export function requireGateway(gateway: Gateway | undefined): Gateway {
  if (gateway === undefined) throw new DevsError('INTERNAL_ERROR', { cause: new Error('a gateway without a server') });
  return gateway;
}
