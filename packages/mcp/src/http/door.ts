import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { foreignRequest } from '../auth/loopback.ts';
import { isAuthorized } from '../auth/token.ts';
import { refusal, type Refusal } from './refusal.ts';

/** The only path that is served. */
export const PATH = '/mcp';

type Check = (request: IncomingMessage, token: string | undefined) => Refusal | undefined;

/** Cheapest first, and nothing is read of a body before all of it has passed. */
const DOOR: readonly Check[] = [saysThingsOnce, isOfThisMachine, hasToken, namesThePath, isPost, staysWithHttp, expectsWhatIsMet, isPlainJson];

/** Two of one of these, and devs might believe the one while something before it believed the other. */
const SAID_ONCE = new Set(['authorization', 'content-encoding', 'content-length', 'content-type', 'host', 'origin', 'transfer-encoding']);

/**
 * Why a request is not let in; undefined when it is.
 * @param token the bearer token to ask for; undefined asks for none
 */
export function refusalAtDoor(request: IncomingMessage, token: string | undefined): Refusal | undefined {
  for (const check of DOOR) {
    const found = check(request, token);
    if (found !== undefined) return found;
  }
  return undefined;
}

function saysThingsOnce({ rawHeaders }: IncomingMessage): Refusal | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (SAID_ONCE.has(name) && seen.has(name)) return refusal(400, `The header "${name}" is there more than once; send it once.`);
    seen.add(name);
  }
  return undefined;
}

function isOfThisMachine({ headers, socket }: IncomingMessage): Refusal | undefined {
  const foreign = foreignRequest(headers, socket.localPort ?? 0);
  return foreign === undefined ? undefined : refusal(403, foreign);
}

function hasToken({ headers }: IncomingMessage, token: string | undefined): Refusal | undefined {
  if (token === undefined || isAuthorized(headers.authorization, token)) return undefined;
  return refusal(401, 'A bearer token is needed; devs prints at its start where it is kept.', { 'www-authenticate': 'Bearer' });
}

function namesThePath({ url = '' }: IncomingMessage): Refusal | undefined {
  const [path] = url.split('?', 1);
  return path === PATH ? undefined : refusal(404, `There is nothing here. MCP is served at ${PATH}.`);
}

function isPost({ method }: IncomingMessage): Refusal | undefined {
  return method === 'POST' ? undefined : methodRefused();
}

export function methodRefused(): Refusal {
  return refusal(405, 'Messages are sent by POST; there is no other method.', { allow: 'POST' });
}

/** Some clients offer HTTP/2 with their first request; an offer may be passed over. Anything else is asked of another server. */
function staysWithHttp({ headers }: IncomingMessage): Refusal | undefined {
  const { upgrade } = headers;
  if (upgrade === undefined || upgrade.toLowerCase() === 'h2c') return undefined;
  return refusal(400, 'devs speaks HTTP/1.1 alone; leave the Upgrade header out.');
}

function expectsWhatIsMet({ headers }: IncomingMessage): Refusal | undefined {
  const { expect = '100-continue' } = headers;
  return expect.toLowerCase() === '100-continue' ? undefined : refusal(417, 'Of the Expect header devs knows "100-continue" alone; leave it out.');
}

function isPlainJson({ headers }: IncomingMessage): Refusal | undefined {
  if (!isJsonContentType(headers['content-type'])) return refusal(415, 'A message is sent with "content-type: application/json".');
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const transfer = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  // A compressed body would be bounded by its size on the wire, and not by what it becomes.
  if (encoding === 'identity' && transfer === 'chunked') return undefined;
  return refusal(415, 'Send the body as it is, neither compressed nor encoded.', { 'accept-encoding': 'identity' });
}
