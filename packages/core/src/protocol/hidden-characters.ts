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
const MOST_JUDGED = 1_000;

/** Goes from one hidden character to the next, of those that nobody writes where they stand. */
export class HiddenCharacterScan {
  readonly #text: string;
  readonly #suspects: RegExp;
  /** Of the text, up to here all is decided, and these two were the last that stay. */
  #decided = 0;
  #last = '';
  #beforeLast = '';
  readonly #judged = new Map<string, boolean>();
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
      const flagUnits = flagTagsAt(this.#text, start, this.#last);
      if (flagUnits > 0) {
        this.#keep(start + flagUnits);
        continue;
      }
      this.#decided = end;
      if (isGap(code)) [this.#beforeLast, this.#last] = [this.#last, ' '];
      [this.start, this.end, this.code] = [start, end, code];
      return true;
    }
    return false;
  }

  /** People write the same few joiners and selectors at the same few places: each is judged once. */
  #isWritten(code: number, end: number): boolean {
    const place = this.#place(end);
    const key = `${String(code)} ${place.beforeLast} ${place.last} ${place.next}`;
    const before = this.#judged.get(key);
    if (before !== undefined) return before;
    const judged = isWritten(code, place);
    if (this.#judged.size < MOST_JUDGED) this.#judged.set(key, judged);
    return judged;
  }

  #nextSuspect(): number {
    this.#suspects.lastIndex = this.#decided;
    return this.#suspects.test(this.#text) ? this.#suspects.lastIndex - 1 : -1;
  }

  /** A hidden character behind is no neighbour: it may go, and what seemed to stand beside it with it. */
  #place(end: number): Place {
    const code = this.#text.codePointAt(end);
    const next = code === undefined || isHidden(code) ? '' : String.fromCodePoint(code);
    return { beforeLast: this.#beforeLast, last: this.#last, next };
  }

  /** All up to `end` stays. */
  #keep(end: number): void {
    if (end === this.#decided) return;
    const last = this.#characterBefore(end);
    const beforeLast = this.#characterBefore(end - last.length);
    this.#beforeLast = beforeLast === '' ? this.#last : beforeLast;
    this.#last = last;
    this.#decided = end;
  }

  /** Empty where what stands before was decided earlier. */
  #characterBefore(end: number): string {
    if (end <= this.#decided) return '';
    const code = end - 2 >= this.#decided ? (this.#text.codePointAt(end - 2) ?? 0) : 0;
    return code > 0xffff ? String.fromCodePoint(code) : this.#text.charAt(end - 1);
  }
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
