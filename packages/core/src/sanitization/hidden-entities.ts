import { kindOfUnit, C0, C1, HIDDEN } from '../protocol/unit-kinds.ts';
import type { WrittenOut } from '../protocol/hidden-characters.ts';
import { AMPERSANDS, decodeForm } from './encoded-forms.ts';
import { remember } from './folded-view.ts';

/**
 * Entities of which browsers show nothing: by number, or one of the names of HTML for such a character, with its semicolon, as
 * nearly all write it. `&` itself may have been encoded again and again.
 */
const NAMES = 'shy|zwn?j|[lr][rl]m|ZeroWidthSpace|Negative(?:VeryThin|Thin|Medium|Thick)Space|NoBreak|af|ApplyFunction|it|InvisibleTimes|ic|InvisibleComma';
const ENTITY = `&${AMPERSANDS}(?:#[xX]0{0,8}([0-9a-fA-F]{2,6});?|#0{0,8}([0-9]{3,7});?|(${NAMES});)`;
const MAY_BE_HIDDEN = new RegExp(ENTITY);
const HIDDEN_ENTITY = new RegExp(ENTITY, 'y');

const LOWEST_PAIR = 0x10000;
const PRIVATE = 0xe000;
/** Units of the longest entity. */
const LONGEST = 128;

/** Reads the entities of one text that stand for a character which is not seen. Undefined: the text has none. */
export function hiddenEntityReader(text: string): ((at: number) => WrittenOut | undefined) | undefined {
  if (!MAY_BE_HIDDEN.test(text)) return undefined;
  const decode = remember(decodeForm);
  return (at) => readEntity(text, at, decode);
}

/** Nearly all that stand in pages. */
const SHY = '&shy;';
const SOFT_HYPHEN = 0xad;

function readEntity(text: string, at: number, decode: (entity: string) => string): WrittenOut | undefined {
  if (text.startsWith(SHY, at)) return isNamed(text, at, at + SHY.length) ? undefined : { end: at + SHY.length, code: SOFT_HYPHEN };
  HIDDEN_ENTITY.lastIndex = at;
  const [entity = '', hexadecimal, decimal] = HIDDEN_ENTITY.exec(text) ?? [];
  if (entity === '') return undefined;
  const code = hexadecimal !== undefined ? Number.parseInt(hexadecimal, 16) : decimal !== undefined ? Number(decimal) : (decode(entity).codePointAt(0) ?? 0);
  const end = at + entity.length;
  return !isHiddenCode(code) || (code < PRIVATE && isNamed(text, at, end)) ? undefined : { end, code };
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
  readonly #decode = remember(decodeForm);

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
    const made = readEntity(before + this.#text.slice(end, end + LONGEST), 0, this.#decode);
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

/** Whether it is one is asked again: of pairs all are let pass here. Controls are for terminals, which read no entities. */
function isHiddenCode(code: number): boolean {
  if (code >= LOWEST_PAIR) return code <= 0x10_ff_ff;
  const kinds = kindOfUnit(code);
  return (kinds & HIDDEN) !== 0 && (kinds & (C0 | C1)) === 0;
}
