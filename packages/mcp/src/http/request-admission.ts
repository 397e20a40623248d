import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { foreignRequest } from '../auth/loopback.ts';
import type { Principal } from '../auth/principals.ts';
import { MODERN_VERSIONS } from '../raw/connection-era.ts';
import { refusal, type Refusal } from './refusal.ts';

/** The only path that is served. */
export const PATH = '/mcp';

type Check = (request: IncomingMessage) => Refusal | undefined;

/** Before anybody is asked who they are. */
const STANDING: readonly Check[] = [saysThingsOnce, isOfThisMachine];
/** Cheapest first, and nothing is read of a body before all of it has passed. */
const MESSAGE: readonly Check[] = [namesThePath, hasKnownMethod, staysWithHttp, expectsWhatIsMet, carriesWhatItMay];

/** Two of one of these, or of MCP's own, and devs might believe the one while something before it believed the other. */
const SAID_ONCE = new Set(['authorization', 'content-encoding', 'content-length', 'content-type', 'host', 'last-event-id', 'origin', 'transfer-encoding']);

export type Admission =
  | { readonly kind: 'admitted'; readonly principal: Principal }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** @param identify who a request with this `Authorization` comes from; undefined of nobody that is known */
export function admit(request: IncomingMessage, identify: (authorization: string | undefined) => Principal | undefined): Admission {
  const standing = firstObjection(request, STANDING);
  if (standing !== undefined) return { kind: 'refused', refusal: standing };
  const principal = identify(request.headers.authorization);
  const found = principal === undefined ? tokenRefused(request) : firstObjection(request, MESSAGE);
  return principal === undefined || found !== undefined ? { kind: 'refused', refusal: found ?? tokenRefused(request) } : { kind: 'admitted', principal };
}

/** Why a request cannot be meant for this server, whoever sends it; undefined when it may be. */
export function objectionToStanding(request: IncomingMessage): Refusal | undefined {
  return firstObjection(request, STANDING);
}

/** RFC 6750: a token that was given and is none is said to be that. Why, nobody is told. */
export function tokenRefused({ headers }: IncomingMessage): Refusal {
  const isGiven = /^Bearer /i.test(headers.authorization ?? '');
  const challenge = isGiven ? 'Bearer error="invalid_token"' : 'Bearer';
  return refusal(401, 'A bearer token is needed, one that has neither expired nor been revoked; devs prints at its start where one is kept.', { 'www-authenticate': challenge });
}

export function methodRefused(allow = 'GET, POST, DELETE'): Refusal {
  return refusal(405, 'Messages are sent by POST; sessions are listened to by GET and ended by DELETE.', { allow });
}

function firstObjection(request: IncomingMessage, checks: readonly Check[]): Refusal | undefined {
  for (const check of checks) {
    const found = check(request);
    if (found !== undefined) return found;
  }
  return undefined;
}

function saysThingsOnce({ rawHeaders }: IncomingMessage): Refusal | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    const isOnce = SAID_ONCE.has(name) || name.startsWith('mcp-');
    if (isOnce && seen.has(name)) return refusal(400, `The header ${JSON.stringify(name.slice(0, 100))} is there more than once; send it once.`);
    seen.add(name);
  }
  return undefined;
}

function isOfThisMachine({ headers, socket }: IncomingMessage): Refusal | undefined {
  const foreign = foreignRequest(headers, socket.localPort ?? 0);
  return foreign === undefined ? undefined : refusal(403, foreign);
}

function namesThePath({ url = '' }: IncomingMessage): Refusal | undefined {
  const [path] = url.split('?', 1);
  return path === PATH ? undefined : refusal(404, `There is nothing here. MCP is served at ${PATH}.`);
}

function hasKnownMethod({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method === 'POST') return undefined;
  // MCP 2026-07-28 knows no sessions.
  if (MODERN_VERSIONS.includes(String(headers['mcp-protocol-version']))) return methodRefused('POST');
  return method === 'GET' || method === 'DELETE' ? undefined : methodRefused();
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

function carriesWhatItMay(request: IncomingMessage): Refusal | undefined {
  return request.method === 'POST' ? isPlainJson(request) : hasNoBody(request);
}

function hasNoBody({ headers }: IncomingMessage): Refusal | undefined {
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = headers;
  return Number(length) === 0 && transfer === undefined ? undefined : refusal(400, 'Only a POST has a body; send none.');
}

function isPlainJson({ headers }: IncomingMessage): Refusal | undefined {
  if (!isJsonContentType(headers['content-type'])) return refusal(415, 'A message is sent with "content-type: application/json".');
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const transfer = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  // A compressed body would be bounded by its size on the wire, and not by what it becomes.
  if (encoding === 'identity' && transfer === 'chunked') return undefined;
  return refusal(415, 'Send the body as it is, neither compressed nor encoded.', { 'accept-encoding': 'identity' });
}
