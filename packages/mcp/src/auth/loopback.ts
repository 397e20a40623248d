import type { IncomingHttpHeaders } from 'node:http';

export type LoopbackAddress = '127.0.0.1' | '::1';

/** How a client on this machine writes the address of a listener. */
const HOSTS = ['127.0.0.1', '[::1]'] as const;

/**
 * The numeric address to listen on; undefined for an address that other machines can reach, and for any other name.
 * `localhost` means 127.0.0.1 here and is never shown to a client: it stands for two addresses, another account of the
 * machine can listen on the one that devs does not hold, and clients that try that one first would send it their token.
 */
export function toLoopbackAddress(host: string): LoopbackAddress | undefined {
  if (host.toLowerCase() === 'localhost') return '127.0.0.1';
  return host === '127.0.0.1' || host === '::1' ? host : undefined;
}

/** The `http:` origin of a listener on this machine. */
export function loopbackOrigin(address: string, port: number): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/**
 * Why a request cannot come from a client of this machine; undefined when it can. A page that rebinds
 * its name to 127.0.0.1 sends its own name as `Host`; a page of another origin sends its `Origin`,
 * or `null`. Clients that are no browsers send no `Origin`.
 */
export function foreignRequest(headers: IncomingHttpHeaders, port: number): string | undefined {
  const hosts = HOSTS.map((name) => `${name}:${port}`);
  const host = headers.host?.toLowerCase();
  const isKnownHost = host !== undefined && (hosts.includes(host) || (port === 80 && HOSTS.some((name) => name === host)));
  if (!isKnownHost) return isLocalhost(host) ? `Use http://127.0.0.1:${port} instead of "localhost": another account of this machine may be listening on the other address of that name.` : 'The Host header does not name this server.';
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((known) => origin === `http://${known}`)) {
    return 'The Origin header names another site.';
  }
  return undefined;
}

/** A client that is configured with this name works today and sends its token to somebody else tomorrow, so it is told at once. */
function isLocalhost(host: string | undefined): boolean {
  return host !== undefined && /^localhost(?::\d*)?$/.test(host);
}
