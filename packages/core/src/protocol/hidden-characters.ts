import { C0, C1, HIDDEN as HIDDEN_KIND, HIDDEN_UNITS, kindOfUnit, toClass, type UnitRanges } from './unit-kinds.ts';
import { findBalancedIsolates } from './isolates.ts';
import { flagTagsAt, isWritten, mayBeWritten, type Place, type WrittenIn } from './written-invisibles.ts';

/** No hidden character but controls is without one of these. By code units, without `u`: several times quicker. */
const HIDDEN_UNIT = new RegExp(`[${toClass(HIDDEN_UNITS)}]`, 'g');

/** The same, and what an entity begins with. */
const HIDDEN_OR_ENTITY = new RegExp(`${HIDDEN_UNIT.source}|&`, 'g');

/** The same with controls and all surrogates, for text of which nothing is known. */
const SUSPECT_UNIT = new RegExp(`${HIDDEN_UNIT.source}|[\\0-\\x1f\\x7f-\\x9f\\ud800-\\udfff]`, 'g');

/** The first hidden character as `U+202E`, or undefined when all of the text can be seen. Linear. */
export function findHiddenCharacter(text: string): string | undefined {
  const scan = new HiddenCharacterScan(text, { isRaw: true, where: 'definition' });
  return scan.next() ? nameOf(scan.code) : undefined;
}

/** Judgements that are kept, a power of two. A later one takes the place of an earlier one. */
const JUDGEMENTS = 4_096;
/** Of a judgement: the character, the two before it, the one behind it, where it stands, and whether people write it there. */
const NUMBERS = 6;
/** For all texts: the same few characters stand at the same few places in most of them. */
const JUDGED = new Int32Array(JUDGEMENTS * NUMBERS);

/** No character: the start of the text, or a hidden character, which is no neighbour. */
const NONE = -1;
const SPACE = 0x20;
const BLACK_FLAG = 0x1f3f4;
/** Behind it, a joiner is judged by what stands before the two. */
const EMOJI_STYLE = 0xfe0f;
/** Judged by the two characters before it. */
const SOFT_HYPHEN = 0xad;
const LINE_FEED = 0x0a;
const BRAILLE_BLANK = 0x2800;
const AMPERSAND = 0x26;
const [FIRST_SURROGATE, LAST_SURROGATE] = [0xd800, 0xdfff];
/** Units that are looked at one by one before a search is set out. */
const NEAR = 8;

/** A hidden character that is written out, as `&#8203;`. */
export interface WrittenOut {
  readonly end: number;
  readonly code: number;
}

export interface ScanSettings {
  /** True for text that may hold controls and half characters. */
  readonly isRaw?: boolean;
  readonly where?: WrittenIn;
  /** What is written out at an ampersand, if it is a hidden character. Absent: what is written out can be seen. */
  readonly readEntity?: ((at: number) => WrittenOut | undefined) | undefined;
}

/** Goes from one hidden character to the next, of those that nobody writes where they stand. */
export class HiddenCharacterScan {
  readonly #text: string;
  /** Finds every unit that a hidden character may begin with. */
  readonly #suspects: RegExp;
  readonly #isRaw: boolean;
  readonly #where: WrittenIn;
  readonly #readEntity: ScanSettings['readEntity'];
  /** Made with the first isolate. */
  #isolates: Uint8Array | undefined;
  /** Of the text, up to here all is decided, and these two code points were the last that stay. */
  #decided = 0;
  #last = NONE;
  #beforeLast = NONE;
  /** Where the character at hand stands, from its first unit to before its last, and its code point. */
  start = 0;
  end = 0;
  code = 0;

  constructor(text: string, { isRaw = false, where = 'text', readEntity }: ScanSettings = {}) {
    this.#text = text;
    this.#suspects = isRaw ? SUSPECT_UNIT : readEntity === undefined ? HIDDEN_UNIT : HIDDEN_OR_ENTITY;
    this.#isRaw = isRaw;
    this.#where = where;
    this.#readEntity = readEntity;
  }

  /** False: no hidden character is left. What it stops at counts as taken out when the next is judged; a gap, as a space. */
  next(): boolean {
    for (let start = this.#nextSuspect(); start >= 0; start = this.#nextSuspect()) {
      this.#keep(start);
      const { code, end } = this.#read(start);
      if (!isHidden(code) || this.#isWritten(code, { start, end })) {
        this.#keep(end);
        continue;
      }
      const flagUnits = this.#last === BLACK_FLAG ? flagTagsAt(this.#text, start, toCharacter(this.#last)) : 0;
      if (flagUnits > 0) {
        this.#keep(start + flagUnits);
        continue;
      }
      this.#decided = end;
      if (isGap(code)) {
        this.#beforeLast = this.#last;
        // As the text will have it: what may stand behind a space need not stand at the beginning of a line.
        this.#last = code === BRAILLE_BLANK ? SPACE : LINE_FEED;
      }
      this.start = start;
      this.end = end;
      this.code = code;
      return true;
    }
    return false;
  }

  #read(start: number): WrittenOut {
    const code = this.#text.codePointAt(start) ?? 0;
    return (code === AMPERSAND ? this.#readEntity?.(start) : undefined) ?? { code, end: start + (code > 0xffff ? 2 : 1) };
  }

