import type { Duplex } from 'node:stream';
import { Dialer } from './dialer.ts';
import { nameHost } from './failure.ts';
import { HostList } from './host-list.ts';
import type { Network } from './network.ts';
import { ProxyServer } from './proxy-server.ts';

export interface EgressProxyOptions {
  /** As `network.hosts` has them. */
  readonly hosts: readonly string[];
  /** Default: that of this machine. */
  readonly network?: Network;
  /** Milliseconds without a byte until a connection is given up. Default 60,000. */
  readonly idleMs?: number;
  /** Milliseconds until a client has said what it wants. Default 10,000. */
  readonly helloMs?: number;
}

export interface EgressProxy extends AsyncDisposable {
  /** Serves one connection of a client, of which every byte may be hostile, and ends it. */
  accept(connection: Duplex): void;
  /** Hosts that were asked for and refused, each once, as they came; the first 32. */
  readonly refused: readonly string[];
}

const MOST_REFUSED = 32;

/**
 * Lets one confined process tree reach allowed hosts, and no others: an HTTP proxy for CONNECT and for plain requests.
 * It listens nowhere. Disposing of it ends every connection.
 */
export function createEgressProxy({ hosts, network, idleMs = 60_000, helloMs = 10_000 }: EgressProxyOptions): EgressProxy {
  const refused = new Set<string>();
  const dialer = new Dialer({
    hosts: new HostList(hosts),
    ...(network !== undefined && { network }),
    onRefused: (host) => {
      if (refused.size < MOST_REFUSED) refused.add(nameHost(host));
    },
  });
  const server = new ProxyServer({ dialer, idleMs, helloMs });
  return {
    accept: (connection) => {
      server.accept(connection);
    },
    get refused() {
      return [...refused];
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
    },
  };
}
