import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { DevsError } from '@devs/core';
import { fetchFailed, hostNotAllowed, notPublic } from './failure.ts';
import type { Host } from './host.ts';
import type { HostList, WebPort } from './host-list.ts';
import { systemNetwork, type Network } from './network.ts';
import { isInBlock, isPublicAddress, readAddress } from './public-address.ts';

export interface DialerOptions {
  readonly hosts: HostList;
  /** Default: that of this machine. */
  readonly network?: Network;
  /** Milliseconds for one attempt. Default 10,000. */
  readonly connectMs?: number;
  /** Is told of each host that is refused. */
  readonly onRefused?: (host: Host) => void;
}

/** Addresses of one name that are tried. */
const MOST_ATTEMPTS = 4;

/**
 * The only way out: every connection that is made for a tool is made here. Allowed first, then resolved, once; what is
 * connected to is the address that was checked. A second look-up could give another one (DNS rebinding).
 */
export class Dialer {
  readonly #hosts: HostList;
  readonly #network: Network;
  readonly #connectMs: number;
  readonly #onRefused: (host: Host) => void;

  constructor({ hosts, network = systemNetwork, connectMs = 10_000, onRefused = () => {} }: DialerOptions) {
    this.#hosts = hosts;
    this.#network = network;
    this.#connectMs = connectMs;
    this.#onRefused = onRefused;
  }

  /** @throws DevsError HOST_NOT_ALLOWED */
  check(host: Host, port: WebPort): void {
    if (!this.#hosts.allows(host, port)) throw this.#refusal(host, hostNotAllowed(host, this.#hosts));
  }

  /**
   * A connected socket, half open when the other side has ended.
   * @throws DevsError HOST_NOT_ALLOWED, FETCH_FAILED; what the network throws; the signal's reason
   */
  async dial(host: Host, port: WebPort, signal: AbortSignal): Promise<Socket> {
    signal.throwIfAborted();
    this.check(host, port);
    const addresses = host.isAddress ? [host.name] : await this.#resolve(host.name, signal);
    // One that is not public refuses all: whoever mixes them is trying which one gets through.
    if (addresses.some((address) => !this.#isElsewhere(address))) throw this.#refusal(host, notPublic(host));
    return await this.#connectToOne(addresses.slice(0, MOST_ATTEMPTS), port, signal);
  }

  async #resolve(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = await beforeAbort(this.#network.addressesOf(name), signal);
    if (addresses.length === 0) throw fetchFailed('The name of the host cannot be resolved.');
    return addresses;
  }

  /** On the public network, and not in one of this machine's own: its neighbours may trust it. */
  #isElsewhere(address: string): boolean {
    const bits = readAddress(address);
    return bits !== undefined && isPublicAddress(address) && !this.#network.ownBlocks().some((block) => isInBlock(bits, block));
  }

  async #connectToOne(addresses: readonly string[], port: WebPort, signal: AbortSignal): Promise<Socket> {
    let failure: unknown;
    for (const address of addresses) {
      const attempt = AbortSignal.any([signal, AbortSignal.timeout(this.#connectMs)]);
      try {
        return await connected(this.#network.connect(address, port), attempt);
      } catch (error) {
        signal.throwIfAborted();
        failure = attempt.aborted ? fetchFailed('The host does not take a connection.', error) : error;
      }
    }
    throw failure;
  }

  #refusal(host: Host, refusal: DevsError): DevsError {
    this.#onRefused(host);
    return refusal;
  }
}

async function connected(socket: Socket, signal: AbortSignal): Promise<Socket> {
  // A reset while nobody else listens must not be the end of devs; who reads the socket sees it closed.
  socket.on('error', () => {});
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** A look-up cannot be stopped: it is left to itself. */
async function beforeAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    aborted.reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
