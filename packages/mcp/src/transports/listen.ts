import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loopbackOrigin, toLoopbackAddress } from '../auth/loopback.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface Listening {
  readonly port: number;
  /** With the numeric address that is held, whatever name was asked for. */
  readonly origin: string;
}

/** Listens on one loopback address. Rejects when the port is taken, and for an address that other machines can reach. */
export async function listen(http: Server, { host, port: asked }: ListenOptions): Promise<Listening> {
  const bound = toLoopbackAddress(host);
  if (bound === undefined) throw new RangeError('devs listens on this machine alone: 127.0.0.1 or ::1.');
  const listening = Promise.withResolvers<void>();
  http.once('error', listening.reject);
  http.listen(asked, bound, listening.resolve);
  await listening.promise;
  http.removeListener('error', listening.reject);
  const { address, port } = http.address() as AddressInfo;
  return { port, origin: loopbackOrigin(address, port) };
}
