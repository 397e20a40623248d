import type { IncomingMessage } from 'node:http';
import { fetchFailed } from './failure.ts';
import { parseHost, writeHost } from './host.ts';
import { parseTarget, type Target } from './target.ts';

/** Of `GET http://example.com/page`: the URL decides, whatever `Host` says. @throws DevsError FETCH_FAILED */
export function targetOfUrl({ url = '' }: IncomingMessage): Target {
  if (!/^http:\/\//i.test(url)) throw fetchFailed('A proxy is asked for a whole http URL, or by CONNECT.');
  const target = parseTarget(url);
  if (target.port !== 80) throw fetchFailed('Plain http is passed on to port 80 alone.');
  return target;
}

/** Of `CONNECT example.com:443`. @throws DevsError FETCH_FAILED */
export function targetOfConnect({ url = '', headers }: IncomingMessage): Target {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) throw fetchFailed('CONNECT has no body.');
  const [, text = '', port] = /^(.{1,1000}):(80|443)$/.exec(url) ?? [];
  const host = parseHost(text);
  if (host === undefined) throw fetchFailed('CONNECT asks for a host and port 80 or 443, as example.com:443.');
  return parseTarget(`${port === '443' ? 'https' : 'http'}://${writeHost(host)}/`);
}

/** Of `GET /page` behind a CONNECT: on whose host it is was said there. @throws DevsError FETCH_FAILED */
export function targetWithin({ url = '' }: IncomingMessage, opened: Target | undefined): Target {
  if (opened === undefined || !url.startsWith('/')) throw fetchFailed('Behind a CONNECT a page is asked for by its path.');
  return parseTarget(`http://${writeHost(opened.host)}${url}`);
}
