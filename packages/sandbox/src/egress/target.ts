import { fetchFailed } from './failure.ts';
import { hostOf, type Host } from './host.ts';
import type { WebPort } from './host-list.ts';

/** What a URL asks for, read once: the host that is checked is the host that is dialled and asked for. */
export interface Target {
  readonly url: URL;
  readonly host: Host;
  readonly port: WebPort;
  readonly isSecure: boolean;
}

/** Characters of a URL, as it is sent. */
const MOST_CHARACTERS = 8_192;

/**
 * @param base where a redirect came from: what it says may be relative
 * @throws DevsError FETCH_FAILED
 */
export function parseTarget(text: string, base?: URL): Target {
  // The URL standard would drop them in silence: what was written would not be what is asked for.
  if (/[\u0000-\u001f\u007f]/.test(text)) throw fetchFailed('The URL holds characters that no URL has.');
  if (text.length > MOST_CHARACTERS) throw tooLong();
  if (!URL.canParse(text, base)) throw fetchFailed('The URL cannot be read: give a whole one, as https://example.com/page.');
  const url = new URL(text, base);
  url.hash = '';
  if (url.href.length > MOST_CHARACTERS) throw tooLong();
  return toTarget(url);
}

function toTarget(url: URL): Target {
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') throw fetchFailed('Only http and https URLs are fetched.');
  // `https://allowed.example@elsewhere.example/` reads like another host, and would send what it holds.
  if (url.username !== '' || url.password !== '') throw fetchFailed('A URL with a user name or a password in it is not fetched.');
  const host = hostOf(url);
  if (host === undefined) throw fetchFailed('The URL has no host that DNS could know.');
  return { url, host, port: portOf(url, isSecure), isSecure };
}

function portOf({ port }: URL, isSecure: boolean): WebPort {
  if (port === '') return isSecure ? 443 : 80;
  if (port === '80') return 80;
  if (port === '443') return 443;
  throw fetchFailed('Only the ports 80 and 443 are reached.');
}

function tooLong(): Error {
  return fetchFailed('The URL is longer than 8,192 characters.');
}
