import { kindOfUnit, C0, C1, HIDDEN } from '../../protocol/unit-kinds.ts';
import type { WrittenOut } from '../../protocol/hidden-characters.ts';
import { AMPERSANDS, decodeForm, valueOfDigit } from '../pipeline/encoded-forms.ts';
import { tableOf } from '../pipeline/unit-table.ts';
import { NOWHERE } from '../pipeline/number-stack.ts';
import { remember } from '../pipeline/folded-view.ts';

/**
 * Entities of which browsers show nothing: by number, or one of the names of HTML for such a character, with its semicolon, as
 * nearly all write it. `&` itself may have been encoded again and again.
 */
const NAMES = 'shy|zwn?j|[lr][rl]m|ZeroWidthSpace|Negative(?:VeryThin|Thin|Medium|Thick)Space|NoBreak|af|ApplyFunction|it|InvisibleTimes|ic|InvisibleComma';
const FIRST_UNITS = '#aAszlrZNiI';
const ENTITY = `&${AMPERSANDS}(?:#[xX]0{0,8}([0-9a-fA-F]{2,6});?|#0{0,8}([0-9]{3,7});?|(${NAMES});)`;
const BEGINNING = new RegExp(`&[${FIRST_UNITS}]`, 'g');
const HIDDEN_ENTITY = new RegExp(ENTITY, 'y');

const [AMPERSAND, NUMBER_SIGN, SEMICOLON, DIGIT_0, DIGIT_9] = [0x26, 0x23, 0x3b, 0x30, 0x39];
const [LOWER_CASE, LETTER_A, LETTER_X, LETTER_Z] = [0x20, 0x61, 0x78, 0x7a];
const LOWEST_PAIR = 0x10000;
const PRIVATE = 0xe000;
/** Of a number that is read without the pattern. */
const [MOST_ZEROS, MOST_DIGITS] = [8, 6];
/** A space, which hides nothing. */
const NO_ENTITY: WrittenOut = { end: 0, code: 0x20 };
/** Units of the longest entity. */
const LONGEST = 128;

/** Reads the entities of one text that stand for a character which is not seen. Undefined: the text has none. */
export function hiddenEntityReader(text: string): ((at: number) => WrittenOut | undefined) | undefined {
  if (!mayHoldEntity(text)) return undefined;
  const decode = remember(decodeForm);
  return (at) => readEntity(text, at, decode);
}

function mayHoldEntity(text: string): boolean {
  BEGINNING.lastIndex = 0;
  while (BEGINNING.test(text)) {
    HIDDEN_ENTITY.lastIndex = BEGINNING.lastIndex - 2;
    if (HIDDEN_ENTITY.test(text)) return true;
  }
  return false;
}

/** Nearly all that stand in pages. */
const SHY = '&shy;';
const SOFT_HYPHEN = 0xad;

function readEntity(text: string, at: number, decode: (entity: string) => string): WrittenOut | undefined {
  if (text.startsWith(SHY, at)) return isNamed(text, at, at + SHY.length) ? undefined : { end: at + SHY.length, code: SOFT_HYPHEN };
  const found = text.charCodeAt(at + 1) === NUMBER_SIGN ? readNumber(text, at) : undefined;
  const { end, code } = found ?? readAny(text, at, decode);
  return !isHiddenCode(code) || (code < PRIVATE && isNamed(text, at, end)) ? undefined : { end, code };
}

/** By the first unit behind its ampersand: a number, an ampersand again, or one of the names. A pattern costs ten times a look. */
function mayBeHidden(unit: number): boolean {
  return IS_FIRST[unit] === 1;
}

const IS_FIRST = tableOf(FIRST_UNITS);

function readAny(text: string, at: number, decode: (entity: string) => string): WrittenOut {
  if (!mayBeHidden(text.charCodeAt(at + 1))) return NO_ENTITY;
  HIDDEN_ENTITY.lastIndex = at;
  const [entity, hexadecimal, decimal] = HIDDEN_ENTITY.exec(text) ?? [];
  if (entity === undefined) return NO_ENTITY;
  const code = hexadecimal !== undefined ? Number.parseInt(hexadecimal, 16) : decimal !== undefined ? Number(decimal) : (decode(entity).codePointAt(0) ?? 0);
  return { end: at + entity.length, code };
}

