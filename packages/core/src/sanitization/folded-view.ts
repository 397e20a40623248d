import { Buffer } from 'node:buffer';
import { LOOK_ALIKES } from './confusables.ts';
import { ENCODED_FORMS, decodeForm, holdsForms } from './encoded-forms.ts';

/** Units of a text, UTF-16, from the first to before the last. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A text as it is read, and where each unit of that stands in the text itself. */
export interface FoldedView {
  readonly text: string;
  /** What is behind a piece of the view, whole characters and encoded forms; not what was dropped at its edges. Not for an empty piece. */
  sourceOf(start: number, end: number): TextRange;
}

/**
 * What may fold to ASCII or to nothing. The scripts left out are those of which no letter does, so that a page in
 * Chinese or Korean, or one full of emoji, costs no more than one in English. A test asks every character.
 */
const FOREIGN = String.raw`[\x80-\u3040\u3099-\u309c\u30a0\u30ce\u30fc\u3100-\u33ff\u4e00\u4e36\u4e3f\ua000-\uabff\ud7b0-\uffff\u{10000}-\u{1f2ff}\u{1f700}-\u{1f8ff}\u{1fb00}-\u{1ffff}\u{e0000}-\u{10ffff}]`;

/** What is looked at one by one: a form, or a foreign character with some that follow it, as a match costs as much as ten of them. */
const SPECIAL = String.raw`(${FOREIGN}[^&%\\]{0,15})|(?:${ENCODED_FORMS})`;

/** What is there, but is not seen: a soft hyphen in a word does not make it another word. */
const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text as a model reads it: NFKD, without marks and format characters, with ASCII for what looks like it and for
 * entities and escapes that stand for it. Letters keep their case; match them without. `ı` may be read as i, l, 1 or |.
 * Only what comes out as ASCII is folded: patterns consist of nothing else. Undefined: the text can be read in no other way.
 */
export function foldedView(text: string): FoldedView | undefined {
  if (isAscii(text) && !holdsForms(text)) return undefined;
  const builder = new ViewBuilder(text);
  const fold = remember(foldCharacter);
  const foldForm = remember((form) => Array.from(decodeForm(form), (part) => (part < '\x80' ? part : fold(part))).join(''));
  for (const { index, 0: found, 1: foreign } of text.matchAll(new RegExp(SPECIAL, 'gu'))) {
    builder.keepUpTo(index);
    if (foreign === undefined) builder.put(foldForm(found), found.length);
    else for (const character of foreign) builder.put(character < '\x80' ? character : fold(character), character.length);
  }
  return builder.finish();
}

/** A tenth of the cost of looking at each unit. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** `text` as a regular expression that finds it in a view, for the flags `iu`. ASCII alone can be found. */
export function toFoldedPattern(text: string): string {
  return text
    .replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
    .replace(/[il1]|\\\|/gi, (character) => `(?:${character}|ı)`);
}

const ASCII_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([ascii, others]) => Array.from(others, (other) => [other, ascii] as const)),
);

/** A text has few characters and forms, many times each; a hostile one has many, and must not fill the memory. */
const MOST_REMEMBERED = 10_000;

function remember(fold: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const folded = fold(text);
    if (known.size < MOST_REMEMBERED) known.set(text, folded);
    return folded;
  };
}

function foldCharacter(character: string): string {
  const direct = ASCII_OF.get(character);
  if (direct !== undefined) return direct;
  const seen = character.normalize('NFKD').replace(UNSEEN, '');
  const folded = Array.from(seen, (part) => ASCII_OF.get(part) ?? part).join('');
  return isAscii(folded) || folded === 'ı' ? folded : character;
}

/** Pieces are joined now and then: a text of nothing but escapes must not leave a million of them behind. */
const MOST_PIECES = 4_096;

/**
 * The text of a view and its runs. In a straight run each unit stands for one unit of the source; in any other, all
 * units stand for the same piece of it. Numbers in lists: an object for each of five million runs would be 400 MB.
 */
class ViewBuilder {
  readonly #source: string;
  readonly #runs: Runs = { view: [], source: [], sourceEnd: [] };
  #text = '';
  #pieces: string[] = [];
  #length = 0;
  #decided = 0;

  constructor(source: string) {
    this.#source = source;
  }

  keepUpTo(end: number): void {
    if (end === this.#decided) return;
    this.#openRun(STRAIGHT);
    this.#append(this.#source.slice(this.#decided, end));
    this.#decided = end;
  }

  /** `folded` stands for the next units of the source. */
  put(folded: string, units: number): void {
    const end = this.#decided + units;
    if (folded !== '') {
      this.#openRun(folded.length === 1 && units === 1 ? STRAIGHT : end);
      this.#append(folded);
    }
    this.#decided = end;
  }

  finish(): FoldedView {
    this.keepUpTo(this.#source.length);
    const placeOf = createPlaces(this.#runs);
    return {
      text: this.#text + this.#pieces.join(''),
      sourceOf: (start, end) => ({ start: placeOf(start).start, end: placeOf(end - 1).end }),
    };
  }

  #openRun(sourceEnd: number): void {
    const { view, source, sourceEnd: ends } = this.#runs;
    const last = view.length - 1;
    const isSame = sourceEnd === STRAIGHT && ends[last] === STRAIGHT && this.#decided - this.#length === at(source, last) - at(view, last);
    if (isSame) return;
    view.push(this.#length);
    source.push(this.#decided);
    ends.push(sourceEnd);
  }

  #append(piece: string): void {
    this.#length += piece.length;
    if (this.#pieces.push(piece) < MOST_PIECES) return;
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}

interface Runs {
  readonly view: number[];
  readonly source: number[];
  /** Where the piece ends that all units of the run stand for. */
  readonly sourceEnd: number[];
}

const STRAIGHT = -1;

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? 0;
}

/** Says what one unit of the view stands for. Who asks from left to right pays for each run once. */
function createPlaces({ view, source, sourceEnd }: Runs): (unit: number) => TextRange {
  let run = 0;
  return (unit) => {
    if (at(view, run) > unit) run = 0;
    while (run + 1 < view.length && at(view, run + 1) <= unit) run += 1;
    const start = at(source, run);
    const end = at(sourceEnd, run);
    if (end !== STRAIGHT) return { start, end };
    const straight = start + unit - at(view, run);
    return { start: straight, end: straight + 1 };
  };
}
