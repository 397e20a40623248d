import { C0, C1, HIDDEN as HIDDEN_KIND, HIDDEN_UNITS, kindOfUnit, toClass } from './unit-kinds.ts';
import { flagTagsAt, isWritten, type Place } from './written-invisibles.ts';

/**
 * Characters that a person does not see and a model reads all the same: with them, one text says one
 * thing to whoever approves it and another to whoever obeys it. Controls but tab, line feed and
 * carriage return; formats (bidi, zero width, tags); all that is ignored by default (fillers,
 * variation selectors); separators of lines and paragraphs; lone surrogates; private use;
 * noncharacters; the Braille blank.
 */
const HIDDEN =
  /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]$/u;

/** Controls that every text has, and formats of Arabic, Syriac and Kaithi that can be seen. */
const SEEN = /^[\t\n\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u;

/** No hidden character but controls is without one of these. By code units, without `u`: several times quicker. */
const HIDDEN_UNIT = new RegExp(`[${toClass(HIDDEN_UNITS)}]`);

/** The same with controls and all surrogates, for text of which nothing is known. */
const SUSPECT_UNIT = new RegExp(`${HIDDEN_UNIT.source}|[\\0-\\x1f\\x7f-\\x9f\\ud800-\\udfff]`);

/** The first hidden character as `U+202E`, or undefined when all of the text can be seen. Linear. */
export function findHiddenCharacter(text: string): string | undefined {
  const scan = new HiddenCharacterScan(text, SUSPECT_UNIT);
  return scan.next() ? nameOf(scan.code) : undefined;
}

/** A hostile text has a million places, none like another. */
const MOST_JUDGED = 4_096;

/** No character: the edge of the text, or a hidden character, which is no neighbour. */
const NONE = -1;
const SPACE = 0x20;
const BLACK_FLAG = 0x1f3f4;
/** Behind it, a joiner is judged by what stands before the two. */
const EMOJI_STYLE = 0xfe0f;

/** Goes from one hidden character to the next, of those that nobody writes where they stand. */
export class HiddenCharacterScan {
  readonly #text: string;
  readonly #suspects: RegExp;
  /** Of the text, up to here all is decided, and these two code points were the last that stay. */
  #decided = 0;
  #last = NONE;
  #beforeLast = NONE;
  /** What was judged before, by the two neighbours, for each hidden character. */
  readonly #judged = new Map<number, Map<number, boolean>>();
  /** Where the character at hand stands, from its first unit to before its last, and its code point. */
  start = 0;
  end = 0;
  code = 0;

  /** `suspects` finds every unit that a hidden character may begin with. */
  constructor(text: string, suspects: RegExp = HIDDEN_UNIT) {
    this.#text = text;
    this.#suspects = new RegExp(suspects, 'g');
  }

  /** False: no hidden character is left. What it stops at counts as taken out when the next is judged; a gap, as a space. */
  next(): boolean {
    for (let start = this.#nextSuspect(); start >= 0; start = this.#nextSuspect()) {
      this.#keep(start);
      const code = this.#text.codePointAt(start) ?? 0;
      const end = start + (code > 0xffff ? 2 : 1);
      if (!isHidden(code) || this.#isWritten(code, end)) {
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
        this.#last = SPACE;
      }
      this.start = start;
      this.end = end;
      this.code = code;
      return true;
    }
    return false;
  }

  #nextSuspect(): number {
    this.#suspects.lastIndex = this.#decided;
    return this.#suspects.test(this.#text) ? this.#suspects.lastIndex - 1 : -1;
  }

  /** People write the same few joiners and selectors at the same few places: each is judged once. */
  #isWritten(code: number, end: number): boolean {
    const next = this.#characterBehind(end);
    if (this.#last === EMOJI_STYLE) return isWritten(code, this.#place(next));
    const places = this.#judged.get(code) ?? new Map<number, boolean>();
    const key = (this.#last + 1) * 0x20_00_00 + next + 1;
    const before = places.get(key);
    if (before !== undefined) return before;
    const judged = isWritten(code, this.#place(next));
    if (places.size < MOST_JUDGED) this.#judged.set(code, places.set(key, judged));
    return judged;
  }

  #place(next: number): Place {
    return { beforeLast: toCharacter(this.#beforeLast), last: toCharacter(this.#last), next: toCharacter(next) };
  }

  /** A hidden character behind is no neighbour: it may go, and what seemed to stand beside it with it. */
  #characterBehind(end: number): number {
    const code = this.#text.codePointAt(end);
    return code === undefined || isHidden(code) ? NONE : code;
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
  return code === 0x2028 || code === 0x2029 || code === 0x2800;
}

function isHidden(code: number): boolean {
  // A class of properties costs ten times a comparison. Most of what a text hides is in these; nearly all else is no suspect.
  if ((code >= 0xe0000 && code <= 0xe0fff) || (code >= 0xe000 && code <= 0xf8ff) || (code >= 0x200b && code <= 0x200f)) return true;
  if (code <= 0xffff && (code < 0xd800 || code > 0xdfff) && (kindOfUnit(code) & (C0 | C1 | HIDDEN_KIND)) === 0) return false;
  const character = String.fromCodePoint(code);
  return HIDDEN.test(character) && !SEEN.test(character);
}

function nameOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
