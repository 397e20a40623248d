import { decodeHTML } from 'entities/decode';

/** Where a form can begin. `\n` is in every source file. Of few characters: the engine looks for them with vector instructions. */
export const FORM_BEGINNING = String.raw`[&%]|\\(?=[\\uUx01_])`;

export function holdsForms(text: string): boolean {
  const forms = new FormReader(text);
  BEGINNING.lastIndex = 0;
  while (BEGINNING.test(text)) {
    const start = BEGINNING.lastIndex - 1;
    if (forms.endAt(start) >= 0) return true;
    BEGINNING.lastIndex = forms.skip(start);
  }
  return false;
}

const BEGINNING = new RegExp(FORM_BEGINNING, 'g');
const BACKSLASH = 0x5c;
const [PERCENT, AMPERSAND] = [0x25, 0x26];
const [NUMBER_SIGN, LOWER_CASE, LOW_LINE, DIGIT_0, DIGIT_1, DIGIT_2, DIGIT_6, DIGIT_9] = [0x23, 0x20, 0x5f, 0x30, 0x31, 0x32, 0x36, 0x39];
const [SEMICOLON, OPENING_ANGLE, CLOSING_ANGLE, OPENING_BRACE] = [0x3b, 0x3c, 0x3e, 0x7b];
const [LETTER_A, LETTER_F, LETTER_G, LETTER_L, LETTER_T, UPPER_U, LETTER_U, LETTER_X, LETTER_Z] = [0x61, 0x66, 0x67, 0x6c, 0x74, 0x55, 0x75, 0x78, 0x7a];

/** Backslashes that belong to one form, as deep as it may have been quoted. Of a longer run, the last ones. */
const MOST_BACKSLASHES = 16;

/**
 * Reads the forms of one text. A run of backslashes is read once, from its end: tried from each of its backslashes, a megabyte of
 * them takes seconds.
 */
export class FormReader {
  readonly #text: string;
  readonly #isUrl: boolean;
  /** The run of backslashes that was read last, and where the form ends that it begins; -1 when it begins none. */
  #runStart = 0;
  #runEnd = 0;
  #formEnd = -1;

  /** `where`: percent signs belong to a URL itself, and none of its bytes is decoded. */
  constructor(text: string, where: 'text' | 'url' = 'text') {
    this.#text = text;
    this.#isUrl = where === 'url';
  }

