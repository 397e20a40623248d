import type { IncomingHttpHeaders } from 'node:http';

/** What a listener on this machine may be called. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

export function isLoopbackAddress(host: string): boolean {
  return ['127.0.0.1', 'localhost', '::1'].includes(host);
}

/**
 * Why a request cannot come from a client of this machine; undefined when it can. A page that rebinds
 * its name to 127.0.0.1 sends its own name as `Host`; a page of another origin sends its `Origin`,
 * or `null`. Clients that are no browsers send no `Origin`.
 */
export function foreignRequest(headers: IncomingHttpHeaders, port: number): string | undefined {
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${port}`);
  const host = headers.host?.toLowerCase();
  const isKnownHost = host !== undefined && (hosts.includes(host) || (port === 80 && LOOPBACK_NAMES.includes(host)));
  if (!isKnownHost) return 'The Host header does not name this server.';
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((known) => origin === `http://${known}`)) {
    return 'The Origin header names another site.';
  }
  return undefined;
}
