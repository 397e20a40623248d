import { codeOfForm, decodeForm } from '../pipeline/encoded-forms.ts';
import { hiddenEntityReader } from '../terminal/hidden-entities.ts';
import { findHiddenCharacter, isGap } from '../../protocol/hidden-characters.ts';
import { NOWHERE } from '../pipeline/number-stack.ts';
import { HIDDEN, HIDDEN_UNITS, kindOfUnit, kindsOf, toClass } from '../../protocol/unit-kinds.ts';

const HEX = '[0-9A-Fa-f]';
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
/** In front of one character that is written out, as it is quoted again and again. */
const MOST_BACKSLASHES = 16;

/** What stands behind the backslashes: `\u200b`, `\u{200b}`, `\x1b`, `\033`, `\b`. */
const FORMS = String.raw`u(?:[dD][89abAB]${HEX}{2}\\{1,16}u[dD][c-fC-F]${HEX}{2}|${HEX}{4}|\{0{0,8}${HEX}{1,6}\})|x${HEX}{2}|U${HEX}{8}|[01][0-7]{2}|b`;
const FORM = new RegExp(FORMS, 'y');
const FIRST_UNITS: ReadonlySet<number> = new Set(Array.from('uxU01b', (unit) => unit.charCodeAt(0)));
const ANY_FORM = new RegExp(String.raw`\\(?:${FORMS})`);

/** Units that are looked at one by one before a search is set out. */
const NEAR = 8;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
/** A hidden character that may stand between two of ASCII, and what an entity of one begins with. */
const HIDDEN_OR_ENTITY = new RegExp(`[${toClass(HIDDEN_UNITS.filter(([first]) => first < FIRST_SURROGATE || first > LAST_SURROGATE))}]|&`, 'g');

function endOfRow(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isHiddenUnit(text.charCodeAt(end))) end += 1;
  return end;
}

function isHiddenUnit(unit: number): boolean {
  return (unit < FIRST_SURROGATE || unit > LAST_SURROGATE) && (kindOfUnit(unit) & HIDDEN) !== 0;
}

/** True when the text holds a hidden character as it is, or an entity of one: it was kept, since people write it where it stands. */
export function holdsHidden(text: string, kinds?: number): boolean {
  if (text.includes('&') && hiddenEntityReader(text) !== undefined) return true;
  if (kinds !== undefined) return (kinds & HIDDEN) !== 0;
  return text.includes('\u00ad') || (/[^\u0000-\u00ff]/.test(text) && (kindsOf(text) & HIDDEN) !== 0);
}

/** True when the text holds what may be a character that is written out. */
export function holdsWritten(text: string): boolean {
  return text.includes('\\') && ANY_FORM.test(text);
}

/** `written`: escapes as `\\u200b`. `hidden`: characters as they are, and their entities. */
export type Sought = 'written' | 'hidden' | 'both';

/**
 * Goes from one character that is written out to the next, and to hidden ones as they are: a soft hyphen that is kept in a word, and
 * stands in a token, parts what a reader puts together. A million matches with their groups
 * would weigh more than the text.
 */
export class WrittenForms {
  readonly #text: string;
  /** The next of each kind, from its first unit to before its last. `start` is `NOWHERE` when there is none. */
  readonly #written = { start: -1, end: 0 };
  readonly #hidden = { start: -1, end: 0 };
  readonly #readEntity: ReturnType<typeof hiddenEntityReader>;
  /** The form at hand, with its backslashes. */
  start = 0;
  end = 0;
  /** Units that were looked at one by one, of all forms, and of backslashes that begin none. */
  looked = 0;

  constructor(text: string, sought: Sought = 'written') {
    this.#text = text;
    if (sought === 'hidden') this.#written.start = NOWHERE;
    if (sought === 'written') this.#hidden.start = NOWHERE;
    this.#readEntity = sought !== 'written' && text.includes('&') ? hiddenEntityReader(text) : undefined;
  }

