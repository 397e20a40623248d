import { Seams } from '../pipeline/seams.ts';

/** Lines that an element stands apart by: 1 its own line, 2 with an empty line between. */
const LINES: ReadonlyMap<string, 1 | 2> = new Map<string, 1 | 2>([
  ...['address', 'caption', 'dd', 'div', 'dt', 'figcaption', 'footer', 'form', 'header', 'legend', 'li', 'nav', 'option', 'summary', 'tr'].map(
    (name) => [name, 1] as const,
  ),
  ...['article', 'aside', 'blockquote', 'body', 'details', 'dl', 'fieldset', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'main', 'ol', 'p',
    'pre', 'section', 'table', 'textarea', 'ul', 'xmp'].map((name) => [name, 2] as const),
]);

/** Elements of which white space is kept. */
const KEEPS_SPACE: ReadonlySet<string> = new Set(['pre', 'textarea', 'xmp', 'plaintext']);

/** Characters of a URL that are shown. */
const MOST_URL = 2_000;

/** Lists and links deeper than this are set as if they were not nested: no page that is read has so many. */
const MOST_NESTED = 64;

/** Steps that an item is moved in by: deeper, each would cost more than it brings. */
const MOST_INDENT = 8;

const MOST_PIECES = 4_096;

/** What a reader sees of a page. */
export interface ShownPage {
  readonly text: string;
  /** Where markup stood between two pieces of it: `<b>token</b>ghp_…` reads `tokenghp_…`, and a secret begins within. */
  readonly seams: Seams;
}

/** The text of a page in lines, in the order of its elements. */
export class PageText {
  #text = '';
  #length = 0;
  readonly #seams = new Seams();
  #isParted = false;
  #pieces: string[] = [];
  /** Line ends that are due before the next text; a space where there is none. */
  #lines = 0;
  #hasSpace = false;
  #isEmpty = true;
  #kept = 0;
  /** The next number of each list that is open; 0 for one without. */
  readonly #lists: number[] = [];
  #link: { readonly url: string; text: string } | undefined;
  #isFirstCell = true;

  /** What was written so far and what comes next are not one piece: something stood between them that is not shown. */
  part(): void {
    this.#isParted = true;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#break(name);
    if (KEEPS_SPACE.has(name)) this.#kept += 1;
    this.#begin(name, attributes);
  }

  close(name: string): void {
    if (name === 'a') this.#endLink();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (KEEPS_SPACE.has(name)) this.#kept = Math.max(0, this.#kept - 1);
    this.#break(name);
  }

  /** Text between tags. */
  write(characters: string): void {
    if (this.#kept > 0) {
      this.#put(characters);
      return;
    }
    // Pages are full of it, and it comes by itself.
    if (characters === ' ' || characters === '\n' || characters === '\t') {
      this.#hasSpace = true;
      return;
    }
    const words = characters.replace(/[ \t\n\f\r]+/g, ' ');
    if (words.startsWith(' ')) this.#hasSpace = true;
    const inner = words.slice(words.startsWith(' ') ? 1 : 0, words.endsWith(' ') ? -1 : undefined);
    if (inner !== '') this.#put(inner);
    if (words.endsWith(' ')) this.#hasSpace = true;
  }

  finish(): ShownPage {
    this.#endLink();
    return { text: this.#text + this.#pieces.join(''), seams: this.#seams };
  }

  #begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'br') this.#lines = Math.min(2, this.#lines + 1);
    else if (name === 'hr') this.#put('---');
    else if (name === 'a') this.#beginLink(attributes.get('href') ?? '');
    else if (name === 'img') this.#describe(attributes.get('alt') ?? '');
    else if (name === 'tr') this.#isFirstCell = true;
    else if (name === 'td' || name === 'th') this.#beginCell();
    else if (name === 'li') this.#put(this.#nextBullet());
    else if (name === 'ul' || name === 'ol') this.#beginList(name === 'ol' ? 1 : 0);
    if (name === 'hr') this.#break(name);
  }

  #describe(image: string): void {
    this.write(image);
    this.part();
  }

  #break(name: string): void {
    this.#lines = Math.max(this.#lines, LINES.get(name) ?? 0);
  }

  #beginCell(): void {
    if (!this.#isFirstCell) this.#put(' | ');
    this.#isFirstCell = false;
  }

  #beginList(first: number): void {
    if (this.#lists.length < MOST_NESTED) this.#lists.push(first);
    // A list inside an item begins on the next line.
    if (this.#lists.length > 1) this.#lines = Math.min(this.#lines, 1);
  }

  #nextBullet(): string {
    const indent = '  '.repeat(Math.min(MOST_INDENT, Math.max(0, this.#lists.length - 1)));
    const number = this.#lists.pop() ?? 0;
    this.#lists.push(number === 0 ? 0 : number + 1);
    return number === 0 ? `${indent}- ` : `${indent}${number}. `;
  }

  #beginLink(url: string): void {
    this.#endLink();
    this.#link = { url: url.trim(), text: '' };
  }

  /** Behind the text of a link, where it leads to: only what is opened by itself is left out. */
  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined || link.text === '' || link.url === link.text) return;
    if (link.url === '' || link.url.startsWith('#') || link.url.length > MOST_URL) return;
    if (/^[\s\p{C}]*(?:javascript|data|vbscript):/iu.test(link.url)) return;
    this.#put(' (');
    // What is taken out of it told apart what it stood between, as markup does.
    for (const piece of link.url.split(/[\s\p{C}]+/u)) this.#putApart(piece);
    this.#put(')');
  }

  #putApart(piece: string): void {
    this.part();
    this.#put(piece);
  }

  #put(piece: string): void {
    if (this.#link !== undefined && this.#link.text.length <= MOST_URL) this.#link.text += piece;
    if (!this.#isEmpty) this.#push(this.#lines > 0 ? '\n'.repeat(this.#lines) : this.#hasSpace && !piece.startsWith(' ') ? ' ' : '');
    if (this.#isParted) this.#seams.add(this.#length);
    this.#isEmpty = false;
    this.#isParted = false;
    this.#lines = 0;
    this.#hasSpace = false;
    this.#push(piece);
  }

  #push(piece: string): void {
    this.#length += piece.length;
    if (piece === '' || this.#pieces.push(piece) < MOST_PIECES) return;
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}
