/**
 * What a name says of its value. `password`: it is one, whatever it looks like. `secret`: it is one, unless it is plainly
 * something else, as a path. `maybe`: it is one only if it looks random.
 */
export type Claim = 'password' | 'secret' | 'maybe' | 'none';

/** Last words that say which one it is, and nothing of what it is: `API_KEY_PROD`, `TOKEN_2`, `SECRET_KEY_BASE`. */
const PASSED_OVER = listOf(
  'b backup base current data default dev development encoded json live local main new next old plain previous prod production raw readonly ro rw stage',
  'staging str string test text v val value var',
);

/** Last words of names that only speak of a secret: `KEY_FILE`, `AUTH_URL`, `TOKEN_LIMIT`. */
const OTHER = listOf(
  'address age algo algorithm alias arn audience binding bindings bus callback class column command config control count days dir directory',
  'domain driver duration enabled endpoint engine env expiration expires expiry expire field file filename flow folder format handler header',
  'hint hostname hours id ids in index info interval issuer label layout length level lifetime limit limits location map max method min minutes',
  'mode module ms name num number parallelism path plugin policy pool port prefix provider question realm ref required rotation scheme scope',
  'scopes seconds size sock socket source storage store strategy suffix table timeout ttl type uri url',
);

/** Last words that say whose it is, `TOKEN_SERVICE`, or what else it is: `AUTH_USER`. */
const WHOSE = listOf('agent backend client email group host mail manager owner region role script server servers service user username users version');

/** Alone before `key` or `pass`, which then is one of a table, of a keyboard, of a build, or a secret after all. */
const KINDS = listOf('authorized build feature idempotency lint primary render shortcut');

/** Before `key`: one that everybody may see, or that is none. */
const OPEN_KEYS = listOf('public pub publishable anon gpg foreign partition sort cache routing object row group');

const PASSWORD = /(?:password|passwd|passphrase|passcode)s?$/;
const PASSWORD_OF = /^(?:admin|bind|db|ftp|http|keystore|ldap|login|mail|mysql|pg|proxy|redis|root|smtp|ssh|sudo|truststore|user)(?:pass|pw|pwd)$/;
const SECRET = /^(?:authorization|bearer|cookies?|creds?|credentials?|dsn|jwts?|mnemonic)$|(?:secret|token)s?$/;
const SECRET_KEY = /(?:^| |[a-z])(?:access|account|api|auth|deploy|encryption|master|private|secret|shared|signing) ?keys?(?: |$)/;

const SECRET_PHRASE = /(?:^| )(?:(?:backup|recovery|scratch) codes?|(?:backup|recovery|secret|seed) ?phrase|t?otp seed)$/;

/** Secrets when they stand last: `PASS_THROUGH` and `KEY_GROUP` are none. */
const LAST = listOf('auth key keys pat pats salt salts');
const LAST_PASSWORD = listOf('pass pw pwd');
const MAYBE = new Set([...LAST, ...LAST_PASSWORD, 'private', 'session', 'sessions', 'sk', 'webhook', 'webhooks']);

/** By words, not by parts of words: `GIT_AUTHOR_NAME` has no `auth` in it. What it is stands last: `KEY_FILE` is a file. */
export function claimOf(name: string): Claim {
  // The folder that a program runs in, which is no password.
  if (name === 'PWD') return 'none';
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  // An address that is a secret itself, and what Vault calls a password.
  if (OTHER.has(last)) return words.includes('webhook') || ` ${words.join(' ')}`.endsWith(' secret id') ? 'maybe' : 'none';
  const claim = claimOfWords(words, last);
  return claim !== 'none' && WHOSE.has(last) ? 'maybe' : claim;
}

/** A word that another follows may only say what that is about: `PASSWORD_HASHER`, `SECRET_MANAGER_PROJECT`. */
function claimOfWords(words: readonly string[], last: string): Claim {
  const [first = '', second = ''] = words;
  if (OPEN_KEYS.has(words.at(-2) ?? '') && /^keys?$/.test(last)) return 'none';
  if (words.length === 2 && KINDS.has(first) && /^(?:keys?|pass)$/.test(second)) return 'maybe';
  const name = words.join(' ');
  if (LAST_PASSWORD.has(last) || isPassword(last)) return 'password';
  if (LAST.has(last) || SECRET.test(last) || SECRET_KEY.test(name) || SECRET_PHRASE.test(name)) return 'secret';
  return words.some((word) => MAYBE.has(word) || SECRET.test(word) || isPassword(word)) ? 'maybe' : 'none';
}

function isPassword(word: string): boolean {
  return PASSWORD.test(word) || PASSWORD_OF.test(word);
}

/** `API_KEYS`, `DB_PASSWORDS`: its value may be a list. */
export function isPlural(name: string): boolean {
  return /[^s]s$/.test(wordsOf(name).at(-1) ?? '');
}

export function isCookie(name: string): boolean {
  return wordsOf(name).some((word) => word === 'cookie' || word === 'cookies');
}

function wordsOf(name: string): readonly string[] {
  const parted = name.replaceAll(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$2_').toLowerCase();
  const words = parted.split(/[^a-z0-9]+/).map((word) => word.replace(/(?<!\d)\d+$/, '')).filter(Boolean);
  const end = words.findLastIndex((word) => !PASSED_OVER.has(word));
  return words.slice(0, end + 1);
}

function listOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}
