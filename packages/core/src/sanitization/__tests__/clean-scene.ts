import { WorkBudget } from '../work-budget.ts';
import { Tally } from '../tally.ts';
import { cleanText } from '../text-pipeline.ts';
import type { TextStep } from '../text-step.ts';
import { UrlReader } from '../url-data.ts';

/** A text after these steps, in one run. */
export function clean(text: string, ...steps: readonly TextStep[]): string {
  return cleanText(text, steps, new Tally());
}

/** With all the work that it may want. */
export function createUrlReader(): UrlReader {
  return new UrlReader(new WorkBudget(Infinity));
}
