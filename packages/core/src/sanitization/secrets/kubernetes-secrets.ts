import type { WorkBudget } from '../pipeline/work-budget.ts';
import { valuesInBlock } from './block-manifest.ts';
import { valuesInFlow } from './flow-manifest.ts';
import type { Part } from './look.ts';
import type { FoundValues, KindPlace } from './manifest.ts';
import { isInWrittenLine, openWrittenLines, stringAround } from './written-lines.ts';

/** What leads to a manifest of a secret: the value of its `kind`. Of six units. */
export const SECRET_KIND = 'Secret';

/** Units before the kind that are looked at. */
const BEFORE = 240;
/** Units from what stands before the key to its colon. */
const LONGEST_KEY = 48;
/** The key, whatever stands between it and its value: a tab, the end of a line, `!!str`, `&name`, `>-`. */
const KEY = /(\\{0,4}"|'|(?<![\w.$"'\\]))kind\1\s{0,32}:[\s|>+-]{0,64}(?:[!&][\w!-]{1,32}\s{1,32}){0,2}(\\{0,4}"|'|)$/;
const LIST = 'List';
/** Units that opening one string, and looking at one kind in it, counts as. */
const [STRING_UNITS, KIND_UNITS] = [200, 27];

/**
 * Reads the manifests of one text, from left to right. Lines and braces are read to different places: the annotation of a manifest in
 * lines holds it once more in braces, and braces that nothing closes must not hide the manifests in lines behind them.
 */
export class ManifestReader {
  readonly #text: string;
  readonly #work: WorkBudget;
  #linesTo = 0;
  #bracesTo = 0;
  #writtenTo = 0;

  constructor(text: string, work: WorkBudget) {
    this.#text = text;
    this.#work = work;
  }

  /** The values of the manifest whose `Secret` stands here. Nothing is read twice in the same way. */
  valuesAt(at: number): FoundValues | undefined {
    if (at >= this.#writtenTo && isInWrittenLine(this.#text, at, at + SECRET_KIND.length)) return this.#valuesInWrittenLines(at);
    if (at < this.#linesTo && at < this.#bracesTo) return undefined;
    const kind = kindAt(this.#text, at);
    if (kind === undefined) return undefined;
    return isInFlow(this.#text, kind) ? this.#valuesInBraces(kind) : this.#valuesInLines(kind);
  }

  /** All of one string, in which lines are written out. */
  #valuesInWrittenLines(at: number): FoundValues {
    const { start, end } = stringAround(this.#text, at, this.#writtenTo);
    this.#writtenTo = end;
    const lines = openWrittenLines(this.#text.slice(start, end));
    const inner = new ManifestReader(lines, this.#work);
    const found: Part[] = [];
    let units = STRING_UNITS + lines.length;
    for (let kind = lines.indexOf(SECRET_KIND); kind !== -1; kind = lines.indexOf(SECRET_KIND, kind + SECRET_KIND.length)) {
      const values = inner.valuesAt(kind);
      units += KIND_UNITS + (values?.units ?? 0);
      for (const part of values?.found ?? []) found.push(inText(this.#text, part, start));
    }
    return { found, end, units };
  }

  #valuesInBraces(kind: KindPlace): FoundValues | undefined {
    if (kind.at < this.#bracesTo) return undefined;
    const values = valuesInFlow(this.#text, kind);
    this.#bracesTo = values.end;
    return values;
  }

  #valuesInLines(kind: KindPlace): FoundValues | undefined {
    if (kind.at < this.#linesTo) return undefined;
    const values = valuesInBlock(this.#text, kind, { from: this.#linesTo, work: this.#work });
    this.#linesTo = values?.end ?? this.#linesTo;
    return values;
  }
}

/** Without the backslash of the quote that ends it. */
function inText(text: string, part: Part, start: number): Part {
  const end = start + part.end;
  return { start: start + part.start, end: text[end - 1] === '\\' ? end - 1 : end };
}

function kindAt(text: string, at: number): KindPlace | undefined {
  const behind = at + SECRET_KIND.length;
  const isList = text.startsWith(LIST, behind);
  const stop = isList ? behind + LIST.length : behind;
  if (/[A-Za-z0-9_-]/.test(text.charAt(stop))) return undefined;
  const before = text.slice(Math.max(0, at - BEFORE), at);
  // Behind its colon there is no other. A search from each unit before it takes four times as long.
  const said = before.slice(Math.max(0, before.lastIndexOf(':') - LONGEST_KEY));
  const match = KEY.exec(said);
  if (match === null) return undefined;
  const [, quote = '', mark = ''] = match;
  return { key: at - said.length + match.index, quote, at, end: text.startsWith(mark, stop) ? stop + mark.length : stop, isList };
}

/** In braces, as JSON is: a brace or a comma stands beside it. YAML may have its keys in quotes too. */
function isInFlow(text: string, { key, quote, end }: KindPlace): boolean {
  const before = text.slice(Math.max(0, key - BEFORE), key);
  if (quote.includes('\\') || /[{,][ \t]{0,64}$/.test(before) || /^\s{0,64}[,}]/.test(text.slice(end, end + 65))) return true;
  // A number of a line, or the sign of a diff, may stand between.
  return quote === '"' && /[{,]\s{0,64}(?:\n[^\n"{}]{0,64})?$/.test(before);
}
