import { decodeForm } from '../encoded-forms.ts';
import { findHiddenCharacter, isGap } from '../../protocol/hidden-characters.ts';

const HEX = '[0-9A-Fa-f]';
const BACKSLASH = 0x5c;
/** In front of one character that is written out, as it is quoted again and again. */
const MOST_BACKSLASHES = 16;

/** What stands behind the backslashes: `\u200b`, `\u{200b}`, `\x1b`, `\033`, `\b`. */
const FORM = String.raw`u(?:[dD][89abAB]${HEX}{2}\\{1,16}u[dD][c-fC-F]${HEX}{2}|${HEX}{4}|\{0{0,8}${HEX}{1,6}\})|x${HEX}{2}|U${HEX}{8}|[01][0-7]{2}|b`;

/** Goes from one character that is written out to the next. A million matches with their groups would weigh more than the text. */
export class WrittenForms {
  readonly #text: string;
  readonly #form = new RegExp(FORM, 'y');
  /** The form at hand, with its backslashes. */
  start = 0;
  end = 0;
  /** Units that were looked at one by one, of all forms, and of backslashes that begin none. */
  looked = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): boolean {
    const text = this.#text;
    for (let first = text.indexOf('\\', this.end); first !== -1; first = text.indexOf('\\', this.end)) {
      let behind = first + 1;
      while (text.charCodeAt(behind) === BACKSLASH) behind += 1;
      this.#form.lastIndex = behind;
      const isForm = this.#form.test(text);
      this.end = isForm ? this.#form.lastIndex : behind;
      this.looked += this.end - first + 1;
      if (!isForm) continue;
      this.start = Math.max(first, behind - MOST_BACKSLASHES);
      return true;
    }
    return false;
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
  readonly #known = new Map<string, Meaning>();

  of(form: string): Meaning {
    const known = this.#known.get(form);
    if (known !== undefined || this.#known.has(form)) return known;
    const meaning = toMeaning(form);
    if (this.#known.size < MOST_KNOWN) this.#known.set(form, meaning);
    return meaning;
  }
}

function toMeaning(form: string): Meaning {
  const character = /^\\+b$/.test(form) ? BACKSPACE : decodeForm(form);
  if (findHiddenCharacter(character) === undefined) return undefined;
  return CONTROL.test(character) || isGap(character.codePointAt(0) ?? 0) ? character : '';
}
