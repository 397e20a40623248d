import type { TagReader } from '../html/html-tags.ts';
import { NumberStack } from '../pipeline/number-stack.ts';
import { AddressReader } from './markdown-addresses.ts';

/** Brackets that are open at once: whoever pairs them one by one forgets the outermost beyond it. */
export const MOST_OPEN = 64;

/** `\[` is no bracket, `\`` ends no code; a row of backticks; what a tag or an autolink begins with; brackets. */
const TOKEN = /\\[\\[\]`]|`+|<|!?\[|\]/g;

/**
 * Where an image may end, whatever reader pairs the brackets: those in code, in tags, in autolinks, in the address and the
 * title of a link are brackets to one reader and none to another. Each of them is counted both ways, so what is open is a
 * range of levels. A paragraph in which readers may not even agree on where code begins says yes for all behind its first `![`.
 */
export class PossibleImages {
  readonly #text: string;
  readonly #tags: TagReader;
  #end = 0;
  #closings = new NumberStack('large');
  #asked = 0;
  /** The first one at the paragraph at hand or behind it. */
  #image = -1;

  constructor(text: string, tags: TagReader) {
    this.#text = text;
    this.#tags = tags;
  }

  /** Whether the `]` at `index` may end an image that a plain pairing of brackets does not see. To be asked from left to right. */
  mayClose(index: number): boolean {
    if (index >= this.#end) this.#readParagraph(index);
    while (this.#asked < this.#closings.length && this.#closings.at(this.#asked) < index) this.#asked += 1;
    return this.#closings.at(this.#asked) === index;
  }

  #readParagraph(index: number): void {
    const start = this.#end;
    const blank = /\n[ \t\r]*\n/g;
    blank.lastIndex = index;
    const end = blank.exec(this.#text)?.index ?? this.#text.length;
    // Whoever asks has skipped paragraphs: the one at hand begins behind the last blank line.
    const own = this.#text.slice(start, index);
    const first = start + lastBlank(own);
    this.#asked = 0;
    this.#end = end;
    const image = this.#imageFrom(first);
    this.#closings = image < end ? new ParagraphReading(this.#text, { start: first, end, image, tags: this.#tags }).closings : new NumberStack('large');
  }

  /** Infinity: there is none. Not looked for again until a paragraph is behind it. */
  #imageFrom(start: number): number {
    if (this.#image < start) {
      const found = this.#text.indexOf('![', start);
      this.#image = found === -1 ? Infinity : found;
    }
    return this.#image;
  }
}

/** Behind the last blank line; 0 when there is none. */
function lastBlank(text: string): number {
  let last = 0;
  for (const { 0: blank, index } of text.matchAll(/\n[ \t\r]*(?=\n)/g)) last = index + blank.length;
  return last;
}

const [EXCLAMATION_MARK, ANGLE, OPENING, BACKSLASH, CLOSING, TICK] = [0x21, 0x3c, 0x5b, 0x5c, 0x5d, 0x60];

interface Paragraph {
  readonly start: number;
  readonly end: number;
  /** The first one in it. */
  readonly image: number;
  readonly tags: TagReader;
}

class ParagraphReading {
  /** Where an image may end. Empty when all readers pair the brackets in the same way. */
  readonly closings: NumberStack = new NumberStack('large');
  readonly #text: string;
  readonly #tags: TagReader;
  readonly #addresses: AddressReader;
  readonly #end: number;
  /** Least and greatest number of brackets that are open. */
  #least = 0;
  #most = 0;
  /** Of the images that may be open: the least level of each, and the greatest level of it and those before. */
  readonly #leastLevels = new NumberStack('large');
  readonly #mostLevels = new NumberStack('large');
  /** Where code ends that has begun, and tags and addresses: brackets before that may be none. */
  #codeEnd = 0;
  #markupEnd = 0;
  #isPlain = true;
  #isAmbiguous = false;

  constructor(text: string, { start, end, image, tags }: Paragraph) {
    this.#text = text;
    this.#tags = tags;
    this.#end = end;
    this.#addresses = new AddressReader(text, start, end);
    this.#readAll(start);
    tags.work.spend(this.#addresses.looked);
    if (this.#isAmbiguous) this.#closeAll(image);
    else if (this.#isPlain) this.closings.cut(0);
  }

  #readAll(start: number): void {
    const tokens = new RegExp(TOKEN);
    tokens.lastIndex = start;
    // `test` makes no object, and a hostile paragraph is nothing but tokens.
    for (let from = start; tokens.test(this.#text) && !this.#isAmbiguous; from = tokens.lastIndex) {
      const last = tokens.lastIndex - 1;
      const before = last > from ? this.#text.charCodeAt(last - 1) : 0;
      const first = before === BACKSLASH || before === EXCLAMATION_MARK ? last - 1 : last;
      if (first >= this.#end) return;
      if (before === BACKSLASH) this.#readEscape(last);
      else this.#read(last, from);
    }
  }

  #readEscape(index: number): void {
    const unit = this.#text.charCodeAt(index);
    if (unit === TICK) this.#isAmbiguous = true;
    else if (unit !== BACKSLASH) this.#isPlain = false;
  }

  /** The token whose last unit stands here, behind the one that ends before `from`. */
  #read(index: number, from: number): void {
    switch (this.#text.charCodeAt(index)) {
      case CLOSING:
        return this.#close(index);
      case OPENING:
        return this.#open(index, index > from && this.#text.charCodeAt(index - 1) === EXCLAMATION_MARK);
      case ANGLE:
        return this.#readAngle(index);
      default: {
        let start = index;
        while (start > from && this.#text.charCodeAt(start - 1) === TICK) start -= 1;
        return this.#readTicks(start, index + 1 - start);
      }
    }
  }

  #open(index: number, isImage: boolean): void {
    const isSure = this.#isSure(index);
    if (isImage) {
      this.#leastLevels.push(this.#least + 1);
      this.#mostLevels.push(Math.max(this.#mostLevels.top, this.#most + 1));
    }
    this.#most += 1;
    if (isSure) this.#least += 1;
    if (this.#most >= MOST_OPEN) this.#isPlain = false;
  }

  #close(index: number): void {
    if (this.#mostLevels.top >= Math.max(1, this.#least)) this.closings.push(index);
    this.#least = Math.max(0, this.#least - 1);
    if (this.#isSure(index)) this.#most = Math.max(0, this.#most - 1);
    while (this.#leastLevels.top > this.#most) {
      this.#leastLevels.pop();
      this.#mostLevels.pop();
    }
    if (this.#text[index + 1] === '(') this.#readAddress(index + 2);
  }

  #isSure(index: number): boolean {
    const isSure = index >= Math.max(this.#codeEnd, this.#markupEnd);
    if (!isSure) this.#isPlain = false;
    return isSure;
  }

  #readAddress(start: number): void {
    if (!this.#addresses.isSimple(start)) this.#skipMarkup(start, this.#addresses.endOf(start) ?? start);
  }

  #readAngle(start: number): void {
    this.#skipMarkup(start, Math.max(this.#tags.read(start)?.end ?? 0, this.#addresses.endOfMarkup(start)));
  }

  /** What begins in code and ends behind it is one or the other. */
  #skipMarkup(start: number, end: number): void {
    if (start < this.#codeEnd && end > this.#codeEnd) this.#isAmbiguous = true;
    if (!this.#addresses.hasLooksLeft) this.#isAmbiguous = true;
    this.#markupEnd = Math.max(this.#markupEnd, Math.min(end, this.#end));
  }

  /**
   * Code in backticks on one line. What goes over lines or over cells of a table may be none, and neither may what
   * begins in a tag or an address: then nobody can tell which backticks belong together.
   */
  #readTicks(start: number, length: number): void {
    if (start < this.#codeEnd) return;
    const end = start < this.#markupEnd ? undefined : this.#endOfCode(start + length, length);
    if (end === undefined || this.#text.slice(start, end).includes('|')) this.#isAmbiguous = true;
    else this.#codeEnd = end;
  }

  #endOfCode(start: number, length: number): number | undefined {
    const ticks = /`+|[\n\r]/g;
    ticks.lastIndex = start;
    for (let found = ticks.exec(this.#text); found !== null && found[0].startsWith('`'); found = ticks.exec(this.#text)) {
      if (found[0].length === length) return found.index + length;
    }
    return undefined;
  }

  #closeAll(image: number): void {
    this.closings.cut(0);
    for (let index = this.#text.indexOf(']', image); index !== -1 && index < this.#end; index = this.#text.indexOf(']', index + 1)) this.closings.push(index);
  }
}
