import { WorkBudget } from '../pipeline/work-budget.ts';
import { Tally } from '../pipeline/tally.ts';
import { cleanText } from '../pipeline/text-pipeline.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import { UrlReader } from '../html/url-data.ts';

/** A text after these steps, in one run. */
export function clean(text: string, ...steps: readonly TextStep[]): string {
  return cleanText(text, steps, new Tally());
}

/** With all the work that it may want. */
export function createUrlReader(): UrlReader {
  return new UrlReader(new WorkBudget(Infinity));
}
