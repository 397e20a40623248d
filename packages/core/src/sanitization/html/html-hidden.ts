const NEVER_SHOWN: ReadonlySet<string> = new Set([
  'audio', 'canvas', 'datalist', 'iframe', 'noembed', 'noframes', 'noscript', 'object', 'script', 'style', 'template', 'title', 'video',
]);

const VOID: ReadonlySet<string> = new Set([
  'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr',
]);

/** A browser opens these again after their parent has ended: `<div><b hidden></div>` hides what follows, too. */
const FORMATTING: ReadonlySet<string> = new Set([
  'a', 'b', 'big', 'code', 'em', 'font', 'i', 'nobr', 's', 'small', 'strike', 'strong', 'tt', 'u',
]);

/** Inside these the end of an outer element, or the beginning of the next of its kind, is of no effect. */
const SCOPES: ReadonlySet<string> = new Set([
  'applet', 'button', 'caption', 'dl', 'marquee', 'math', 'object', 'ol', 'select', 'svg', 'table', 'td', 'template', 'th', 'ul',
]);

const BLOCKS = [
  'address', 'article', 'aside', 'blockquote', 'center', 'details', 'div', 'dl', 'fieldset', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4',
  'h5', 'h6', 'header', 'hr', 'li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'ul',
] as const;

/** What ends an element that nobody has closed. */
const ENDED_BY: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['p', BLOCKS],
  ['li', ['li']],
  ['dt', ['dt', 'dd']],
  ['dd', ['dt', 'dd']],
  ['option', ['option', 'optgroup']],
  ['tr', ['tr', 'tbody', 'tfoot', 'thead']],
  ['td', ['td', 'th', 'tr', 'tbody', 'tfoot']],
  ['th', ['td', 'th', 'tr', 'tbody', 'tfoot']],
]);

/**
 * Whether a reader sees what comes now. Counts names in place of building a tree: of the hidden element and what is
 * open inside it, and of what is open outside. Where the two could differ from a browser, more is hidden.
 */
export class HiddenRegion {
  readonly #outside = new Counts();
  #inside = new Counts();
  #owner: string | undefined;

  get isOpen(): boolean {
    return this.#owner !== undefined;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (VOID.has(name)) return;
    const owner = this.#owner;
    if (owner !== undefined && !this.#holdsScope() && (ENDED_BY.get(owner) ?? []).includes(name)) this.#end();
    if (this.#owner !== undefined) this.#inside.add(name);
    else if (isHidden(name, attributes)) this.#owner = name;
    else this.#outside.add(name);
  }

  /** True: the hidden element itself has ended, of which nothing was shown. */
  close(name: string): boolean {
    const owner = this.#owner;
    if (owner === undefined) {
      this.#outside.remove(name);
      return false;
    }
    if (this.#inside.remove(name)) return false;
    if (name === owner) return this.#end();
    const isOuter = !FORMATTING.has(owner) && !SCOPES.has(owner) && !this.#holdsScope() && this.#outside.remove(name);
    if (isOuter && !FORMATTING.has(name)) this.#end();
    return false;
  }

  #holdsScope(): boolean {
    return this.#inside.some(SCOPES);
  }

  #end(): true {
    this.#owner = undefined;
    this.#inside = new Counts();
    return true;
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** False: none was open. */
  remove(name: string): boolean {
    const count = this.#counts.get(name) ?? 0;
    if (count > 1) this.#counts.set(name, count - 1);
    else this.#counts.delete(name);
    return count > 0;
  }

  some(names: ReadonlySet<string>): boolean {
    for (const name of names) if (this.#counts.has(name)) return true;
    return false;
  }
}

/** `aria-hidden` hides from screen readers alone: whoever looks at the page sees it. */
function isHidden(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (NEVER_SHOWN.has(name) || attributes.has('hidden')) return true;
  if (name === 'dialog' && !attributes.has('open')) return true;
  const style = attributes.get('style');
  return style !== undefined && declarationsOf(style).some(([property, value]) => HIDING.get(property)?.(value) === true);
}

/** Ways to hide a text that a page can say at the element itself. Style sheets are not read: a class says nothing here. */
const HIDING: ReadonlyMap<string, (value: string) => boolean> = new Map<string, (value: string) => boolean>([
  ['display', (value) => value === 'none'],
  ['visibility', (value) => value === 'hidden' || value === 'collapse'],
  ['content-visibility', (value) => value === 'hidden'],
  ['opacity', (value) => Number.parseFloat(value) < (value.endsWith('%') ? 5 : 0.05)],
  ['font-size', (value) => Number.parseFloat(value) <= (/\d(?:px|pt|%)$/.test(value) ? 1 : 0.05)],
  ['color', (value) => value === 'transparent'],
  ...['left', 'right', 'top', 'bottom', 'text-indent', 'margin-left', 'margin-top'].map(
    (property) => [property, (value: string) => Number.parseFloat(value) <= -500] as const,
  ),
]);

/** Names and values in lower case, without comments and escapes: `dis/**\/play: n\6fne` is read as a browser does. */
function declarationsOf(style: string): readonly (readonly [string, string])[] {
  return withoutComments(style)
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, code: string) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff)))
    .toLowerCase()
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':');
      return [declaration.slice(0, colon).trim(), declaration.slice(colon + 1).replace('!important', '').trim()] as const;
    });
}

/** By splitting: a pattern over `/*` without an end would look through the rest of it again for each. */
function withoutComments(style: string): string {
  return style.split('*/').map((part) => part.split('/*', 1).join('')).join('');
}