  /** Behind the form that begins at a `&`, `%` or backslash; -1 where none does. */
  endAt(start: number): number {
    const first = this.#text.charCodeAt(start);
    // Most ampersands begin no entity, and a pattern costs ten times a look.
    if (first === AMPERSAND) {
      if (!mayBeginName(this.#text.charCodeAt(start + 1))) return -1;
      const angle = codeOfAngle(this.#text, start) < 0 ? -1 : endOfAngle(this.#text, start + 3);
      if (angle >= 0) return angle;
      if (this.#text.startsWith(ENCODED_AMPERSAND, start) && !mayBeginName(this.#text.charCodeAt(start + ENCODED_AMPERSAND.length))) return start + ENCODED_AMPERSAND.length;
    }
    if (first === PERCENT && !isEscapedAmpersand(this.#text, start)) return !this.#isUrl && codeOfByte(this.#text, start) >= 0 ? start + 3 : -1;
    if (first !== BACKSLASH) return endOfMatch(this.#isUrl ? FORM_OF_URL : FORM_OF_TEXT, this.#text, start);
    this.#readRun(start);
    return this.#runEnd - start <= MOST_BACKSLASHES ? this.#formEnd : -1;
  }

  /** The next place at which a form may begin, behind a start at which none does. */
  skip(start: number): number {
    if (this.#text.charCodeAt(start) !== BACKSLASH) return start + 1;
    this.#readRun(start);
    return this.#formEnd < 0 ? this.#runEnd : Math.max(start + 1, this.#runEnd - MOST_BACKSLASHES);
  }

  #readRun(start: number): void {
    if (start >= this.#runStart && start < this.#runEnd) return;
    let end = start + 1;
    while (this.#text.charCodeAt(end) === BACKSLASH) end += 1;
    this.#runStart = start;
    this.#runEnd = end;
    this.#formEnd = this.#endOfEscape(end);
  }

  /** Behind its backslashes. */
  #endOfEscape(start: number): number {
    switch (this.#text.charCodeAt(start)) {
      case LOW_LINE:
        return this.#isUrl ? -1 : start + 1;
      case LETTER_U:
      case LETTER_X:
      case UPPER_U:
      case DIGIT_0:
      case DIGIT_1: {
        // In a row of beginnings, to set out the pattern at each costs ten times a look.
        const next = this.#text.charCodeAt(start + 1);
        return next === OPENING_BRACE || valueOfDigit(next) !== NO_DIGIT ? endOfMatch(ESCAPE, this.#text, start) : -1;
      }
      default:
        return -1;
    }
  }
}

/** Of `&lt` and `&gt`, which pages about programs are full of; -1 for every other form. */
function codeOfAngle(text: string, start: number): number {
  if ((text.charCodeAt(start + 2) | LOWER_CASE) !== LETTER_T) return -1;
  const letter = text.charCodeAt(start + 1) | LOWER_CASE;
  return letter === LETTER_L ? OPENING_ANGLE : letter === LETTER_G ? CLOSING_ANGLE : -1;
}

/** Of `%3C`, a byte of ASCII as URLs write it; -1 where it is none. */
function codeOfByte(text: string, start: number): number {
  const [high, low] = [valueOfDigit(text.charCodeAt(start + 1)), valueOfDigit(text.charCodeAt(start + 2))];
  return high <= 7 && low !== NO_DIGIT ? 16 * high + low : -1;
}

/** `%26`, behind which a name may stand. */
function isEscapedAmpersand(text: string, start: number): boolean {
  return text.charCodeAt(start + 1) === DIGIT_2 && text.charCodeAt(start + 2) === DIGIT_6;
}

/** Behind `&lt`, with its semicolon or without; -1 where it may be the beginning of another name, as in `&ltdot;`. */
function endOfAngle(text: string, nameEnd: number): number {
  if (text.charCodeAt(nameEnd) === SEMICOLON) return nameEnd + 1;
  let end = nameEnd;
  while (end < nameEnd + LONGEST_NAME && isLetterOrDigit(text.charCodeAt(end))) end += 1;
  return text.charCodeAt(end) === SEMICOLON ? -1 : nameEnd;
}

function isLetterOrDigit(unit: number): boolean {
  const letter = unit | LOWER_CASE;
  return (letter >= LETTER_A && letter <= LETTER_Z) || (unit >= DIGIT_0 && unit <= DIGIT_9);
}

/** A letter of ASCII, or the `#` of a number. */
function mayBeginName(unit: number): boolean {
  const letter = unit | LOWER_CASE;
  return unit === NUMBER_SIGN || (letter >= LETTER_A && letter <= LETTER_Z);
}

function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const ENCODED_AMPERSAND = '&amp;';
const HEX = '[0-9a-fA-F]';
/** Letters and digits of the longest name of an entity. */
const LONGEST_NAME = 32;

/** What browsers take without its semicolon, of what a pattern can consist of. */
const UNENDED = '(?:[lL][tT]|[gG][tT]|[qQ][uU][oO][tT]|shy|nbsp)';

/** Of an ampersand that has been encoded again and again, `&amp;amp;lt;`, what stands behind its first unit. */
export const AMPERSANDS = '(?:(?:[aA][mM][pP]|#0{0,8}38|#[xX]0{0,8}26);?){0,8}';

/** An entity behind its `&`. */
const ENTITY = String.raw`${AMPERSANDS}(?:#[xX]0{0,8}${HEX}{1,6};?|#0{0,8}[0-9]{1,7};?|[a-zA-Z][a-zA-Z0-9]{1,31};|${UNENDED})`;

/**
 * What stands for one character, as regular expressions without groups; compiled once, for a document may hold a hundred thousand strings. Entities; bytes of URLs, which pages and logs show decoded;
 * `%26` as URLs write `&`. Every quantifier is bounded: the work is linear.
 */
const FORM_OF_URL = new RegExp(`&${ENTITY}`, 'y');
const FORM_OF_TEXT = new RegExp(`(?:&|%26)${ENTITY}|%[0-7]${HEX}`, 'y');

/**
 * Behind its backslashes: escapes of JSON, JavaScript, Python, C and shells; an entity whose `&` is written as one. `\\_` is one in texts,
 * as Markdown that was made from a page writes each `_` of it; every reader takes the backslash away.
 */
const ESCAPES = [
  `(?:u0026|x26)${ENTITY}`,
  String.raw`u(?:[dD][89abAB]${HEX}{2}\\{1,16}u[dD][c-fC-F]${HEX}{2}|${HEX}{4}|\{0{0,8}${HEX}{1,6}\})`,
  String.raw`x${HEX}{2}|U${HEX}{8}|[01][0-7]{2}`,
].join('|');

const ESCAPE = new RegExp(ESCAPES, 'y');

const BEFORE_NAME = new RegExp(String.raw`^(?:&|%26|\\{1,16}(?:u0026|x26))${AMPERSANDS}(?=[#a-zA-Z])`);

/** False for most escapes: an ampersand is written as `%26`, `\\x26` or `\\u0026`. */
function beginsEntity(form: string): boolean {
  return form.charCodeAt(0) === AMPERSAND || form.includes('26');
}

/**
 * The code unit that a form `\\uXXXX`, `\\xXX`, `\\_`, `%XX`, `&lt;`, `&gt` or `&amp;` stands for; -1 for every other form. JSON of some languages writes each letter so, and
 * a string and a look into a table for each of them cost ten times as much.
 */
export function codeOfForm(text: string, start: number, end: number): number {
  if (end === start + ENCODED_AMPERSAND.length && text.startsWith(ENCODED_AMPERSAND, start)) return AMPERSAND;
  if (text.charCodeAt(start) === AMPERSAND) return end === start + 3 || text.charCodeAt(start + 3) === SEMICOLON ? codeOfAngle(text, start) : -1;
  if (text.charCodeAt(start) === PERCENT) return end === start + 3 ? codeOfByte(text, start) : -1;
  let at = start;
  while (text.charCodeAt(at) === BACKSLASH) at += 1;
  const letter = text.charCodeAt(at);
  if (letter === LOW_LINE && at > start && end === at + 1) return LOW_LINE;
  const digits = end - at - 1;
  if (at === start || !((letter === LETTER_U && digits === 4) || (letter === LETTER_X && digits === 2))) return -1;
  let code = 0;
  for (at += 1; at < end; at += 1) {
    const digit = valueOfDigit(text.charCodeAt(at));
    if (digit > 15) return -1;
    code = code * 16 + digit;
  }
  return code;
}

const NO_DIGIT = 99;

/** Of a hexadecimal digit; 99 where it is none. */
export function valueOfDigit(unit: number): number {
  if (unit >= DIGIT_0 && unit <= DIGIT_9) return unit - DIGIT_0;
  const letter = unit | LOWER_CASE;
  return letter >= LETTER_A && letter <= LETTER_F ? letter - LETTER_A + 10 : NO_DIGIT;
}

/** What one form stands for; the form itself when it is none after all. */
export function decodeForm(form: string): string {
  const name = beginsEntity(form) ? form.replace(BEFORE_NAME, '') : form;
  if (name !== form) return decodeEntity(name) ?? form;
  if (form.startsWith('%')) return fromCode(form.slice(1), 16);
  if (form.endsWith('_')) return '_';
  const behind = form.lastIndexOf('\\') + 1;
  const digits = form.slice(behind + 1).replace(/[{}]/g, '');
  switch (form.charAt(behind)) {
    case 'u':
      return decodeUnicode(form, behind, digits);
    case 'x':
    case 'U':
      return fromCode(digits, 16);
    default:
      return fromCode(form.slice(behind), 8);
  }
}

/** The second half of a pair stands behind the last backslash, the first before it. */
function decodeUnicode(form: string, behind: number, digits: string): string {
  const first = form.indexOf('u') + 1;
  return first > behind ? fromCode(digits, 16) : fromCode(form.slice(first, first + 4), 16) + fromCode(digits, 16);
}

/** Of the entities that texts are full of. */
const COMMON: ReadonlyMap<string, string> = new Map([['lt;', '<'], ['gt;', '>'], ['amp;', '&'], ['quot;', '"'], ['shy;', '\u00ad'], ['nbsp;', '\u00a0']]);

function decodeEntity(name: string): string | undefined {
  const [, hexadecimal, digits] = (name.startsWith('#') ? /^#(x?)([0-9a-f]+);?$/i.exec(name) : null) ?? [];
  if (digits !== undefined) return fromCode(digits, hexadecimal === '' ? 10 : 16);
  const ended = name.endsWith(';') ? name : `${name};`;
  // Who looks for a tag reads `&Lt;` as `&lt;`, whatever else it may stand for.
  const common = COMMON.get(ended.toLowerCase());
  if (common !== undefined) return common;
  const spellings = [ended.toLowerCase(), ended].map((spelling) => `&${spelling}`);
  const known = spellings.find((spelling) => decodeHTML(spelling) !== spelling);
  return known === undefined ? undefined : decodeHTML(known);
}

function fromCode(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
}
