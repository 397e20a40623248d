import type { IncomingMessage } from 'node:http';

/** Of one connection alone (RFC 9110, section 7.6.1), or set anew by whoever sends. `Expect` was answered already. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  'connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization',
  'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]);

/** Said twice, each side of a proxy could believe another one. */
const SAID_ONCE = ['host', 'content-length', 'transfer-encoding'] as const;

/** Why a request could end elsewhere for another reader than for this one: request smuggling. Undefined: it could not. */
export function ambiguityOf({ rawHeaders, headers }: IncomingMessage): string | undefined {
  const names = pairsOf(rawHeaders).map(([name]) => name.toLowerCase());
  const isTwice = SAID_ONCE.some((name) => names.filter((other) => other === name).length > 1);
  if (isTwice) return 'A header that may stand once stands twice.';
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (length !== undefined && encoding !== undefined) return 'The length of the body is said in two ways.';
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return 'The length of the body is no number.';
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return 'The body is encoded in a way that is not passed on.';
  return undefined;
}

/** The headers that go on to the other side, names and values in turn, with the framing of the body as it was read. */
export function passedHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const passed = pairsOf(rawHeaders).filter(([name]) => !OF_ONE_CONNECTION.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
  return [...passed.flat(), ...framingOf(headers), 'Connection', 'close'];
}

function framingOf({ 'content-length': length, 'transfer-encoding': encoding }: IncomingMessage['headers']): readonly string[] {
  if (encoding !== undefined) return ['Transfer-Encoding', 'chunked'];
  return length === undefined ? [] : ['Content-Length', length];
}

function pairsOf(rawHeaders: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [rawHeaders[2 * index] ?? '', rawHeaders[2 * index + 1] ?? ''] as const);
}
