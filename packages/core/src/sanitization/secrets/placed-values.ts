import type { Part } from './look.ts';
import { distinctUnits, looksRandom } from './secret-rule.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';

/** A value that is a secret by the name that it is assigned to, wherever it looks random: of a setting, of a query, of an option. */
export const PLACED_RULES = [
  { id: 'named-secret', title: 'Random value of what is called token, secret or password' },
  { id: 'url-token', title: 'Token in the query of a URL' },
];

const [SPACE, QUOTE, APOSTROPHE, COLON, EQUALS, BACKSLASH, BACKTICK] = [0x20, 0x22, 0x27, 0x3a, 0x3d, 0x5c, 0x60];
const LOWER_CASE = 0x20;
/** The last letters of what is called so: `token`, `secret`, `password`, `key`, `X-Amz-Signature`. In lower case. */
const LAST_LETTERS = new Set([0x6e, 0x74, 0x64, 0x79, 0x65]);

/** Steps of asking what the name says, and whether the value is random. */
const NAMED_LOOK = 430;
/** Units before the value that may be quotes and spaces. */
const MOST_MARKS = 6;
/** Units of a name that are looked at. */
const LONGEST_NAME = 48;

/** Of settings: `GITHUB_TOKEN=`, `"EXA_API_KEY": "`. What is public, or the name of a place and no secret, is told by the words before. */
const SETTING = /(?:^|[^A-Za-z0-9]|\\[nrt])(?:[A-Z0-9]{0,20}(?:TOKEN|SECRET|PASSWORD|PASSWD)|(?<=_)[A-Z]{0,12}KEY)$/;
const PUBLIC = /(?:PUBLIC|PUBLISHABLE|SITE|CACHE|PRIMARY|FOREIGN|SORT|PARTITION|ROUTING|OBJECT|STORAGE|HASH|INDEX|CSRF|XSRF|NEXT_PAGE|PAGE|CONTINUATION|CURSOR)_?(?:TOKEN|KEY)$/i;

/** Of rules of their own. */
const NAMED = /(?:x-(?:[a-z]{1,16}-)?api-?key|_authtoken|aws[_-]?secret[_-]?key|secret[_-]?access[_-]?key|(?:account|storage|shared|primary|secondary)[_-]?(?:account[_-]?)?(?:access[_-]?)?key)$/i;

/** The same in the words of programs: of two words at least, or an option of a command. */
const WORDS =
  /(?:^|[^A-Za-z]|[a-z](?=[A-Z]))(?:(?:[aA]pi|[aA]ccess|[aA]uth|[cC]lient|[sS]ecret|[sS]ession|[rR]efresh|[bB]earer|[dD]eploy|[wW]ebhook|[sS]igning|[eE]ncryption|[pP]rivate|[bB]ot|[uU]ser|[aA]dmin|[mM]aster)[_-]?(?:[kK]ey|[tT]oken|[sS]ecret)|(?:--|[xX]-[A-Za-z-]{1,30}-)(?:[tT]oken|[sS]ecret|password)|[pP]assword)$/;

const QUERY = /[?&](?:amp;)?(?:access_token|refresh_token|auth_token|api_token|private_token|api_?key|client_secret|token|X-Amz-Signature)$/i;

/** Storage gives each object one, and shows it with the object. */
const OBJECT_TOKEN = /[?&]token$/;

