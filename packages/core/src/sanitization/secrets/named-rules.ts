import { Buffer } from 'node:buffer';
import { distinctUnits, looksRandom, turnsIn, type NamedRule } from './secret-rule.ts';

/** Around names and values: `key = "`, `"key": "`, `\"key\":\"`, `<Key>`, `key  `, `map[key:[`, `"key"=>"`, HTML's `&quot;`. */
const MARKS = '(?:[\\s"\'`:=>,|()[\\]{}\\\\]|&quot;|&#3[49];)';

/** A pair of two members, as in `{"name":"KEY","value":"…"}` (Docker, Kubernetes, HAR); Postman writes a type between them. */
const PAIR = `(?:(?:type${MARKS}{1,16}[a-z]{1,16}${MARKS}{1,64})?value${MARKS}{1,64})?`;

/** The bytes of Python: `b'…'`. */
const BYTES = '(?:b(?=["\']))?["\']?';

const BETWEEN = `${MARKS}{1,64}${PAIR}${BYTES}`;

/** The same where words alone say nothing: one unit that assigns has to be there. */
const ASSIGNED = `(?=(?:[\\s"'\`\\\\)\\]]|&quot;|&#3[49];){0,64}(?:[:=,>|([{]|value))${BETWEEN}`;

/** PHP escapes each slash in JSON. */
const BASE64 = '(?:[A-Za-z0-9+]|\\\\{0,2}/)';

const NPM_VALUE = '\\s{0,2}=\\s{0,2}\\\\{0,4}["\']?([A-Za-z0-9_.+/=-]{8,64})';
const NPM_REST = '[A-Za-z0-9_.+/=-]{0,2000}';

/** Known by their names alone: the values look like any other base64. */
export const NAMED_RULES: readonly NamedRule[] = [
  {
    id: 'aws-secret-access-key',
    title: 'AWS secret access key',
    name: '(?:secret[_-]?access[_-]?key|aws[_-]?secret[_-]?key)',
    value: `${BETWEEN}(${BASE64}{40})(?![A-Za-z0-9/+=])`,
    accepts: (secret) => !/^[0-9a-f]+$/.test(secret) && distinctUnits(secret) >= 12,
  },
  {
    id: 'azure-storage-key',
    title: 'Azure storage or bus key',
    name: '(?:account|storage|(?<!pre)shared|primary|secondary)[_-]?(?:account[_-]?)?(?:access[_-]?)?key',
    value: `${BETWEEN}(${BASE64}{42,86}={1,2})`,
    accepts: looksRandom,
  },
  {
    id: 'authorization',
    title: 'Credentials in an Authorization header',
    name: 'authorization',
    value: `${ASSIGNED}[A-Za-z][A-Za-z0-9_-]{1,23}(?:\\s|%20|\\+){1,4}((?:[A-Za-z0-9._~+=-]|\\\\{0,2}/){8,64})`,
    rest: '(?:[A-Za-z0-9._~+=-]|\\\\{0,2}/){0,8000}',
    accepts: (secret, match) => isCredential(secret, match.slice(0, -secret.length)),
  },
  {
    id: 'api-key-header',
    title: 'Key in an API key header',
    name: '(?:x-(?:[a-z]{1,16}-)?api-?key|ocp-apim-subscription-key)',
    value: `${ASSIGNED}((?:[A-Za-z0-9._~+=-]|\\\\{0,2}/){20,64})`,
    rest: '(?:[A-Za-z0-9._~+=-]|\\\\{0,2}/){0,2000}',
    accepts: isKey,
  },
  {
    id: 'wireguard-key',
    title: 'WireGuard private or preshared key',
    name: '(?:private|preshared)[_-]?key',
    // 32 bytes in base64: of the last unit but one four bits alone are used.
    value: `${ASSIGNED}((?:[A-Za-z0-9+]|\\\\{0,2}/){42}[AEIMQUYcgkosw048]=)`,
    accepts: (secret) => distinctUnits(secret) >= 12,
  },
  {
    id: 'npmrc-auth',
    title: 'Token or credentials in an .npmrc',
    name: '(?:_authtoken|:_auth|:_password)',
    value: NPM_VALUE,
    rest: NPM_REST,
    accepts: looksRandom,
  },
  {
    id: 'npmrc-auth',
    title: 'Token or credentials in an .npmrc',
    // For all registries: programs have a variable of the same name.
    name: '(?:^|[^:])_auth',
    value: NPM_VALUE,
    rest: NPM_REST,
    accepts: isBasic,
  },
];

/** Base64 of a name, a colon and a password. Judged by its beginning: when its end is masked, a second look must not find more. */
export function isBasic(secret: string): boolean {
  return /^[\x20-\x39\x3b-\x7e]{0,48}:[\x20-\x7e]/.test(Buffer.from(secret.replaceAll('\\', ''), 'base64').toString('latin1'));
}

const SCHEME = /(?:bearer|basic|token|apikey|api-key)(?:\s|%20|\+){1,4}$/i;

/** Behind a scheme that is known, or behind any word (`SSWS`, `Klaviyo-API-Key`), where it has to look like a key by itself. */
function isCredential(secret: string, before: string): boolean {
  if (!SCHEME.test(before)) return secret.length >= SHORTEST_KEY && isKey(secret);
  return (/basic[\s%+]{1,8}/i.test(before.slice(-12)) && isBasic(secret)) || isToken(secret);
}

/** Units, behind a scheme that is not known. */
const SHORTEST_KEY = 16;

/**
 * Not the `Bearer your_token` and `Bearer accessToken` of documentation and programs. Judged by its beginning and by what
 * it lacks: when something at its end is masked by another rule, a second look must not find more.
 */
function isToken(secret: string): boolean {
  const isWord = /^(?:your|my|the|some|example|placeholder|access|api|auth|id|jwt|secret|token)/i.test(secret);
  if (isWord || !/[A-Za-z]/.test(secret) || distinctUnits(secret) < 6) return false;
  return /\d/.test(secret) || isMixed(secret.slice(0, 20));
}

/** Not `process.env.API_KEY_2`: in keys digits and letters take turns from the first. Judged by its beginning, as a token is. */
function isKey(secret: string): boolean {
  const beginning = secret.slice(0, 20);
  return isToken(secret) && /\d/.test(beginning) && distinctUnits(beginning) >= 8 && turnsIn(beginning) >= 6;
}

/** Letters that no name in a program has in this order: of random tokens of twenty letters one in thirty has no digit. */
function isMixed(beginning: string): boolean {
  return /^[A-Za-z]{20}$/.test(beginning) && turnsIn(beginning) >= 6 && distinctUnits(beginning) >= 8;
}
