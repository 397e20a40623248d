import { FOREIGN_UNITS, toClass } from '../../protocol/unit-kinds.ts';
import { FormReader } from '../pipeline/encoded-forms.ts';
import { foldCharacter, foldForm, remember } from '../pipeline/folded-view.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';

/** Characters of query and fragment together; of one part of a path; of all three. In words even: a sentence of the conversation fits in. */
const MOST_QUERY = 256;
const MOST_BEHIND_HOST = 512;
const MOST_PATH_PART = 100;

/** Characters without meaning to a reader that one part may have. */
const MOST_OPAQUE = 40;

/** Says nothing that has to be judged, and nothing that has to be decoded. Most links are so. */
const SHORT = /^(?:https?:\/\/)?(?!\/\/)[^\0-\x20%&\\:@\x7f-\uffff]{0,39}$/;

const EXTERNAL = /^(?:[a-z][a-z0-9+.-]{0,31}:|[\\/]{2})/i;

/** Leads nowhere, whatever is behind: what comes before can be neither a scheme nor the beginning of `//`. Nor can the whole. */
const INTERNAL = /^(?:[a-z0-9+.-]*(?:[!-%'()*,;-@[\]^_`{|}~]|$)|\/(?:[!-%'-.0-[\]-~]|$)|[a-z0-9+.-]+\/)/i;

