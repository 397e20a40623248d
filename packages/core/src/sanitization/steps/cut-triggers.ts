import { Glance } from '../pipeline/glance.ts';
import type { TextStep } from '../pipeline/text-step.ts';

/**
 * Where a trigger begins that ends with a text; undefined: none does. In a clean text a letter follows what seems to be
 * one, `__otter`: a cut between the two would make a trigger of it.
 */
export function triggerAtEnd(steps: readonly TextStep[]): (text: string) => number | undefined {
  const step = steps.find(({ name }) => name === 'triggers');
  return (text) => {
    let last: number | undefined;
    const replace = (start: number, end: number) => {
      if (end === text.length) last = start;
    };
    step?.rewrite(text, { replace }, new Glance(text));
    return last;
  };
}
