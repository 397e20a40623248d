import { composeMaps } from '../pipeline/compose-maps.ts';
import { ContentReader } from '../html/html-contents.ts';
import { isLoading } from '../html/html-loading.ts';
import { TagReader, type OpeningTag } from '../html/html-tags.ts';
import { LinkChanges, MARK, tellMap, type AppliedChanges, type LinkRule } from './markdown-changes.ts';
import { Destinations, type Destination } from './markdown-destinations.ts';
import { MOST_OPEN, PossibleImages } from './markdown-images.ts';
import { ExternalLabels, isLikeMark, labelAt, LabelStarts } from './markdown-labels.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';
import { UrlReader } from '../html/url-data.ts';
import type { TextStep } from '../pipeline/text-step.ts';

/** Steps of the work budget for a bracket. */
const LOOK = 16;
/** The same at an address behind its text: whether it leads away, and what it holds. */
const INLINE = 100;

/** Of the steps that a text brings: in a document it is looked at several times, and a page may be nothing but links. */
const SHARE_OF_LINKS = 0.25;

/**
 * Markdown that could carry data out. A client that shows an image asks its server at once, with all that the URL holds;
 * a link does so when it is clicked.
 * - An image (inline, by reference, embedded as in wikis, `<img>`, another tag, `<style>` or `<script>` that loads) with an external
 *   URL becomes `[REDACTED:link]`, whatever the URL holds. Where readers may differ on what is an image, only its URL does,
 *   or that of its definition.
 * - A link, an autolink or a definition whose URL could carry data (`carriesData`) keeps its text; the URL becomes the mark.
 * - A definition that leads away is disarmed when its label begins like a mark, so that no mark becomes such a link.
 * Everything else survives byte for byte, bare URLs too: nobody follows them unasked.
 */
export const markdownLinks: TextStep = {
  name: 'links',
  rewrite(text, rewriter, glance) {
    if (!text.includes('](') && !text.includes(']:') && !text.includes('<') && !text.includes('![[')) return;
    const work = glance.work ?? WorkBudget.forText(text);
    work.grantShare(SHARE_OF_LINKS);
    const changes = new LinkPass(text, work).run();
    if (changes.count === 0) return;
    const once = changes.applyTo(text);
    const settled = settle(once, work);
    if (settled === undefined) rewriter.replace(0, text.length, { by: MARK, rule: 'image' });
    else tellMap(settled, rewriter);
  },
};

/** Runs beyond which a text is hostile, and nothing of it is shown. */
const MOST_RUNS = 4;

/** A change may bring two pieces together, or take away what made a bracket none: what is left is looked at until it stays. */
function settle(once: AppliedChanges, work: WorkBudget): AppliedChanges | undefined {
  let settled = once;
  for (let run = 0; run < MOST_RUNS; run += 1) {
    const changes = new LinkPass(settled.text, work).run();
    if (changes.count === 0) return settled;
    const { text, map } = changes.applyTo(settled.text);
    settled = { text, map: composeMaps(settled.map, map, () => true) };
  }
  return undefined;
}

interface Bracket {
  readonly start: number;
  readonly isImage: boolean;
}

class LinkPass {
  readonly #text: string;
  readonly #urls: UrlReader;
  readonly #labels: ExternalLabels;
  readonly #destinations: Destinations;
  readonly #tags: TagReader;
  readonly #contents: ContentReader;
  readonly #images: PossibleImages;
  readonly #patterns = createPatterns();
  /** True when an image that one reader sees and another does not has a definition: then no definition may lead away. */
  readonly #disarmsDefinitions: boolean;
  #open: Bracket[] = [];
  readonly #changes = new LinkChanges();
  #decided = 0;

  constructor(text: string, work: WorkBudget) {
    this.#text = text;
    this.#urls = new UrlReader(work);
    this.#destinations = new Destinations(text);
    this.#labels = new ExternalLabels(text, this.#urls);
    this.#tags = new TagReader(text, this.#urls);
    this.#contents = new ContentReader(text, this.#urls);
    this.#images = new PossibleImages(text, this.#tags);
    this.#disarmsDefinitions = !this.#labels.isEmpty && this.#hasDoubtfulReference();
  }

