import { DevsError, errnoOf } from '@devs/core';
import { isPublicHost, writeHost, type Host } from './host.ts';
import type { HostList } from './host-list.ts';

/** Hosts of the operator's that a refusal names. */
const MOST_NAMED = 8;

/** What an error of Node's says, in devs's words: its own may hold those of a server. */
const SENTENCES: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^(?:ENOTFOUND|EAI_|ENODATA|ENONAME)/, 'The name of the host cannot be resolved.'],
  [/^(?:ECONNREFUSED|EHOST|ENET|ENETUNREACH|EADDRNOTAVAIL)/, 'No connection to the host could be made.'],
  [/^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/, 'The certificate of the host is not valid for it, so nothing was asked of it.'],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'No TLS connection to the host could be made.'],
  [/^HPE_HEADER_OVERFLOW/, 'The answer has more headers than devs reads.'],
  [/^HPE_/, 'The answer is no HTTP that can be read in one way only.'],
  [/^(?:Z_|ERR_BROTLI|ERR__ERROR_|ZSTD_)/, 'The page is compressed in a way that cannot be undone.'],
];

export function fetchFailed(sentence: string, cause?: unknown): DevsError {
  return new DevsError('FETCH_FAILED', { sentence, cause });
}

/** What the agent reads of an error that is none of devs's own, which goes to the log alone. */
export function toFetchFailure(error: unknown): DevsError {
  if (DevsError.is(error)) return error;
  const code = errnoOf(error) ?? '';
  const known = SENTENCES.find(([codes]) => codes.test(code));
  return fetchFailed(known?.[1] ?? 'The connection to the host broke before the page was complete.', error);
}

/** A host as a refusal may name it: it could come from a page, and be as long as a sentence. */
export function nameHost(host: Host): string {
  const written = writeHost(host);
  return written.length <= 100 ? written : `${written.slice(0, 100)}...`;
}

/** With what the operator has to write, where that can help. */
export function hostNotAllowed(host: Host, hosts: HostList): DevsError {
  if (!isPublicHost(host)) return notPublic(host);
  const name = nameHost(host);
  const entry = `"network": {"hosts": [${JSON.stringify(name)}]}`;
  if (hosts.patterns.length === 0) {
    return new DevsError('HOST_NOT_ALLOWED', {
      sentence: `No host is allowed. The operator has to write it into the configuration of devs: ${entry}.`,
    });
  }
  const named = hosts.patterns.slice(0, MOST_NAMED).join(', ');
  const more = hosts.patterns.length > MOST_NAMED ? ', and more' : '';
  return new DevsError('HOST_NOT_ALLOWED', {
    sentence: `The host "${name}" is not allowed. Allowed are: ${named}${more}. The operator adds one by ${entry}.`,
  });
}

/** Where an allowed name leads is not told: what lies behind it is nobody's to find out. */
export function notPublic(host: Host): DevsError {
  return new DevsError('HOST_NOT_ALLOWED', {
    sentence: `The host "${nameHost(host)}" is not on the public network. devs connects to no other, whatever is allowed.`,
    suggestion: 'Go on without it, or ask the person you work for.',
  });
}
