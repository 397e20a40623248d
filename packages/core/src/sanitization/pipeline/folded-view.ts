import { Buffer } from 'node:buffer';
import { ESCAPER, FOREIGN, FOREIGN_UNITS, kindOfUnit, toClass } from '../../protocol/unit-kinds.ts';
import type { WorkBudget } from './work-budget.ts';
import { LOOK_ALIKES } from './confusables.ts';
import { codeOfForm, FORM_BEGINNING, FormReader, decodeForm, holdsForms } from './encoded-forms.ts';
import { SHORT_TEXT, TextBuilder, ViewBuilder, type FoldBuilder, type FoldedView, type TextRange } from './view-builders.ts';

/** What is looked at one by one: where a form may begin, and what is foreign. By code units: several times quicker. */
const SPECIAL_UNIT = new RegExp(`${FORM_BEGINNING}|[${toClass(FOREIGN_UNITS)}]`, 'g');
const FORM_UNIT = new RegExp(FORM_BEGINNING, 'g');

/** What is there, but is not seen: a soft hyphen in a word does not make it another word. Nor does half a character, which readers leave out. */
const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\ufffc\ufffd]/gu;

/**
 * A text as a model reads it: NFKD, without marks and format characters, with ASCII for what looks like it and for
 * entities and escapes that stand for it. Letters keep their case; match them without. `ı` may be read as i, l, 1 or |.
 * Only what comes out as ASCII is folded: patterns consist of nothing else. Undefined: the text can be read in no other way.
 */
export function foldedView(text: string, work?: WorkBudget): FoldedView | undefined {
  return isAscii(text) && !holdsForms(text) ? undefined : readFolded(text, work);
}

/** The same for a text that holds what can be read in another way. */
export function readFolded(text: string, work?: WorkBudget): FoldedView {
  return text.length < SHORT_TEXT ? new ShortView(text, work) : wholeView(text, work);
}

function wholeView(text: string, work?: WorkBudget): FoldedView {
  work?.spend(VIEW);
  return foldWith(new ViewBuilder(text), text, work).finish();
}

function foldWith<Builder extends FoldBuilder>(builder: Builder, text: string, work?: WorkBudget): Builder {
  new Folding(text, { builder, special: isAscii(text) ? FORM_UNIT : SPECIAL_UNIT, work }).fold();
  return builder;
}

/** Steps of making a view, however short the text is, and of the text of a short one alone. */
const [VIEW, SHORT_VIEW] = [900, 350];
/** Steps of reading one form, and of seeing that there is none. */
const [FORM_READ, FORM_MISSED] = [60, 24];
/** Steps of putting ASCII in the place of a character: nearly as many, but where each tenth character has an accent none may be withheld. */
const CHARACTER_READ = 16;

/** Units that are looked at one by one before a search is set out. */
const NEAR = 8;

interface FoldSettings {
  readonly builder: FoldBuilder;
  readonly special: RegExp;
  readonly work: WorkBudget | undefined;
}

class Folding {
  readonly #text: string;
  readonly #builder: FoldBuilder;
  readonly #forms: FormReader;
  readonly #special: RegExp;
  readonly #foldForm = remember(foldForm);
  readonly #work: WorkBudget | undefined;

  constructor(text: string, { builder, special, work }: FoldSettings) {
    this.#work = work;
    this.#text = text;
    this.#special = special;
    this.#builder = builder;
    this.#forms = new FormReader(text);
  }

