import { isPublicHost, parseHost, type Host } from './host.ts';

/** The ports that are ever dialled. */
export type WebPort = 80 | 443;

interface HostPattern {
  readonly fits: (host: Host) => boolean;
  /** Absent: both. */
  readonly port: WebPort | undefined;
}

const WEB_PORTS: ReadonlyMap<string, WebPort> = new Map([['80', 80], ['443', 443]]);

/**
 * True for an entry of `network.hosts`: `example.com`; `*.example.com`, what lies below it at any depth, and not itself;
 * an address of the public network; each perhaps with `:80` or `:443`. And `*`, every name. False for what could never
 * be reached.
 */
export function isHostPattern(text: string): boolean {
  return parsePattern(text) !== undefined;
}

/** The hosts that the operator has allowed. */
export class HostList {
  /** As they were written; what is no pattern is left out. */
  readonly patterns: readonly string[];
  readonly #patterns: readonly HostPattern[];

  /** @param patterns what is no pattern allows nothing */
  constructor(patterns: readonly string[]) {
    this.patterns = patterns.filter(isHostPattern);
    this.#patterns = patterns.flatMap((pattern) => parsePattern(pattern) ?? []);
  }

  allows(host: Host, port: WebPort): boolean {
    return isPublicHost(host) && this.#patterns.some((pattern) => (pattern.port ?? port) === port && pattern.fits(host));
  }
}

function parsePattern(text: string): HostPattern | undefined {
  // An address is allowed where it is written, and by nothing else.
  if (text === '*') return { fits: ({ isAddress }) => !isAddress, port: undefined };
  const [, below, hostText = '', portText] = /^(\*\.)?(.*?)(?::(\d+))?$/s.exec(text) ?? [];
  const host = parseHost(hostText);
  const port = portText === undefined ? undefined : WEB_PORTS.get(portText);
  if (host === undefined || (portText !== undefined && port === undefined)) return undefined;
  if (below !== undefined) return host.isAddress ? undefined : { fits: ({ name, isAddress }) => !isAddress && name.endsWith(`.${host.name}`), port };
  return isPublicHost(host) ? { fits: ({ name, isAddress }) => name === host.name && isAddress === host.isAddress, port } : undefined;
}
