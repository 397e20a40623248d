import type { ChangeMap } from '../pipeline/change-map.ts';
import { Glance } from '../pipeline/glance.ts';
import { NumberStack } from '../pipeline/number-stack.ts';
import { MappingRewriter } from '../pipeline/rewriter.ts';
import { Tally } from '../pipeline/tally.ts';
import type { Rewriter } from '../pipeline/text-step.ts';

export const MARK = '[REDACTED:link]';

const RULES = ['image', 'url', 'autolink'] as const;
export type LinkRule = (typeof RULES)[number];

/** What becomes a mark, from left to right. In numbers: of a hostile text it is millions. */
export class LinkChanges {
  readonly #starts = new NumberStack('large');
  readonly #ends = new NumberStack('large');
  readonly #rules = new NumberStack('small');

  get count(): number {
    return this.#starts.length;
  }

  add(rule: LinkRule, start: number, end: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
    this.#rules.push(RULES.indexOf(rule));
  }

  tell(rewriter: Rewriter): void {
    for (let index = 0; index < this.count; index += 1) {
      rewriter.replace(this.#starts.at(index), this.#ends.at(index), { by: MARK, rule: RULES[this.#rules.at(index)] ?? 'image' });
    }
  }

  applyTo(text: string): AppliedChanges {
    const rewriter = new MappingRewriter(new Glance(text), 'links', new Tally());
    this.tell(rewriter);
    return { text: rewriter.finish().text, map: rewriter.changes };
  }
}

/** A text, and what of it stands for what of its source. */
export interface AppliedChanges {
  readonly text: string;
  readonly map: ChangeMap;
}

/** One change after the other, each no longer than it is: what stands between two of them stays what it is. */
export function tellMap({ text, map }: AppliedChanges, rewriter: Rewriter): void {
  for (const cursor = map.cursor(); !cursor.isDone; cursor.advance()) {
    const { sourceStart, sourceEnd, viewStart, viewEnd, cause } = cursor;
    rewriter.replace(sourceStart, sourceEnd, { by: text.slice(viewStart, viewEnd), rule: cause.rule });
  }
}
