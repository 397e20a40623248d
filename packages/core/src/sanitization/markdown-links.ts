import { Destinations, type Destination } from './markdown-destinations.ts';
import { carriesData, isExternal } from './url-data.ts';
import type { Rewriter, TextStep } from './text-step.ts';

const MARK = '[REDACTED:link]';

/**
 * Markdown that could carry data out. A client that shows an image asks its server at once, with all that the URL holds;
 * a link does so when it is clicked.
 * - An image (inline, by reference, `<img>`) with an external URL becomes `[REDACTED:link]`, whatever the URL holds.
 * - A link, an autolink or a definition whose URL could carry data (`carriesData`) keeps its text; the URL becomes the mark.
 * - A definition of a label that begins like a mark is disarmed, so that no mark becomes a link.
 * Everything else survives byte for byte, bare URLs too: nobody follows them unasked.
 */
export const markdownLinks: TextStep = {
  name: 'links',
  rewrite(text, rewriter) {
    if (!text.includes('](') && !text.includes(']:') && !text.includes('<')) return;
    new LinkPass(text, rewriter).run();
  },
};

/** Brackets that are open at once: the outermost are forgotten first. */
const MOST_OPEN = 64;

interface Bracket {
  readonly start: number;
  readonly isImage: boolean;
}

class LinkPass {
  readonly #text: string;
  readonly #rewriter: Rewriter;
  readonly #externalLabels: ReadonlySet<string>;
  readonly #destinations: Destinations;
  readonly #patterns = createPatterns();
  #open: Bracket[] = [];
  #decided = 0;

  constructor(text: string, rewriter: Rewriter) {
    this.#text = text;
    this.#rewriter = rewriter;
    this.#destinations = new Destinations(text);
    this.#externalLabels = externalLabelsOf(text);
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
    if (follows === '(') this.#judgeInline(bracket, end);
    else if (bracket?.isImage === true) this.#judgeReference(bracket, end);
    else if (follows === ':' && bracket !== undefined) this.#judgeDefinition(bracket, end);
  }

  #judgeInline(bracket: Bracket | undefined, end: number): void {
    const destination = this.#destinations.at(end + 2);
    if (destination === undefined) return;
    if (bracket?.isImage === true && isExternal(destination.url)) this.#redactImage(bracket.start, destination.end);
    else if (carriesData(destination.url) || this.#isBroken(destination)) this.#redact('url', destination);
  }

  /** No URL has an angle in it: what stands behind it is not judged as one, so that nothing may stand before it. */
  #isBroken({ url, urlEnd }: Destination): boolean {
    return this.#text[urlEnd] === '<' && !url.startsWith(MARK);
  }

  #judgeReference({ start }: Bracket, end: number): void {
    if (this.#externalLabels.size === 0) return;
    const own = this.#text.slice(start + 2, Math.min(end, start + 2 + MOST_LABEL + 1));
    const [other = '', label = ''] = this.#match('label', end + 1);
    if (this.#externalLabels.has(normalizeLabel(label === '' ? own : label))) this.#redactImage(start, end + 1 + other.length);
  }

  #judgeDefinition({ start }: Bracket, end: number): void {
    if (!this.#beginsLine(start)) return;
    const [before = '', url = ''] = this.#match('definition', end + 1);
    const label = this.#text.slice(start + 1, Math.min(end, start + 1 + MOST_LABEL + 1));
    if (url === '' || url === MARK || !(isLikeMark(label) || carriesData(url))) return;
    const urlEnd = end + 1 + before.length;
    this.#redact('url', { urlStart: urlEnd - url.length, urlEnd });
  }

  #judgeAngle(start: number): void {
    const [tag = ''] = this.#match('image', start);
    if (tag !== '' && isExternalImage(tag)) this.#redactImage(start, start + tag.length);
    const [autolink = '', url = ''] = tag === '' ? this.#match('autolink', start) : [];
    if (autolink !== '' && carriesData(url)) this.#redact('autolink', { urlStart: start, urlEnd: start + autolink.length });
  }

  #beginsLine(start: number): boolean {
    let index = start - 1;
    while (index >= start - 16 && (this.#text[index] === ' ' || this.#text[index] === '>')) index -= 1;
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

/** Characters of a label. CommonMark allows 999. */
const MOST_LABEL = 999;

/** Labels whose definition leads away, as images may name them. */
function externalLabelsOf(text: string): ReadonlySet<string> {
  if (!text.includes(']:') || !text.includes('![')) return new Set();
  const definitions = text.matchAll(/(?<=^[ >]{0,16})\[([^[\]]{1,999})\]:\s{0,64}<?([^\s<>]+)/gm);
  const labels = new Set<string>();
  for (const [, label = '', url = ''] of definitions) if (!isLikeMark(label) && isExternal(url)) labels.add(normalizeLabel(label));
  return labels;
}

function normalizeLabel(label: string): string {
  return label.trim().replace(/\s{1,999}/g, ' ').toLowerCase().toUpperCase();
}

function isLikeMark(label: string): boolean {
  return /^\s{0,99}redacted:/i.test(label);
}

function isExternalImage(tag: string): boolean {
  const values = tag.matchAll(/=\s{0,64}["']?([^\s"'>]+)/g);
  for (const [, value = ''] of values) if (isExternal(value)) return true;
  return false;
}

/** Of one pass: they remember where they are. */
function createPatterns() {
  return {
    label: /\[([^[\]]{0,1000})\]/y,
    definition: /:\s{0,64}<?([^\s<>]+)/y,
    image: /<img(?=[\s/>])[^<>]*>?/iy,
    autolink: /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/iy,
  };
}
