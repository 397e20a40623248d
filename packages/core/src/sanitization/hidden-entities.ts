import { kindOfUnit, C0, C1, HIDDEN } from '../protocol/unit-kinds.ts';
import type { WrittenOut } from '../protocol/hidden-characters.ts';
import { decodeForm, FormReader } from './encoded-forms.ts';

/** Entities that browsers show as nothing: by number, or one of the names of HTML for such a character. With its semicolon, as nearly all write it. */
const MAY_BE_HIDDEN = /&(?:[aA][mM][pP];|#|(?:shy|zwn?j|[lr]rm|[lr]lm|ZeroWidthSpace|Negative(?:VeryThin|Thin|Medium|Thick)Space|NoBreak|af|ApplyFunction|it|InvisibleTimes|ic|InvisibleComma);)/;
const HIDDEN_ENTITY = new RegExp(MAY_BE_HIDDEN, 'y');

const LOWEST_PAIR = 0x10000;
const PRIVATE = 0xe000;
/** Units of the longest entity. */
const LONGEST = 128;

/** Reads the entities of one text that stand for a character which is not seen. Undefined: the text has none. */
export function hiddenEntityReader(text: string): ((at: number) => WrittenOut | undefined) | undefined {
  if (!MAY_BE_HIDDEN.test(text)) return undefined;
  const forms = new FormReader(text);
  return (at) => {
    HIDDEN_ENTITY.lastIndex = at;
    if (!HIDDEN_ENTITY.test(text)) return undefined;
    const end = forms.endAt(at);
    if (end < 0) return undefined;
    const code = hiddenCodeOf(text.slice(at, end));
    return code === undefined || (code < PRIVATE && isNamed(text, at, end)) ? undefined : { end, code };
  };
}

/**
 * Tells when a deletion would put an entity together: of `&#82\u200b03;` it makes `&#8203;`, which a second run would take out.
 * Asked for one deletion after another, from left to right.
 */
export class EntityGuard {
  readonly #text: string;
  /** The end of what was kept so far, and up to where it is decided. */
  #tail = '';
  #decided = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** True: something has to stand in the place of what is taken out. */
  joins(start: number, end: number): boolean {
    const kept = this.#text.slice(Math.max(this.#decided, start - LONGEST), start);
    this.#tail = kept.length === LONGEST ? kept : (this.#tail + kept).slice(-LONGEST);
    this.#decided = end;
    const ampersand = this.#tail.lastIndexOf('&');
    if (ampersand < 0 || !/^[#\w;]/.test(this.#text.charAt(end))) return false;
    const before = this.#tail.slice(ampersand);
    const made = hiddenEntityReader(before + this.#text.slice(end, end + LONGEST))?.(0);
    if (made === undefined || made.end <= before.length) return false;
    this.#tail = '';
    return true;
  }
}

/** Between two quotes, or two tags, it parts no word: who writes about it, or fills a cell of a table. */
function isNamed(text: string, start: number, end: number): boolean {
  const [before, behind] = [text.charAt(start - 1), text.charAt(end)];
  return (before === behind && /^["'`]$/.test(before)) || (before === '>' && behind === '<');
}

function hiddenCodeOf(entity: string): number | undefined {
  const character = decodeForm(entity);
  const code = character.codePointAt(0) ?? 0;
  if (character.length !== (code < LOWEST_PAIR ? 1 : 2)) return undefined;
  if (code >= LOWEST_PAIR) return code;
  // Controls are for terminals, which read no entities.
  const kinds = kindOfUnit(code);
  return (kinds & HIDDEN) !== 0 && (kinds & (C0 | C1)) === 0 ? code : undefined;
}
