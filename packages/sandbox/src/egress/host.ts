import { isIPv4 } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** A host in its one normal form: two spellings of the same host are equal. */
export interface Host {
  /** Lower case, ASCII, without a dot at its end; an IPv6 address without brackets. */
  readonly name: string;
  readonly isAddress: boolean;
}

const MOST_CHARACTERS = 253;
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/**
 * The host of a URL. The URL standard has made ASCII of `ｅxample。com` and an address of `0x7f.1` by then: nothing is
 * judged by how it was written. Undefined: no name that DNS knows.
 */
export function hostOf({ hostname }: URL): Host | undefined {
  if (hostname.startsWith('[')) return { name: hostname.slice(1, -1), isAddress: true };
  if (isIPv4(hostname)) return { name: hostname, isAddress: true };
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const isName = name.length <= MOST_CHARACTERS && name.split('.').every((label) => LABEL.test(label));
  return isName ? { name, isAddress: false } : undefined;
}

/** A host by itself, as people write it: `Bücher.example`, `[2606:4700::1111]`. Undefined when it is anything else. */
export function parseHost(text: string): Host | undefined {
  // Whatever ends or begins another part of a URL is no part of a host; of what the parser itself would drop, too.
  const isHost = text.startsWith('[') ? /^\[[\da-f:.]{2,45}\]$/i.test(text) : /^[^\s/?#@\\:%[\]\p{C}]{1,1000}$/u.test(text);
  const url = `http://${text}/`;
  return isHost && URL.canParse(url) ? hostOf(new URL(url)) : undefined;
}

/** As it stands in a URL. */
export function writeHost({ name }: Host): string {
  return name.includes(':') ? `[${name}]` : name;
}

/** False for what lies on no public network, whatever the operator writes: other addresses, and names of one label. */
export function isPublicHost({ name, isAddress }: Host): boolean {
  return isAddress ? isPublicAddress(name) : name.includes('.');
}