const VALUE = /[A-Za-z0-9_.~+/=-]{16,64}/y;
const REST = /[A-Za-z0-9_.~+/=-]{0,4000}/y;
/** A program goes on there: a call, a member, an index. */
const GOES_ON = /[([{$@]/;

/** The value that begins with this word. */
export function placedValue(text: string, { start: wordStart, work }: { readonly start: number; readonly work: WorkBudget }): (Part & { readonly rule: string }) | undefined {
  const nameEnd = endOfName(text, wordStart);
  if (nameEnd === undefined || !LAST_LETTERS.has(text.charCodeAt(nameEnd - 1) | LOWER_CASE)) return undefined;
  work.spend(NAMED_LOOK);
  // `=3D` of mail is an equals sign.
  const start = text.startsWith('=3D', wordStart - 1) ? wordStart + 2 : wordStart;
  const name = text.slice(Math.max(0, nameEnd - LONGEST_NAME), nameEnd);
  const place = placeOf(name);
  if (place === undefined) return undefined;
  VALUE.lastIndex = start;
  const value = VALUE.exec(text)?.[0];
  if (value === undefined || !isRandom(value, place) || (place.isOfObject && UUID.test(value))) return undefined;
  REST.lastIndex = VALUE.lastIndex;
  REST.test(text);
  const end = REST.lastIndex;
  work.spend(end - start);
  return GOES_ON.test(text.charAt(end)) ? undefined : { start, end, rule: place.rule };
}

interface Place {
  readonly rule: string;
  /** Names that programs have for their own values as well: the value has to tell more. */
  readonly isWord: boolean;
  readonly isOfObject: boolean;
}

/** Of a name right behind a mark a part is masked: what the first look saw of it, a second does not, and must not find more. */
const CUT = /\][\w.-]*$/;

function placeOf(name: string): Place | undefined {
  if (CUT.test(name)) return undefined;
  if (QUERY.test(name)) return { rule: 'url-token', isWord: true, isOfObject: OBJECT_TOKEN.test(name) };
  if (PUBLIC.test(name) || NAMED.test(name)) return undefined;
  const isSetting = SETTING.test(name);
  return isSetting || WORDS.test(name) ? { rule: 'named-secret', isWord: !isSetting, isOfObject: false } : undefined;
}


/** Where the name ends that this is assigned to: `NAME=`, `name: "`, `\"name\":\"`, `--name `. */
function endOfName(text: string, start: number): number | undefined {
  let at = start - 1;
  const limit = start - MOST_MARKS;
  while (at >= limit && isMark(text.charCodeAt(at))) at -= 1;
  const sign = text.charCodeAt(at);
  if (sign !== EQUALS && sign !== COLON) return text.charCodeAt(start - 1) === SPACE ? endOfOption(text, start - 1) : undefined;
  const before = at - MOST_MARKS;
  at -= 1;
  while (at >= before && isMark(text.charCodeAt(at))) at -= 1;
  return at + 1;
}

const OPTION = /\s--[a-z-]{0,30}(?:token|secret|password|key)$/;

function endOfOption(text: string, end: number): number | undefined {
  if (!LAST_LETTERS.has(text.charCodeAt(end - 1) | LOWER_CASE)) return undefined;
  return OPTION.test(text.slice(Math.max(0, end - LONGEST_NAME), end)) ? end : undefined;
}

function isMark(unit: number): boolean {
  return unit === SPACE || unit === QUOTE || unit === APOSTROPHE || unit === BACKSLASH || unit === BACKTICK;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Letters and digits that take turns, as in no word, version or name of a place. Judged by its beginning: when something behind
 * that is masked, a second look must not find more.
 */
function isRandom(value: string, { isWord }: Place): boolean {
  const { digits, upper, lower, turns, distinct } = countsOf(value);
  const length = digits + upper + lower;
  if (length < SHORTEST_RANDOM || digits < (isWord ? 2 : 1) || distinct < 8 || !looksRandom(value)) return false;
  if (UUID.test(value)) return true;
  if (upper > 0 && lower > 0) return turns >= (isWord ? 0.4 : 0.33) * length;
  return digits >= 3 && upper + lower > 0 && turns >= 0.24 * length;
}

/** Letters and digits, at the beginning of a value. */
const SHORTEST_RANDOM = 14;
const LOOKED_AT = 32;

/** Of the letters and digits at its beginning: what stands between them tells words apart, and is no turn. In one pass: rows are looked at at each. */
function countsOf(value: string): { digits: number; upper: number; lower: number; turns: number; distinct: number } {
  const counts = { digits: 0, upper: 0, lower: 0 };
  let [turns, last]: [number, keyof typeof counts | undefined] = [0, undefined];
  for (let at = 0; at < Math.min(LOOKED_AT, value.length); at += 1) {
    const unit = value.charCodeAt(at);
    const kind = kindOf(unit);
    if (kind === undefined) continue;
    if (last !== undefined && kind !== last) turns += 1;
    last = kind;
    counts[kind] += 1;
  }
  return { ...counts, turns, distinct: distinctUnits(value.slice(0, LOOKED_AT)) };
}

function kindOf(unit: number): 'digits' | 'upper' | 'lower' | undefined {
  if (unit >= 0x30 && unit <= 0x39) return 'digits';
  if (unit >= 0x41 && unit <= 0x5a) return 'upper';
  return unit >= 0x61 && unit <= 0x7a ? 'lower' : undefined;
}