  next(): boolean {
    if (this.#written.start < this.end || this.#written.start < 0) this.#findWritten();
    if (this.#hidden.start < this.end || this.#hidden.start < 0) this.#findHidden();
    const nearest = this.#hidden.start < this.#written.start ? this.#hidden : this.#written;
    if (nearest.start === NOWHERE) return false;
    this.start = nearest.start;
    this.end = nearest.end;
    return true;
  }

  #findHidden(): void {
    const text = this.#text;
    let from = this.#hidden.end;
    this.#hidden.start = NOWHERE;
    for (let start = this.#nextHidden(from); start >= 0; start = this.#nextHidden(from)) {
      const behind = endOfRow(text, start);
      const end = text.charCodeAt(start) === AMPERSAND ? this.#readEntity?.(start)?.end : behind;
      from = end ?? behind;
      this.looked += from - start + 1;
      if (end === undefined) continue;
      this.#hidden.start = start;
      this.#hidden.end = end;
      return;
    }
  }

  #nextHidden(from: number): number {
    const text = this.#text;
    // A few units are looked at one by one: to set out a search costs as much.
    const near = Math.min(text.length, from + NEAR);
    for (let at = from; at < near; at += 1) {
      const unit = text.charCodeAt(at);
      if (isHiddenUnit(unit) || unit === AMPERSAND) return at;
    }
    HIDDEN_OR_ENTITY.lastIndex = near;
    // `test` makes no object, and a hostile text holds a million.
    return HIDDEN_OR_ENTITY.test(text) ? HIDDEN_OR_ENTITY.lastIndex - 1 : -1;
  }

  #findWritten(): void {
    const text = this.#text;
    this.#written.start = NOWHERE;
    for (let first = text.indexOf('\\', this.#written.end); first !== -1; first = text.indexOf('\\', this.#written.end)) {
      let behind = first + 1;
      while (text.charCodeAt(behind) === BACKSLASH) behind += 1;
      FORM.lastIndex = behind;
      const isForm = FIRST_UNITS.has(text.charCodeAt(behind)) && FORM.test(text);
      this.#written.end = isForm ? FORM.lastIndex : behind;
      this.looked += this.#written.end - first + 1;
      if (!isForm) continue;
      this.#written.start = Math.max(first, behind - MOST_BACKSLASHES);
      return;
    }
  }
}

/** Different forms whose meaning is kept: honest texts have few. */
const MOST_KNOWN = 4_096;
const BACKSPACE = '\b';
/** Of a control sequence, more may go than what begins it. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** What is to stand in the place of a form. */
export type Meaning = string | undefined;

/** What forms stand for, when that is hidden and taken out of texts: '' where it alone goes. Undefined: it can be seen. */
export class Meanings {
  /** Made with the first form: most texts have none. */
  #known: Map<string, Meaning> | undefined;

  /** Of what stands in a text from one place to before another. */
  at(text: string, start: number, end: number): Meaning {
    // Hidden characters as they are, and as entities: kept, but seen by nobody.
    if (text.charCodeAt(start) !== BACKSLASH) return '';
    const code = codeOfForm(text, start, end);
    return code < 0 ? this.of(text.slice(start, end)) : meaningOfCode(code);
  }

  of(form: string): Meaning {
    const known = (this.#known ??= new Map<string, Meaning>());
    const before = known.get(form);
    if (before !== undefined || known.has(form)) return before;
    const meaning = toMeaning(form);
    if (known.size < MOST_KNOWN) known.set(form, meaning);
    return meaning;
  }
}

/** Of each code unit: whether it was met, and then what it means. */
const [UNMET, SEEN, UNSEEN, CONTROLLING] = [0, 1, 2, 3];
const KINDS = new Uint8Array(0x1_00_00);

function meaningOfCode(code: number): Meaning {
  if (KINDS[code] === UNMET) {
    const meaning = meaningOf(String.fromCharCode(code));
    KINDS[code] = meaning === undefined ? SEEN : meaning === '' ? UNSEEN : CONTROLLING;
  }
  if (KINDS[code] === SEEN) return undefined;
  return KINDS[code] === UNSEEN ? '' : String.fromCharCode(code);
}

function toMeaning(form: string): Meaning {
  return form.charCodeAt(0) === BACKSLASH ? meaningOf(/^\\+b$/.test(form) ? BACKSPACE : decodeForm(form)) : '';
}

function meaningOf(character: string): Meaning {
  if (findHiddenCharacter(character) === undefined) return undefined;
  return CONTROL.test(character) || isGap(character.codePointAt(0) ?? 0) ? character : '';
}
