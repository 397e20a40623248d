import { ErrorCodes, Token, Tokenizer, TokenizerMode, type TokenHandler } from 'parse5';
import type { Rewriter, TextStep } from '../pipeline/text-step.ts';
import { HiddenRegion } from './html-hidden.ts';
import { PageText, type ShownPage } from './html-layout.ts';

/**
 * HTML as what a reader of the page would see, entities decoded; other text is left as it is. The tokenizer of parse5
 * reads it, without a tree: its time and memory follow the length alone, however deep a hostile page is nested.
 */
export const htmlToText: TextStep = {
  name: 'html',
  rewrite(text, rewriter) {
    if (isHtml(text)) replacePage(text, rewriter);
  },
};

/** The same for what is known to be a page. Once alone: the text of a page may be read as a page again. */
export const pageToText: TextStep = { name: 'html', rewrite: replacePage };

function replacePage(text: string, rewriter: Rewriter): void {
  const shown = renderPage(text);
  // A page about HTML begins with `<p>` once its entities are decoded: that is no page again.
  const title = isHtml(shown.text) ? 'Text of the page:\n' : '';
  rewriter.replace(0, text.length, { by: title + shown.text, rule: 'page', seams: shown.seams.moved(title.length) });
}

/** A page says so at once; what begins with any other tag is a piece of one if it also ends with a tag. */
const PAGE = /(?:<!doctype\s{1,16}html|<(?:html|head|body|title|meta|script|style)(?=[\s>/]))/iy;
const PIECE =
  /<(?:a|article|aside|b|blockquote|br|center|div|dl|font|footer|form|h[1-6]|header|iframe|img|link|main|nav|noscript|ol|p|pre|section|span|svg|table|template|ul)(?=[\s>/])/iy;

function isHtml(text: string): boolean {
  const start = skipPrologue(text);
  if (text[start] !== '<') return false;
  const begins = (pattern: RegExp): boolean => new RegExp(pattern).exec(text.slice(start, start + 64)) !== null;
  return begins(PAGE) || (begins(PIECE) && /><?[\s]{0,64}$/.test(text.slice(-65)));
}

/** After a byte order mark, white space, comments and an XML declaration, in any order. */
function skipPrologue(text: string): number {
  let index = 0;
  for (;;) {
    const { length } = /^[\s\ufeff]*/.exec(text.slice(index, index + 1_024))?.[0] ?? '';
    const [opening, closing] = text.startsWith('<?xml', index + length) ? ['<?xml', '?>'] : ['<!--', '-->'];
    const end = text.startsWith(opening, index + length) ? text.indexOf(closing, index + length) : -1;
    if (end === -1 && length < 1_024) return index + length;
    index = end === -1 ? index + length : end + closing.length;
  }
}

function renderPage(text: string): ShownPage {
  const page = new PageReader();
  page.read(text);
  return page.finish();
}

type Mode = (typeof TokenizerMode)[keyof typeof TokenizerMode];

/** Elements whose content is no markup. `noscript`: whoever sees the page has scripts. */
const CONTENT_MODES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ['script', TokenizerMode.SCRIPT_DATA],
  ['textarea', TokenizerMode.RCDATA],
  ['title', TokenizerMode.RCDATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
  ...['style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'].map((name) => [name, TokenizerMode.RAWTEXT] as const),
]);

/** `</>` is nothing at all to parse5, not even a token: what stands before it and behind it would come as one piece. */
class MarkupTokenizer extends Tokenizer {
  protected override _err(code: ErrorCodes, offset?: number): void {
    if (code === ErrorCodes.missingEndTagName) this.emitCurrentComment({ type: Token.TokenType.COMMENT, data: '', location: null });
    super._err(code, offset);
  }
}

/** Whatever is not shown parts what is. */
class PageReader implements TokenHandler {
  readonly #tokenizer = new MarkupTokenizer({}, this);
  readonly #hidden = new HiddenRegion();
  readonly #page = new PageText();

  finish(): ShownPage {
    return this.#page.finish();
  }

  read(text: string): void {
    this.#tokenizer.write(text.replace(/^\ufeff/, ''), true);
  }

  onStartTag({ tagName, attrs }: Token.TagToken): void {
    this.#page.part();
    const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
    this.#hidden.open(tagName, attributes);
    if (!this.#hidden.isOpen) this.#page.open(tagName, attributes);
    const mode = CONTENT_MODES.get(tagName);
    if (mode !== undefined) this.#tokenizer.state = mode;
  }

  onEndTag({ tagName }: Token.TagToken): void {
    this.#page.part();
    const wasHidden = this.#hidden.isOpen;
    const isOwnEnd = this.#hidden.close(tagName);
    if (!wasHidden || (!this.#hidden.isOpen && !isOwnEnd)) this.#page.close(tagName);
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    if (!this.#hidden.isOpen) this.#page.write(chars);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(): void {
    this.#page.part();
  }

  onComment(): void {
    this.#page.part();
  }

  onDoctype(): void {
    this.#page.part();
  }

  onEof(): void {}
}
