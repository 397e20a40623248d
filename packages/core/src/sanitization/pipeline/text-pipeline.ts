import { Glance } from './glance.ts';
import { TextRewriter } from './rewriter.ts';
import type { Tally } from './tally.ts';
import type { Rewriter, TextStep } from './text-step.ts';

/**
 * The text after each of the steps, in their order; what they did is counted in `tally`. Takes well-formed text
 * and gives well-formed text, the same string when no step changed it.
 */
export function cleanText(text: string, steps: readonly TextStep[], tally: Tally): string {
  return cleanGlanced(new Glance(text), steps, tally).text;
}

/** The same for a text of which something may be known, and what is known of what comes out. */
export function cleanGlanced(glance: Glance, steps: readonly TextStep[], tally: Tally): Glance {
  return cleanGuarded(glance, steps, { tally, guard: unguarded });
}

const unguarded: GuardSettings['guard'] = (_, rewriter) => rewriter;

export interface GuardSettings {
  readonly tally: Tally;
  /** Stands before the rewriter of each step: what of a change is made. */
  readonly guard: (text: string, rewriter: Rewriter) => Rewriter;
}

export function cleanGuarded(glance: Glance, steps: readonly TextStep[], { tally, guard }: GuardSettings): Glance {
  let cleaned = glance;
  for (const step of steps) cleaned = cleanStep(cleaned, step, { tally, guard });
  return cleaned;
}

/** One step of them. The same object when it changed nothing. */
export function cleanStep(glance: Glance, step: TextStep, { tally, guard = unguarded }: Partial<GuardSettings> & Pick<GuardSettings, 'tally'>): Glance {
  const rewriter = new TextRewriter(glance, step.name, tally);
  step.rewrite(glance.text, guard(glance.text, rewriter), glance);
  return rewriter.isChanged ? rewriter.finish() : glance;
}
