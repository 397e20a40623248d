import { Tally } from '../tally.ts';
import { cleanText } from '../text-pipeline.ts';
import type { TextStep } from '../text-step.ts';

/** A text after these steps, in one run. */
export function clean(text: string, ...steps: readonly TextStep[]): string {
  return cleanText(text, steps, new Tally());
}
