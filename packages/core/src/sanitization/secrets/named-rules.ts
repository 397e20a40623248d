import { Buffer } from 'node:buffer';
import { distinctUnits, looksRandom, type NamedRule } from './secret-rule.ts';

/** Between a name and its value: `key = "`, `"key": "`, `\"key\":\"`, `<Key>`, `key  `. */
const BETWEEN = '[\\s"\'`:=>,|()\\\\]{1,12}';

/** Known by their names alone: the values look like any other base64. */
export const NAMED_RULES: readonly NamedRule[] = [
  {
    id: 'aws-secret-access-key',
    title: 'AWS secret access key',
    name: '(?:secret[_-]?access[_-]?key|aws[_-]?secret[_-]?key)',
    value: `${BETWEEN}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
    accepts: (secret) => !/^[0-9a-f]+$/.test(secret) && distinctUnits(secret) >= 12,
  },
  {
    id: 'azure-storage-key',
    title: 'Azure storage or bus key',
    name: '(?:account|storage|shared|primary|secondary)[_-]?(?:account[_-]?)?(?:access[_-]?)?key',
    value: `${BETWEEN}([A-Za-z0-9/+]{42,86}={1,2})`,
    accepts: looksRandom,
  },
  {
    id: 'authorization',
    title: 'Credentials in an Authorization header',
    name: 'authorization',
    value:
      '["\'`\\\\\\])]{0,4}\\s{0,4}[:=,]\\s{0,4}["\'`\\\\]{0,2}(?:bearer|basic|token|apikey|api-key)(?:\\s|%20|\\+){1,4}([A-Za-z0-9._~+/=-]{8,4096})',
    accepts: (secret, match) => (/basic[\s%+]/i.test(match) && isBasic(secret)) || isToken(secret),
  },
  {
    id: 'npmrc-auth',
    title: 'Token or credentials in an .npmrc',
    name: '_auth(?:token)?',
    value: '\\s{0,2}=\\s{0,2}["\']?([A-Za-z0-9_.+/=-]{8,500})',
    accepts: looksRandom,
  },
];

/** `Basic` is base64 of a name, a colon and a password. */
function isBasic(secret: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(secret, 'base64').toString('latin1'));
}

/**
 * Not the `Bearer your_token` and `Bearer accessToken` of documentation and programs. Judged by its beginning and by what
 * it lacks: when something at its end is masked by another rule, a second look must not find more.
 */
function isToken(secret: string): boolean {
  const isWord = /^(?:your|my|the|some|example|placeholder|access|api|auth|id|jwt|secret|token)/i.test(secret);
  return !isWord && /\d/.test(secret) && /[A-Za-z]/.test(secret) && distinctUnits(secret) >= 6;
}
