import { PASSWORD_OPTIONS } from './command-passwords.ts';
import { GO_ADDRESSES } from './connection-strings.ts';
import { COOKIE_NAME } from './cookies.ts';
import { SECRET_KIND } from './kubernetes-secrets.ts';
import { toPattern } from './look.ts';
import { SOUGHT_NAMES } from './named-values.ts';
import { PASSWORD_NAME, SIGNATURES } from './passwords.ts';
import { PRIVATE } from './private-keys.ts';

/** Of an address, and of one in JSON of PHP. */
export const [SLASHES, ESCAPED_SLASHES] = ['://', '\\/\\/'] as const;

/** All that is looked for beside words. */
const SOUGHT = [
  ...SOUGHT_NAMES, SLASHES, ESCAPED_SLASHES, PASSWORD_NAME, ...GO_ADDRESSES, ...PASSWORD_OPTIONS, ...SIGNATURES, COOKIE_NAME, SECRET_KIND, PRIVATE,
];
const ANY_SOUGHT = new RegExp(SOUGHT.map((sought) => (typeof sought === 'string' ? toPattern(sought) : sought.source)).join('|'), 'i');
/** Units. In a longer text, a search for each is quicker than one for all. */
const SHORT_TEXT = 256;

/** Nearly all names and values of a document are short, and hold none of it. */
export function mayHoldSought(text: string): boolean {
  return text.length > SHORT_TEXT || ANY_SOUGHT.test(text);
}