  fold(): void {
    for (let at = this.#nextSpecial(0); at >= 0; ) at = this.#nextSpecial(this.#text.charCodeAt(at) < 0x80 ? this.#foldFormAt(at) : this.#foldCharacterAt(at));
    this.#builder.keepUpTo(this.#text.length);
  }

  #nextSpecial(from: number): number {
    // A few units are looked at one by one: to set out a search costs as much.
    const near = Math.min(this.#text.length, from + NEAR);
    for (let at = from; at < near; at += 1) if ((kindOfUnit(this.#text.charCodeAt(at)) & (FOREIGN | ESCAPER)) !== 0) return at;
    this.#special.lastIndex = near;
    return this.#special.test(this.#text) ? this.#special.lastIndex - 1 : -1;
  }

  #foldFormAt(start: number): number {
    const end = this.#forms.endAt(start);
    this.#work?.spend(end < 0 ? FORM_MISSED : FORM_READ);
    if (end < 0) return this.#forms.skip(start);
    const code = codeOfForm(this.#text, start, end);
    this.#builder.keepUpTo(start);
    this.#builder.put(code < 0 ? this.#foldForm(this.#text.slice(start, end)) : foldCodeOfForm(code), end - start);
    return end;
  }

  #foldCharacterAt(start: number): number {
    const code = this.#text.codePointAt(start) ?? 0;
    const end = start + (code > 0xffff ? 2 : 1);
    const folded = foldCode(code);
    if (folded === UNCHANGED) return end;
    this.#work?.spend(CHARACTER_READ);
    this.#builder.keepUpTo(start);
    this.#builder.put(folded, end - start);
    return end;
  }
}

/** Of a name or a value: an honest document holds tens of thousands with an entity or an escape, and nothing is found in their views. */
class ShortView implements FoldedView {
  readonly text: string;
  readonly #source: string;
  readonly #work: WorkBudget | undefined;
  #whole: FoldedView | undefined;

  constructor(source: string, work: WorkBudget | undefined) {
    this.#source = source;
    this.#work = work;
    work?.spend(SHORT_VIEW);
    this.text = foldWith(new TextBuilder(source), source, work).text;
  }

  sourceOf(start: number, end: number): TextRange {
    this.#whole ??= wholeView(this.#source, this.#work);
    return this.#whole.sourceOf(start, end);
  }
}

/** A tenth of the cost of looking at each unit. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/**
 * `text` as a regular expression that finds it in a view, in any case, for the flag `u`. ASCII alone can be found.
 * Punctuation may have a backslash before it, as in Markdown; a view shows `_` without.
 */
export function toFoldedPattern(text: string): string {
  const [first = '', ...others] = Array.from(text, patternOfUnit);
  return first + others.map((pattern, at) => (/[A-Za-z0-9_]/.test(text.charAt(at + 1)) ? pattern : String.raw`\\{0,16}${pattern}`)).join('');
}

function patternOfUnit(unit: string): string {
  // Where the font decides which is which: `externaI`, `externa1`. Not in any case: `fiat` is not `flat`.
  if (/[l1]/i.test(unit)) return '[lLI1|ı]';
  if (/[i|]/i.test(unit)) return `[${unit.toLowerCase()}${unit.toUpperCase()}ı]`;
  if (/[a-z]/i.test(unit)) return `[${unit.toLowerCase()}${unit.toUpperCase()}]`;
  return unit.replace(/[\\^$.*+?()[\]{}/]/, String.raw`\$&`);
}

const ASCII_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([ascii, others]) => Array.from(others, (other) => [other, ascii] as const)),
);

/** A text has few characters and forms, many times each; a hostile one has many, and must not fill the memory. */
const MOST_REMEMBERED = 10_000;

/** Folds each alike thing once. */
export function remember<Key>(fold: (key: Key) => string): (key: Key) => string {
  // Made when it is asked: a document holds tens of thousands of strings.
  let known: Map<Key, string> | undefined;
  return (key) => {
    known ??= new Map();
    const before = known.get(key);
    if (before !== undefined) return before;
    const folded = fold(key);
    if (known.size < MOST_REMEMBERED) known.set(key, folded);
    return folded;
  };
}

/** No character folds to it. */
const UNCHANGED = '\u0000';
const PLANE = 0x1_00_00;

/** What the characters of each plane fold to, of those that were met: an answer may hold some hundred thousand, and they are few. */
const FOLDED: (string | undefined)[][] = [];

function foldCode(code: number): string {
  const plane = (FOLDED[code >>> 16] ??= Array.from<string | undefined>({ length: PLANE }));
  return (plane[code & 0xffff] ??= foldOrKeep(String.fromCodePoint(code)));
}

function foldCodeOfForm(code: number): string {
  const folded = foldCode(code);
  return folded === UNCHANGED ? String.fromCodePoint(code) : folded;
}

function foldOrKeep(character: string): string {
  const folded = character < '\x80' ? character : foldCharacter(character);
  return folded === character ? UNCHANGED : folded;
}

/** What an entity or an escape stands for. */
export function foldForm(form: string): string {
  const decoded = decodeForm(form);
  if (decoded.length === 1) return foldCodeOfForm(decoded.charCodeAt(0));
  return Array.from(decoded, (part) => foldCodeOfForm(part.codePointAt(0) ?? 0)).join('');
}

/** Of one character beyond ASCII. */
export function foldCharacter(character: string): string {
  const direct = ASCII_OF.get(character);
  if (direct !== undefined) return direct;
  const seen = character.normalize('NFKD').replace(UNSEEN, '');
  const folded = Array.from(seen, (part) => ASCII_OF.get(part) ?? part).join('');
  return isAscii(folded) || folded === 'ı' ? folded : character;
}
