import { TagReader } from './html-tags.ts';
import { Destinations, type Destination } from './markdown-destinations.ts';
import { MOST_OPEN, PossibleImages } from './markdown-images.ts';
import { ExternalLabels, isLikeMark, labelAt } from './markdown-labels.ts';
import { Tally } from './tally.ts';
import { cleanText } from './text-pipeline.ts';
import { carriesData, isExternal } from './url-data.ts';
import type { Rewriter, TextStep } from './text-step.ts';

const MARK = '[REDACTED:link]';

/**
 * Markdown that could carry data out. A client that shows an image asks its server at once, with all that the URL holds;
 * a link does so when it is clicked.
 * - An image (inline, by reference, `<img>` or another tag that loads) with an external URL becomes `[REDACTED:link]`,
 *   whatever the URL holds. Where readers may differ on what is an image, only its URL does, or that of its definition.
 * - A link, an autolink or a definition whose URL could carry data (`carriesData`) keeps its text; the URL becomes the mark.
 * - A definition of a label that begins like a mark is disarmed, so that no mark becomes a link.
 * Everything else survives byte for byte, bare URLs too: nobody follows them unasked.
 */
export const markdownLinks: TextStep = {
  name: 'links',
  rewrite(text, rewriter) {
    if (!text.includes('](') && !text.includes(']:') && !text.includes('<')) return;
    const once = runOnce(text);
    if (once === text) return;
    const settled = settle(once);
    if (settled === once) new LinkPass(text, rewriter).run();
    else rewriteMiddle(text, settled, rewriter);
  },
};

/** Runs beyond which a text is hostile, and nothing of it is shown. */
const MOST_RUNS = 4;

/** A change may bring two pieces together, or take away what made a bracket none: what is left is looked at until it stays. */
function settle(text: string): string {
  let settled = text;
  for (let run = 0; run < MOST_RUNS; run += 1) {
    const next = runOnce(settled);
    if (next === settled) return settled;
    settled = next;
  }
  return MARK;
}

function runOnce(text: string): string {
  return cleanText(text, [{ name: 'links', rewrite: (whole, rewriter) => new LinkPass(whole, rewriter).run() }], new Tally());
}

/** As one change, from the first unit that differs to the last. */
function rewriteMiddle(text: string, settled: string, rewriter: Rewriter): void {
  const shorter = Math.min(text.length, settled.length);
  let start = 0;
  while (start < shorter && text.charCodeAt(start) === settled.charCodeAt(start)) start += 1;
  let same = 0;
  while (same < shorter - start && text.charCodeAt(text.length - 1 - same) === settled.charCodeAt(settled.length - 1 - same)) same += 1;
  rewriter.replace(start, text.length - same, { by: settled.slice(start, settled.length - same), rule: 'image' });
}

interface Bracket {
  readonly start: number;
  readonly isImage: boolean;
}

class LinkPass {
  readonly #text: string;
  readonly #rewriter: Rewriter;
  readonly #labels: ExternalLabels;
  readonly #destinations: Destinations;
  readonly #tags: TagReader;
  readonly #images: PossibleImages;
  readonly #patterns = createPatterns();
  /** True when an image that one reader sees and another does not has a definition: then no definition may lead away. */
  readonly #disarmsDefinitions: boolean;
  #open: Bracket[] = [];
  #decided = 0;

  constructor(text: string, rewriter: Rewriter) {
    this.#text = text;
    this.#rewriter = rewriter;
    this.#destinations = new Destinations(text);
    this.#labels = new ExternalLabels(text);
    this.#tags = new TagReader(text);
    this.#images = new PossibleImages(text, this.#tags);
    this.#disarmsDefinitions = !this.#labels.isEmpty && this.#hasDoubtfulReference();
  }

