/** Longer than what browsers and servers agree on. */
const MAX_URI_CHARACTERS = 2_048;

/** Unreserved and reserved characters of RFC 3986 and whole escapes; nothing that a reader could take for markup. */
const URI = /^[a-z][a-z\d+.-]{0,31}:(?:[a-z\d\-._~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})*$/i;
const SCHEME = /^([a-z][a-z\d+.-]{0,31}):/i;
const WEB = new Set(['http', 'https']);

/**
 * What whoever opens a link would run or start with it. A server may name its own resources as it likes, `memo://1`; a
 * list of what is harmful is never whole, so such a name also needs `//` and must not be one of a program that is known
 * to be started by one.
 */
const HARMFUL = new RegExp(
  `^(?:${[
    '(?:java|vb|live)script|data|blob|about|filesystem|view-source|jar',
    'chrome.*|edge|opera|brave|moz-.+|intent|android-app|itms.*|ms-.+|search-ms|shell',
    'vscode.*|cursor|windsurf|jetbrains|skype|zoommtg|steam|mailto|tel|sms|facetime.*',
    'ssh|s?ftps?|telnet|rlogin|smb|cifs|nfs|afp|ldaps?|rdp|vnc|wss?',
  ].join('|')})$`,
);

/**
 * A URI in its canonical form, or undefined when it is not passed on: only `http`, `https` and `file` of this machine,
 * and a server's own `name://…`; without user, password, controls or characters beyond ASCII that are not escaped.
 */
export function toSafeUri(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URI_CHARACTERS) return undefined;
  const scheme = SCHEME.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (WEB.has(scheme) || scheme === 'file') return toSafeUrl(value, scheme);
  return isOwnUri(value, scheme) ? `${scheme}${value.slice(scheme.length)}` : undefined;
}

/** Browsers drop tabs and line ends inside a URL and take `\` for `/`: what they would read differently is refused. */
function toSafeUrl(value: string, scheme: string): string | undefined {
  if (/[\s\\<>"`{}|^\p{C}\p{Z}]/u.test(value) || !value.slice(scheme.length).startsWith('://')) return undefined;
  const url = URL.parse(value);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  // `file://host/share` makes Windows log in to that host.
  if (scheme === 'file' ? url.host !== '' : url.host === '') return undefined;
  return url.href.length <= MAX_URI_CHARACTERS && URI.test(url.href) ? url.href : undefined;
}

function isOwnUri(value: string, scheme: string): boolean {
  if (HARMFUL.test(scheme) || !URI.test(value)) return false;
  const rest = value.slice(scheme.length + 1);
  if (!rest.startsWith('//')) return false;
  const authority = /^\/\/([^/?#]*)/.exec(rest)?.[1] ?? '';
  return !authority.includes('@');
}

/** What a URI says once it is read: a token in escapes is a token. Undefined when it cannot be read. */
function readUri(uri: string): string | undefined {
  try {
    return decodeURIComponent(uri);
  } catch {
    return undefined;
  }
}

/** A safe URI in which nothing would be masked, neither as it is written nor as it is read: a secret in escapes is one. */
export function toCleanUri(value: unknown, isClean: (text: string) => boolean): string | undefined {
  const uri = toSafeUri(value);
  const said = uri === undefined ? undefined : readUri(uri);
  return uri !== undefined && said !== undefined && isClean(uri) && isClean(said) ? uri : undefined;
}
