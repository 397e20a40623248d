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
const AMPERSAND = 0x26;
const [NUMBER_SIGN, LOWER_CASE, DIGIT_0, DIGIT_9] = [0x23, 0x20, 0x30, 0x39];
const [LETTER_A, LETTER_F, LETTER_U, LETTER_X, LETTER_Z] = [0x61, 0x66, 0x75, 0x78, 0x7a];

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
    if (first === AMPERSAND && !mayBeginName(this.#text.charCodeAt(start + 1))) return -1;
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
    this.#formEnd = endOfMatch(this.#isUrl ? ESCAPE_OF_URL : ESCAPE_OF_TEXT, this.#text, end);
  }
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

const HEX = '[0-9a-fA-F]';

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

/** Behind its backslashes: escapes of JSON, JavaScript, Python, C and shells; an entity whose `&` is written as one. */
const ESCAPES = [
  `(?:u0026|x26)${ENTITY}`,
  String.raw`u(?:[dD][89abAB]${HEX}{2}\\{1,16}u[dD][c-fC-F]${HEX}{2}|${HEX}{4}|\{0{0,8}${HEX}{1,6}\})`,
  String.raw`x${HEX}{2}|U${HEX}{8}|[01][0-7]{2}`,
].join('|');

const ESCAPE_OF_URL = new RegExp(ESCAPES, 'y');
/** `\_` as Markdown that was made from a page writes each `_` of it; every reader takes the backslash away. */
const ESCAPE_OF_TEXT = new RegExp(`${ESCAPES}|_`, 'y');

const BEFORE_NAME = new RegExp(String.raw`^(?:&|%26|\\{1,16}(?:u0026|x26))${AMPERSANDS}(?=[#a-zA-Z])`);

/** False for most escapes: an ampersand is written as `%26`, `\\x26` or `\\u0026`. */
function beginsEntity(form: string): boolean {
  return form.charCodeAt(0) === AMPERSAND || form.includes('26');
}

/**
 * The code unit that a form `\\uXXXX` or `\\xXX` stands for; -1 for every other form. JSON of some languages writes each letter so, and
 * a string and a look into a table for each of them cost ten times as much.
 */
export function codeOfForm(text: string, start: number, end: number): number {
  let at = start;
  while (text.charCodeAt(at) === BACKSLASH) at += 1;
  const letter = text.charCodeAt(at);
  const digits = end - at - 1;
  if (at === start || !((letter === LETTER_U && digits === 4) || (letter === LETTER_X && digits === 2))) return -1;
  let code = 0;
  for (at += 1; at < end; at += 1) {
    const digit = valueOfHexDigit(text.charCodeAt(at));
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

function valueOfHexDigit(unit: number): number {
  if (unit >= DIGIT_0 && unit <= DIGIT_9) return unit - DIGIT_0;
  const letter = unit | LOWER_CASE;
  return letter >= LETTER_A && letter <= LETTER_F ? letter - LETTER_A + 10 : -1;
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
const COMMON: ReadonlyMap<string, string> = new Map([['lt;', '<'], ['gt;', '>'], ['amp;', '&'], ['quot;', '"']]);

function decodeEntity(name: string): string | undefined {
  const [, hexadecimal, digits] = /^#(x?)([0-9a-f]+);?$/i.exec(name) ?? [];
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
