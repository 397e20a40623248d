/** Text, or what a variable may stand for. */
type Step = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'value' | 'anything' };

const MOST_TEMPLATE = 2_048;
const MOST_URI = 8_192;
/** Each of them is looked for at each place of a URI: honest templates have a handful. */
const MOST_VARIABLES = 32;

/**
 * A URI template (RFC 6570) as far as it says which URIs are meant: `{name}` stands for what has no `/`, `?` or `#` in
 * it (level 1), every other expression for anything. Undefined for one that is none, is longer than 2,048 characters or
 * has more than 32 expressions.
 */
export class UriTemplate {
  readonly #steps: readonly Step[];
  /** The same for templates that differ in the names of their variables alone. */
  readonly shape: string;

  private constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.shape = steps.map((step) => (step.kind === 'text' ? step.text : `{${step.kind}}`)).join('');
  }

  static parse(template: string): UriTemplate | undefined {
    if (template.length > MOST_TEMPLATE) return undefined;
    const steps: Step[] = [];
    let rest = template;
    while (rest !== '') {
      const start = rest.indexOf('{');
      const end = rest.indexOf('}', start);
      if (start === -1) {
        steps.push({ kind: 'text', text: rest });
        break;
      }
      if (end === -1) return undefined;
      if (start > 0) steps.push({ kind: 'text', text: rest.slice(0, start) });
      steps.push({ kind: /^\{[\w.%]+\}$/.test(rest.slice(start, end + 1)) ? 'value' : 'anything' });
      rest = rest.slice(end + 1);
    }
    return steps.filter(({ kind }) => kind !== 'text').length > MOST_VARIABLES ? undefined : new UriTemplate(steps);
  }

  /**
   * All places of the URI at once for each step: no URI makes it go back.
   * @param spend told how many places were looked at, as it goes on
   */
  matches(uri: string, spend: (places: number) => void = () => undefined): boolean {
    spend(1);
    if (uri.length > MOST_URI || !this.#mayMatch(uri)) return false;
    let places: readonly number[] = [0];
    for (const step of this.#steps) {
      spend(places.length);
      places = step.kind === 'text' ? after(step.text, uri, places) : reach(uri, places, step.kind);
      if (places.length === 0) return false;
    }
    return places.at(-1) === uri.length;
  }

  /** By the text that it begins and ends with, which most have. */
  #mayMatch(uri: string): boolean {
    const [first, last] = [this.#steps.at(0), this.#steps.at(-1)];
    return uri.startsWith(first?.kind === 'text' ? first.text : '') && uri.endsWith(last?.kind === 'text' ? last.text : '');
  }
}

/** Where the text ends that begins at one of these. */
function after(text: string, uri: string, places: readonly number[]): readonly number[] {
  return places.filter((place) => uri.startsWith(text, place)).map((place) => place + text.length);
}

/** How far a variable may reach from these, which are in order. It may stand for nothing. */
function reach(uri: string, places: readonly number[], kind: 'value' | 'anything'): readonly number[] {
  const reached: number[] = [];
  for (const place of places) {
    // From there it reaches what it reaches from the one before.
    if (place <= (reached.at(-1) ?? -1)) continue;
    for (let next = place; next <= uri.length; next += 1) {
      reached.push(next);
      if (kind === 'value' && /[/?#]/.test(uri.charAt(next))) break;
    }
  }
  return reached;
}
