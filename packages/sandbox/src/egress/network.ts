import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { toBlock, type AddressBlock } from './public-address.ts';

/** The machine's network, as far as devs uses it. Nothing is decided here. */
export interface Network {
  /** Addresses of a name that has at least one dot and none at its end. Rejects when there are none. */
  addressesOf(name: string): Promise<readonly string[]>;
  /** A socket that is connecting to this very address, and stays half open when the other side has ended. */
  connect(address: string, port: number): Socket;
  /** Networks that this machine itself is part of. */
  ownBlocks(): readonly AddressBlock[];
}

/** A network this wide is no neighbourhood: a tunnel that says so would make everything one's own. */
const WIDEST: Readonly<Record<'IPv4' | 'IPv6', number>> = { IPv4: 8, IPv6: 32 };

export const systemNetwork: Network = Object.freeze({
  async addressesOf(name: string) {
    // The dot at the end: no search domain of this machine makes another name of it.
    const found = await lookup(`${name}.`, { all: true });
    return found.map(({ address }) => address);
  },
  connect(address: string, port: number) {
    return connect({ host: address, port, noDelay: true, allowHalfOpen: true });
  },
  ownBlocks() {
    return Object.values(networkInterfaces()).flatMap((addresses = []) =>
      addresses.map(({ cidr, address, family }) => {
        const { start, prefix } = toBlock(cidr ?? `${address}/${family === 'IPv4' ? '32' : '128'}`);
        return { start, prefix: prefix < WIDEST[family] ? start.width : prefix };
      }),
    );
  },
});
