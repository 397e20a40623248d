import { TextRewriter } from './rewriter.ts';
import type { Tally } from './tally.ts';
import type { TextStep } from './text-step.ts';

/**
 * The text after each of the steps, in their order; what they did is counted in `tally`. Takes well-formed text
 * and gives well-formed text, the same string when no step changed it.
 */
export function cleanText(text: string, steps: readonly TextStep[], tally: Tally): string {
  let cleaned = text;
  for (const step of steps) {
    const rewriter = new TextRewriter(cleaned, step.name, tally);
    step.rewrite(cleaned, rewriter);
    cleaned = rewriter.finish();
  }
  return cleaned;
}
