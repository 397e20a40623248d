import { once } from 'node:events';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { readClientHello } from './client-hello.ts';
import type { Host } from './host.ts';

/** The two ends of a tunnel. */
export interface TunnelEnds {
  readonly client: Duplex;
  readonly onward: Socket;
}

export interface TunnelOptions {
  /** Whom the client has asked for. */
  readonly host: Host;
  /** Milliseconds without a byte until the connection is given up. */
  readonly idleMs: number;
  /** Milliseconds until a client has begun to speak. */
  readonly helloMs: number;
}

/**
 * Joins a client and the host that it was allowed, once its first words are TLS for that very host: behind one address
 * of a content network lie thousands of others, told apart by that name alone. What they say then is sealed. Whoever
 * says anything else is cut off. Never rejects.
 */
export async function joinTunnel({ client, onward }: TunnelEnds, options: TunnelOptions): Promise<void> {
  const cut = (error: unknown): void => {
    if (error === null || error === undefined) return;
    client.destroy();
    onward.destroy();
  };
  onward.setTimeout(options.idleMs, () => onward.destroy());
  const hello = await readHello(client, options).catch(() => undefined);
  if (hello === undefined) {
    cut('no TLS for this host');
    return;
  }
  onward.write(hello);
  // Each side may end by itself; a side that breaks takes the other with it.
  pipeline(client, onward, cut);
  pipeline(onward, client, cut);
}

/** Undefined: it is none, or for another host. */
async function readHello(client: Duplex, { host, helloMs }: TunnelOptions): Promise<Uint8Array | undefined> {
  const signal = AbortSignal.timeout(helloMs);
  let bytes = Buffer.alloc(0);
  for (;;) {
    const reading = readClientHello(bytes);
    if (reading.kind === 'unreadable') return undefined;
    if (reading.kind === 'hello') return reading.serverName === (host.isAddress ? undefined : host.name) ? bytes : undefined;
    if (client.readableLength === 0) await once(client, 'readable', { signal });
    const chunk: unknown = client.read();
    if (!(chunk instanceof Uint8Array)) return undefined;
    bytes = Buffer.concat([bytes, chunk]);
  }
}
