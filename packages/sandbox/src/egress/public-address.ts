import { isIPv4, isIPv6 } from 'node:net';

/** An address as a number, and of how many bits. */
export interface AddressBits {
  readonly value: bigint;
  readonly width: 32 | 128;
}

/** All addresses that begin with the same bits. */
export interface AddressBlock {
  readonly start: AddressBits;
  /** Bits that are the same in all of them. */
  readonly prefix: number;
}

/**
 * The IANA IPv4 Special-Purpose Address Registry (RFC 6890), whole, also where it calls an entry globally reachable: no
 * page is served from there. Beside it multicast, and one address that a cloud gives to a service of its own.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // carrier-grade NAT, and metadata services of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // not in the registry: Azure's host answers each of its machines here, with their secrets
  '169.254.0.0/16', // link local, and metadata services of most clouds
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16', // private use
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
] as const;

/** All that IANA has ever given out as global unicast. What is not in it, is mapped, translated, local, reserved or multicast. */
const GLOBAL_IPV6 = '2000::/3';

/** The IANA IPv6 Special-Purpose Address Registry, as far as it lies in there. */
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID, ORCHIDv2, and the rest of it
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address, any, stands within
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // 6bone, given back
  '3fff::/20', // documentation
] as const;

const globalIpv6 = toBlock(GLOBAL_IPV6);
const special: readonly AddressBlock[] = [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(toBlock);

/**
 * True for a unicast address that any machine of the public network would reach the same host under. False for what is
 * no address at all.
 *
 * Own arithmetic, not `BlockList` of node:net, whose answer for a mapped address depends on the version, nor a package,
 * whose tables are older than the registry's: the tables are the part that has to be right.
 */
export function isPublicAddress(address: string): boolean {
  const bits = readAddress(address);
  if (bits === undefined || (bits.width === 128 && !isInBlock(bits, globalIpv6))) return false;
  return !special.some((block) => isInBlock(bits, block));
}

/** Of an address without brackets, zone or port. Undefined for anything else. */
export function readAddress(address: string): AddressBits | undefined {
  if (isIPv4(address)) return { value: toNumber(address.split('.').map(Number), 8n), width: 32 };
  // A zone, `fe80::1%eth0`, is of this machine alone.
  if (!isIPv6(address) || address.includes('%')) return undefined;
  // Written by the URL standard there is one `::` at most, and no dotted part.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return { value: toNumber([...first, ...zeros, ...last], 16n), width: 128 };
}

export function isInBlock({ value, width }: AddressBits, { start, prefix }: AddressBlock): boolean {
  const rest = BigInt(width - prefix);
  return width === start.width && value >> rest === start.value >> rest;
}

/** Of `10.0.0.0/8`. @throws RangeError for what is none */
export function toBlock(text: string): AddressBlock {
  const [address = '', bits = ''] = text.split('/');
  const start = readAddress(address);
  if (start === undefined || !/^\d{1,3}$/.test(bits) || Number(bits) > start.width) throw new RangeError('That is no block of addresses.');
  return { start, prefix: Number(bits) };
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function toNumber(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n);
}
