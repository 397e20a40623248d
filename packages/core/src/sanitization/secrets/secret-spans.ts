const KEY = 'private-key';
/** Known by a name before them alone: where another rule knows the same, it tells more. */
const BY_NAME = new Set(['named-secret', 'url-token']);

/**
 * Where secrets are, in plain numbers: a hostile text holds one in each dozen units, and an object for each would weigh
 * more than the text.
 */
export class SecretSpans {
  #starts: number[] = [];
  #ends: number[] = [];
  #rules: string[] = [];
  #sorted = true;

  get count(): number {
    return this.#starts.length;
  }

  add(start: number, end: number, rule: string): void {
    if (start < (this.#starts.at(-1) ?? 0)) this.#sorted = false;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#rules.push(rule);
  }

  /**
   * From left to right, none over another. Where two overlap all that either covers is secret, under the name of the one
   * that begins first; of two that begin together, the longer; never of one that a name alone gave away. A key has its own name only where nothing else goes on
   * behind it: to a second look its mark says that a line of it ends there.
   */
  *[Symbol.iterator](): Generator<{ start: number; end: number; rule: string }> {
    if (!this.#sorted) this.#sort();
    let next = 0;
    while (next < this.#starts.length) {
      const start = this.#starts[next] ?? 0;
      let end = this.#ends[next] ?? 0;
      let rule = this.#rules[next] ?? '';
      next += 1;
      while (next < this.#starts.length && (this.#starts[next] ?? 0) < end) {
        const other = this.#ends[next] ?? 0;
        const otherRule = this.#rules[next] ?? '';
        if (isBetter({ rule, end }, { rule: otherRule, end: other, isSameStart: this.#starts[next] === start })) rule = otherRule;
        end = Math.max(end, other);
        next += 1;
      }
      yield { start, end, rule };
    }
  }

  #sort(): void {
    const starts = this.#starts;
    const order = Uint32Array.from(starts.keys()).sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0) || a - b);
    this.#starts = Array.from(order, (index) => starts[index] ?? 0);
    const [ends, rules] = [this.#ends, this.#rules];
    this.#ends = Array.from(order, (index) => ends[index] ?? 0);
    this.#rules = Array.from(order, (index) => rules[index] ?? '');
    this.#sorted = true;
  }
}

interface Candidate {
  readonly rule: string;
  readonly end: number;
}

/** Whether the name of the span that follows is the better one for both. */
function isBetter({ rule, end }: Candidate, other: Candidate & { readonly isSameStart: boolean }): boolean {
  if (BY_NAME.has(rule) !== BY_NAME.has(other.rule)) return BY_NAME.has(rule);
  return other.end > end && (other.isSameStart || rule === KEY);
}