/**
 * An entity by number without the pattern, which makes an object for each of a million. Undefined where the pattern may read it in
 * another way: it is too long, or it is an ampersand itself.
 */
function readNumber(text: string, at: number): WrittenOut | undefined {
  const isHexadecimal = (text.charCodeAt(at + 2) | LOWER_CASE) === LETTER_X;
  const first = at + (isHexadecimal ? 3 : 2);
  let start = first;
  while (text.charCodeAt(start) === DIGIT_0) start += 1;
  const base = isHexadecimal ? 16 : 10;
  let [end, code] = [start, 0];
  for (let digit = valueOfDigit(text.charCodeAt(end)); digit < base && end - start < MOST_DIGITS; digit = valueOfDigit(text.charCodeAt(end))) {
    code = code * base + digit;
    end += 1;
  }
  if (start - first > MOST_ZEROS || end - start >= MOST_DIGITS || code === AMPERSAND) return undefined;
  if (end - first < (isHexadecimal ? 2 : 3)) return NO_ENTITY;
  return { end: text.charCodeAt(end) === SEMICOLON ? end + 1 : end, code };
}

/**
 * Tells when a deletion would put an entity together: of `&#82\u200b03;` it makes `&#8203;`, which a second run would take out.
 * Asked for one deletion after another, from left to right.
 */
export class EntityGuard {
  readonly #text: string;
  /** What was kept from the last ampersand on. Empty: an entity that goes on here has none. */
  #tail = '';
  /** Up to here it is decided what is kept; the first ampersand from here on. */
  #decided = 0;
  #ampersand = -1;
  readonly #decode = remember(decodeForm);

  constructor(text: string) {
    this.#text = text;
  }

  /** True: something has to stand in the place of what is taken out. */
  joins(start: number, end: number): boolean {
    this.#keepUpTo(start);
    this.#decided = end;
    if (this.#tail === '' || !isOfEntity(this.#text.charCodeAt(end))) return false;
    const made = readEntity(this.#tail + this.#text.slice(end, end + LONGEST), 0, this.#decode);
    if (made === undefined || made.end <= this.#tail.length) return false;
    this.#tail = '';
    return true;
  }

  #keepUpTo(end: number): void {
    const start = this.#decided;
    if (this.#ampersand < start) this.#ampersand = indexOrEnd(this.#text, start);
    const isBegun = this.#ampersand < end;
    if (!isBegun && (this.#tail === '' || end === start)) return;
    while (this.#ampersand < end) {
      const next = indexOrEnd(this.#text, this.#ampersand + 1);
      if (next >= end) this.#tail = this.#text.slice(this.#ampersand, Math.min(end, this.#ampersand + LONGEST + 1));
      this.#ampersand = next;
    }
    if (!isBegun) this.#tail += this.#text.slice(start, Math.min(end, start + LONGEST + 1));
    if (this.#tail.length > LONGEST || !isOfEntity(this.#tail.charCodeAt(this.#tail.length - 1))) this.#tail = '';
  }
}

function indexOrEnd(text: string, from: number): number {
  const at = text.indexOf('&', from);
  return at < 0 ? NOWHERE : at;
}

/** A letter, a digit, `#`, `;` or `&`: what entities consist of. False behind the end of the text. */
function isOfEntity(unit: number): boolean {
  const letter = unit | LOWER_CASE;
  return (letter >= LETTER_A && letter <= LETTER_Z) || (unit >= DIGIT_0 && unit <= DIGIT_9) || unit === AMPERSAND || unit === NUMBER_SIGN || unit === SEMICOLON;
}

/** Between two quotes, or two tags, it parts no word: who writes about it, or fills a cell of a table. */
function isNamed(text: string, start: number, end: number): boolean {
  const [before, behind] = [text.charAt(start - 1), text.charAt(end)];
  return (before === behind && /^["'`]$/.test(before)) || (before === '>' && behind === '<');
}

/** Whether it is one is asked again: of pairs all are let pass here. Controls are for terminals, which read no entities. */
function isHiddenCode(code: number): boolean {
  if (code >= LOWEST_PAIR) return code <= 0x10_ff_ff;
  const kinds = kindOfUnit(code);
  return (kinds & HIDDEN) !== 0 && (kinds & (C0 | C1)) === 0;
}