const ENTITIES = /&(?:#x[0-9a-f]{1,14}|#[0-9]{1,14}|[a-z][a-z0-9]{1,31});?/iy;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const FOREIGN = /[\x80-\u{10ffff}]/gu;
const NOT_IN_URLS = /[\s\p{Cc}]/gu;

/** What each of these may find: none is looked for where it cannot be. */
const MAY_HOLD_FORMS = /[&\\]/;
const MAY_BE_FOREIGN = new RegExp(`[${toClass(FOREIGN_UNITS)}]`);
const MAY_NOT_BE_IN_URLS = new RegExp(String.raw`[\0-\x20\x7f${toClass(FOREIGN_UNITS)}]`);

/** Steps of the work budget: of any look; for each unit of what has to be read; of reading what is disguised, at all and for each unit. */
const LOOK = 8;
const WAY = 4;
const READING = 160;
const READ = 8;
/** The same of its parts, and of the words of each. */
const PARTS = 5;
/** The same of a long text that may hold forms, and for each that it may hold. */
const DECODING = 2;
const FORM = 32;

/** Reads the URLs of one text as browsers do: each form and each foreign character in them is looked up once. */
export class UrlReader {
  readonly work: WorkBudget;
  readonly #entities = new RegExp(ENTITIES);
  readonly #foldForm = remember(foldForm);
  readonly #fold = remember(foldCharacter);
  #last: { readonly url: string; readonly ways: readonly string[] } = { url: '', ways: [''] };

  constructor(work: WorkBudget) {
    this.work = work;
  }

  /** A URL that leads away from the place where the text is shown: with a scheme, or `//host`. */
  isExternal(url: string): boolean {
    this.work.spend(LOOK + url.length);
    if (INTERNAL.test(url)) return false;
    return EXTERNAL.test(url) || this.#waysToRead(url).some((way) => EXTERNAL.test(way));
  }

  /**
   * Whether a URL could carry out what a model was told: one of these holds.
   * - Its scheme is `javascript`, `vbscript` or `data`, or it has a user before its host.
   * - Query and fragment have more than 256 characters together, or one part of the path more than 100, or all that is behind the host more than 512.
   * - A part between `/ ? & = # . , ; :` has 40 characters or more and is not made of words: letters alone or digits alone,
   *   20 at most, joined by `-`, `_`, `+`, `~` or `%xx`. Up to 64 hexadecimal digits in the path are a digest, as in a link to a commit.
   */
  carriesData(url: string): boolean {
    this.work.spend(LOOK + url.length);
    if (SHORT.test(url)) return false;
    if (url.length >= MOST_OPAQUE || url.includes('@')) this.work.spend(PARTS * url.length);
    return this.#waysToRead(url).some(holdsData);
  }

  /** What HTML decodes, and no more: backslashes are those of CSS. */
  decodeEntities(text: string): string {
    if (!text.includes('&')) return text;
    this.work.spend(DECODING * text.length);
    return this.#decode(text, (at) => endOfEntity(this.#entities, text, at));
  }

  /** Each URL is asked twice: where it leads, and what it carries. */
  #waysToRead(url: string): readonly string[] {
    if (url !== this.#last.url) this.#last = { url, ways: this.#readInWays(url) };
    return this.#last.ways;
  }

  /** As browsers read it, and as they do what Markdown has read before: to it, `https\://` is `https://`. */
  #readInWays(url: string): readonly string[] {
    this.work.spend(WAY * url.length);
    const read = this.#read(url);
    const unescaped = url.includes('\\') ? url.replace(/\\([!-/:-@[-`{-~])/g, '$1') : url;
    return unescaped === url ? [read] : [read, this.#read(unescaped)];
  }

  /** Decoded, with ASCII for what looks like it; percent signs stay, they are the URL's own. `java&#10;script:` is a scheme. */
  #read(url: string): string {
    if (!MAY_HOLD_FORMS.test(url) && !MAY_NOT_BE_IN_URLS.test(url)) return url;
    this.work.spend(READING + READ * url.length);
    const decoded = MAY_HOLD_FORMS.test(url) ? this.#decodeForms(url) : url;
    const folded = MAY_BE_FOREIGN.test(decoded) ? decoded.replace(FOREIGN, this.#fold) : decoded;
    return MAY_NOT_BE_IN_URLS.test(folded) ? folded.replace(NOT_IN_URLS, '') : folded;
  }

  #decodeForms(url: string): string {
    const forms = new FormReader(url, 'url');
    return this.#decode(url, (at) => forms.endAt(at));
  }

  /** A loop: `replace` with a function takes ten times as long for a short text. */
  #decode(text: string, endAt: (start: number) => number): string {
    let decoded = '';
    let kept = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code !== AMPERSAND && code !== BACKSLASH) continue;
      this.work.spend(FORM);
      const end = endAt(at);
      if (end < 0) continue;
      decoded += text.slice(kept, at) + this.#foldForm(text.slice(at, end));
      kept = end;
      at = kept - 1;
    }
    return kept === 0 ? text : decoded + text.slice(kept);
  }
}

function endOfEntity(entity: RegExp, text: string, at: number): number {
  entity.lastIndex = at;
  return entity.test(text) ? entity.lastIndex : -1;
}

function holdsData(read: string): boolean {
  if (/^(?:javascript|vbscript|data):/i.test(read)) return true;
  if (read.length < MOST_OPAQUE && !read.includes('@')) return false;
  const [, authority = '', path = '', query = ''] = /^(?:[a-z][a-z0-9+.-]{0,31}:)?(?:[\\/]{2}([^\\/?#]*))?([^?#]*)(.*)/is.exec(read) ?? [];
  if (authority.includes('@') || query.length > MOST_QUERY || path.length + query.length > MOST_BEHIND_HOST) return true;
  return partsOf(path).some((part) => part.length > MOST_PATH_PART || (isOpaque(part) && !/^(?:[0-9a-f]{40,64}|[0-9A-F]{40,64})$/.test(part)))
    || [...partsOf(query), ...partsOf(authority)].some(isOpaque);
}

function partsOf(text: string): readonly string[] {
  return text.split(/[\\/?&=#.,;:]/);
}

function isOpaque(part: string): boolean {
  return part.length >= MOST_OPAQUE && !part.split(/[-_+~]|%[0-9a-f]{2}/i).every((word) => /^(?:\p{L}{0,20}|[0-9]{0,20})$/u.test(word));
}