  #nextSuspect(): number {
    const text = this.#text;
    // A few units are looked at one by one: to set out a search costs as much.
    const near = Math.min(text.length, this.#decided + NEAR);
    for (let at = this.#decided; at < near; at += 1) if (this.#isSuspect(text.charCodeAt(at))) return at;
    if (near === text.length) return -1;
    this.#suspects.lastIndex = near;
    return this.#suspects.test(this.#text) ? this.#suspects.lastIndex - 1 : -1;
  }

  #isSuspect(unit: number): boolean {
    if (unit === AMPERSAND) return this.#readEntity !== undefined;
    const kinds = kindOfUnit(unit);
    if ((kinds & HIDDEN_KIND) !== 0) return true;
    return this.#isRaw && ((kinds & (C0 | C1)) !== 0 || (unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE));
  }

  /** People write the same few joiners and selectors at the same few places: each is judged once. */
  #isWritten(code: number, { start, end }: { readonly start: number; readonly end: number }): boolean {
    if (!mayBeWritten(code)) return false;
    if (code >= 0x2066 && code <= 0x2069) return this.#isBalanced(start);
    // In a row of them none parts a word.
    if (code === SOFT_HYPHEN && start === this.end) return false;
    const next = this.#characterBehind(end);
    return this.#judge(code, this.#last === EMOJI_STYLE || code === SOFT_HYPHEN ? this.#beforeLast : NONE, next);
  }

  /** In a table of numbers: a text of emoji holds some hundred thousand, and a map costs more than all else. */
  #judge(code: number, beforeLast: number, next: number): boolean {
    const last = this.#last;
    const where = this.#where === 'text' ? 1 : 0;
    const hash = Math.imul(Math.imul(Math.imul(code, 31) ^ beforeLast, 17) ^ last, 131) ^ next ^ where;
    const at = ((hash ^ (hash >>> 12)) & (JUDGEMENTS - 1)) * NUMBERS;
    if (JUDGED[at] === code && JUDGED[at + 1] === beforeLast && JUDGED[at + 2] === last && JUDGED[at + 3] === next && JUDGED[at + 4] === where) {
      return JUDGED[at + 5] === 1;
    }
    const isKept = isWritten(code, this.#place(next), this.#where);
    JUDGED[at] = code;
    JUDGED[at + 1] = beforeLast;
    JUDGED[at + 2] = last;
    JUDGED[at + 3] = next;
    JUDGED[at + 4] = where;
    JUDGED[at + 5] = isKept ? 1 : 0;
    return isKept;
  }

  /** What is written out is in no pair. */
  #isBalanced(start: number): boolean {
    if (this.#where === 'definition') return false;
    this.#isolates ??= findBalancedIsolates(this.#text);
    return this.#isolates[start] === 1;
  }

  #place(next: number): Place {
    return { beforeLast: toCharacter(this.#beforeLast), last: toCharacter(this.#last), next: toCharacter(next) };
  }

  /** A hidden character behind is no neighbour: it may go, and what seemed to stand beside it with it. */
  #characterBehind(end: number): number {
    const code = this.#text.codePointAt(end) ?? LINE_FEED;
    const isEntity = code === AMPERSAND && this.#readEntity?.(end) !== undefined;
    return isEntity || isHidden(code) ? NONE : code;
  }

  /** All up to `end` stays. */
  #keep(end: number): void {
    if (end === this.#decided) return;
    const last = this.#characterBefore(end);
    const beforeLast = this.#characterBefore(end - (last > 0xffff ? 2 : 1));
    this.#beforeLast = beforeLast === NONE ? this.#last : beforeLast;
    this.#last = last;
    this.#decided = end;
  }

  /** None where what stands before was decided earlier. */
  #characterBefore(end: number): number {
    if (end <= this.#decided) return NONE;
    const code = end - 2 >= this.#decided ? (this.#text.codePointAt(end - 2) ?? 0) : 0;
    return code > 0xffff ? code : this.#text.charCodeAt(end - 1);
  }
}

function toCharacter(code: number): string {
  return code === NONE ? '' : String.fromCodePoint(code);
}

/**
 * Separators of lines and paragraphs, and the Braille blank: without them two words would become one, so that who takes
 * them out leaves white space. What stands behind one stands beside nothing.
 */
export function isGap(code: number): boolean {
  return code === 0x2028 || code === 0x2029 || code === BRAILLE_BLANK;
}

/**
 * Characters that a person does not see and a model reads all the same: with them, one text says one thing to whoever
 * approves it and another to whoever obeys it. Controls but tab, line feed and carriage return; formats (bidi, zero width,
 * tags) but those of Arabic, Syriac and Kaithi that can be seen; all that is ignored by default (fillers, variation
 * selectors); separators of lines and paragraphs; lone surrogates; private use; noncharacters; the Braille blank.
 *
 * In comparisons: a class of properties costs a hundred times as much, and a hostile text holds a million. A test holds them
 * against the properties of the engine for every code point.
 */
function isHidden(code: number): boolean {
  if (code <= 0xffff) return (code >= 0xd800 && code <= 0xdfff) || (kindOfUnit(code) & (C0 | C1 | HIDDEN_KIND)) !== 0;
  if (code >= 0xe0000) return code <= 0xe0fff || code >= 0xefffe;
  return (code & 0xfffe) === 0xfffe || HIDDEN_PAIRS.some(([first, last]) => code >= first && code <= last);
}

/** Formats of hieroglyphs, shorthand and music. */
const HIDDEN_PAIRS: UnitRanges = [[0x13430, 0x1343f], [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a]];

function nameOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