  run(): void {
    for (const { 0: token, index } of this.#text.matchAll(/!?\[|\]|<(?=[a-z])/gi)) {
      if (index < this.#decided) continue;
      if (token === '<') this.#judgeAngle(index);
      else if (token === ']') this.#judgeBracket(this.#open.pop(), index);
      else this.#openBracket({ start: index, isImage: token === '![' });
    }
  }

  #openBracket(bracket: Bracket): void {
    this.#open.push(bracket);
    if (this.#open.length > MOST_OPEN) this.#open = this.#open.slice(MOST_OPEN / 2);
  }

  #judgeBracket(bracket: Bracket | undefined, end: number): void {
    const follows = this.#text[end + 1];
    if (follows === '(' && this.#judgeInline(bracket, end)) return;
    // What is no address is a text, and the image may still have a definition.
    if (bracket?.isImage === true && this.#judgeReference(bracket, end)) return;
    if (follows === ':') this.#judgeDefinition(bracket, end);
  }

  /** True when it was changed. */
  #judgeInline(bracket: Bracket | undefined, end: number): boolean {
    const destination = this.#destinations.at(end + 2);
    if (destination === undefined) return false;
    const isLoaded = isExternal(destination.url);
    if (isLoaded && bracket?.isImage === true) this.#redactImage(bracket.start, destination.end);
    else if (isLoaded && this.#images.mayClose(end)) this.#redact('image', destination);
    else if (carriesData(destination.url) || this.#isBroken(destination)) this.#redact('url', destination);
    return this.#decided > end;
  }

  /** No URL has an angle in it: what stands behind it is not judged as one, so that nothing may stand before it. */
  #isBroken({ url, urlEnd }: Destination): boolean {
    return this.#text[urlEnd] === '<' && !url.startsWith(MARK);
  }

  /** True when it was changed. By its own text too: to some readers that counts where the other label has no definition. */
  #judgeReference({ start }: Bracket, end: number): boolean {
    if (this.#labels.isEmpty) return false;
    const other = labelAt(this.#text, end + 1);
    const isNamed = [this.#text.slice(start + 2, end), other?.label ?? ''].some((label) => this.#labels.has(label));
    if (isNamed) this.#redactImage(start, other?.end ?? end + 1);
    return isNamed;
  }

  #hasDoubtfulReference(): boolean {
    const images = new PossibleImages(this.#text, this.#tags);
    for (let end = this.#text.indexOf(']'); end !== -1; end = this.#text.indexOf(']', end + 1)) {
      if (images.mayClose(end) && this.#text[end + 1] !== ':') return true;
    }
    return false;
  }

  #judgeDefinition(bracket: Bracket | undefined, end: number): void {
    const label = bracket !== undefined && this.#beginsLine(bracket.start) ? this.#text.slice(bracket.start + 1, Math.min(end, bracket.start + 1_000)) : undefined;
    if (label === undefined && !this.#disarmsDefinitions) return;
    // Within a line not over other brackets: each character is looked at for one definition alone.
    const [before = '', url = ''] = this.#match(label === undefined ? 'address' : 'definition', end + 1);
    const isHarmful = (this.#disarmsDefinitions && isExternal(url)) || (label !== undefined && (isLikeMark(label) || carriesData(url)));
    if (url === '' || url === MARK || !isHarmful) return;
    const urlEnd = end + 1 + before.length;
    this.#redact('url', { urlStart: urlEnd - url.length, urlEnd });
  }

  #judgeAngle(start: number): void {
    const tag = this.#tags.read(start);
    const [image = ''] = this.#match('image', start);
    const loads = tag?.loads ?? (image !== '' && (!this.#tags.hasLooksLeft || mayLoad(image)));
    if (loads) this.#redactImage(start, tag?.end ?? start + image.length);
    const [autolink = '', url = ''] = loads ? [] : this.#match('autolink', start);
    if (autolink !== '' && carriesData(url)) this.#redact('autolink', { urlStart: start, urlEnd: start + autolink.length });
  }

  /** Also in a quote, in a list. */
  #beginsLine(start: number): boolean {
    let index = start - 1;
    while (' \t>*+-.)0123456789'.includes(this.#text[index] ?? '\n')) index -= 1;
    return index < 0 || this.#text[index] === '\n';
  }

  #match(name: keyof ReturnType<typeof createPatterns>, index: number): readonly (string | undefined)[] {
    const pattern = this.#patterns[name];
    pattern.lastIndex = index;
    return pattern.exec(this.#text) ?? [];
  }

  /** With what follows at once and would make a link or a definition of the mark: `![a](b)(https://…)`. */
  #redactImage(start: number, imageEnd: number): void {
    let end = imageEnd;
    for (let next = this.#text[end]; next === '(' || next === ':'; next = this.#text[end]) {
      end = (next === '(' ? this.#destinations.at(end + 1)?.end : undefined) ?? end + 1;
    }
    this.#redact('image', { urlStart: Math.max(start, this.#decided), urlEnd: end });
  }

  #redact(rule: string, { urlStart, urlEnd }: Pick<Destination, 'urlStart' | 'urlEnd'>): void {
    this.#rewriter.replace(urlStart, urlEnd, { by: MARK, rule });
    this.#decided = urlEnd;
  }
}

function mayLoad(tag: string): boolean {
  for (const [, value = ''] of tag.matchAll(/=\s*["']?([^\s"'>]+)/g)) if (isExternal(value)) return true;
  return false;
}

/** Of one pass: they remember where they are. */
function createPatterns() {
  return {
    definition: /:[\s<>]*([^\s<>]+)/y,
    address: /:[\s<>]*([^\s<>[\]]+)/y,
    /** One that has no end, or whose attributes are too much to read: as far as it may go. */
    image: /<(?:img|image|source|video|input|link|object|embed|iframe)(?=[\s/>])[^<>]*>?/iy,
    autolink: /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/iy,
  };
}