  run(): LinkChanges {
    const { token } = this.#patterns;
    // `test` makes no object, and hostile texts are nothing but tokens.
    while (token.test(this.#text)) this.#judge(token.lastIndex - 1);
    return this.#changes;
  }

  #judge(index: number): void {
    this.#urls.work.spend(LOOK);
    const unit = this.#text[index];
    const isImage = unit === '[' && this.#text[index - 1] === '!';
    const start = isImage ? index - 1 : index;
    if (start < this.#decided) return;
    if (unit === '<') this.#judgeAngle(index);
    else if (unit === ']') this.#judgeBracket(this.#open.pop(), index);
    else if (!isImage || !this.#judgeEmbed(start)) this.#openBracket({ start, isImage });
  }

  /** What wikis show: `![[address|words]]`. True when it was changed. */
  #judgeEmbed(start: number): boolean {
    const [embed = '', url = ''] = this.#text[start + 2] === '[' ? this.#match('embed', start) : [];
    if (embed === '' || !this.#urls.isExternal(url)) return false;
    this.#redactImage(start, start + embed.length);
    return true;
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
    this.#urls.work.spend(INLINE + destination.end - end);
    const isLoaded = this.#urls.isExternal(destination.url);
    if (isLoaded && bracket?.isImage === true) this.#redactImage(bracket.start, destination.end);
    else if (isLoaded && this.#images.mayClose(end)) this.#redact('image', destination);
    else if (this.#urls.carriesData(destination.url) || this.#isBroken(destination)) this.#redact('url', destination);
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
    const isOtherNamed = other !== undefined && this.#labels.has(other.label);
    const isNamed = isOtherNamed || this.#labels.has(this.#text.slice(start + 2, end));
    if (isNamed) this.#redactImage(start, isOtherNamed || other?.isBeside === true ? other.end : end + 1);
    return isNamed;
  }

  #hasDoubtfulReference(): boolean {
    const images = new PossibleImages(this.#text, this.#tags);
    const labels = new LabelStarts(this.#text);
    for (let end = this.#text.indexOf(']'); end !== -1; end = this.#text.indexOf(']', end + 1)) {
      const start = labels.startFor(end);
      // A definition is no image, unless its label is: `![a\]]:`.
      const isDefinition = this.#text[end + 1] === ':' && start !== -1 && this.#text[start - 1] !== '!';
      if (!isDefinition && images.mayClose(end)) return true;
    }
    return false;
  }

  #judgeDefinition(bracket: Bracket | undefined, end: number): void {
    const label = bracket !== undefined && this.#beginsLine(bracket.start) ? this.#text.slice(bracket.start + 1, Math.min(end, bracket.start + 1_000)) : undefined;
    if (label === undefined && !this.#disarmsDefinitions) return;
    // Within a line not over other brackets: each character is looked at for one definition alone.
    const [before = '', url = ''] = this.#match(label === undefined ? 'address' : 'definition', end + 1);
    const isRefused = this.#disarmsDefinitions || (label !== undefined && isLikeMark(label));
    const isHarmful = (isRefused && this.#urls.isExternal(url)) || (label !== undefined && this.#urls.carriesData(url));
    if (url === '' || url === MARK || !isHarmful) return;
    const urlEnd = end + 1 + before.length;
    this.#redact('url', { urlStart: urlEnd - url.length, urlEnd });
  }

  #judgeAngle(start: number): void {
    const tag = this.#tags.read(start);
    const end = tag === undefined ? this.#endOfEndless(start) : this.#endOfLoading(start, tag);
    if (end !== undefined) {
      this.#redactImage(start, end);
      return;
    }
    const [autolink = '', url = ''] = this.#match('autolink', start);
    if (autolink !== '' && this.#urls.carriesData(url)) this.#redact('autolink', { urlStart: start, urlEnd: start + autolink.length });
  }

  #endOfLoading(start: number, tag: OpeningTag): number | undefined {
    return tag.loads ? tag.end : this.#contents.endOfLoading(start, tag);
  }

  /** Of a tag that does not end: who shows it may find a `>` behind the text. */
  #endOfEndless(start: number): number | undefined {
    if (!isLoading(this.#tags.nameAt(start))) return undefined;
    const [tag = ''] = this.#match('endless', start);
    if (!tag.includes('=')) return undefined;
    for (const [, value = ''] of tag.matchAll(/=\s*["']?([^\s"'>]+)/g)) if (this.#urls.isExternal(value)) return start + tag.length;
    return undefined;
  }

  /** Also in a quote, in a list. */
  #beginsLine(start: number): boolean {
    let index = start - 1;
    while (' \t>*+-.)0123456789'.includes(this.#text[index] ?? '\n')) index -= 1;
    return index < 0 || this.#text[index] === '\n';
  }

  #match(name: Exclude<keyof ReturnType<typeof createPatterns>, 'token'>, index: number): readonly (string | undefined)[] {
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

  #redact(rule: LinkRule, { urlStart, urlEnd }: Pick<Destination, 'urlStart' | 'urlEnd'>): void {
    this.#changes.add(rule, urlStart, urlEnd);
    this.#decided = urlEnd;
  }
}

/** Of one pass: they remember where they are. */
function createPatterns() {
  return {
    token: /[[\]]|<(?=[a-z])/gi,
    definition: /:[\s<>]*([^\s<>]+)/y,
    address: /:[\s<>]*([^\s<>[\]]+)/y,
    /** As far as it may go. */
    endless: /<[^<>]*>?/y,
    embed: /!\[\[([^[\]|\n]*)(?:\|[^[\]\n]*)?\]\]/y,
    autolink: /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/iy,
  };
}
