import { expect, it } from '@jest/globals';
import { cleanNested } from '../json/clean-nested.ts';
import { Glance } from '../pipeline/glance.ts';
import { Tally } from '../pipeline/tally.ts';
import type { TextStep } from '../pipeline/text-step.ts';

/** Replaces the first occurrence, and counts how often it was asked. */
function replaceFirst(name: TextStep['name'], sought: string, by: string) {
  const step = {
    name,
    asked: 0,
    rewrite(text: string, rewriter: Parameters<TextStep['rewrite']>[1]) {
      step.asked += 1;
      const at = text.indexOf(sought);
      if (at >= 0) rewriter.replace(at, at + sought.length, { by, rule: 'test' });
    },
  };
  return step;
}

const clean = (text: string, steps: readonly TextStep[]) => cleanNested(new Glance(text), steps, new Tally()).text;

it('a second look asks the steps up to the last that changed the text, and no other', () => {
  const steps = [replaceFirst('invisibles', 'x', ''), replaceFirst('secrets', 'y', '')] as const;
  expect(clean('axb', steps)).toBe('ab');
  expect(steps.map(({ asked }) => asked)).toEqual([2, 1]);
});

it('asks the others too when one of them changes the text once more: what comes out was seen by all', () => {
  const steps = [replaceFirst('invisibles', 'aab', 'ab'), replaceFirst('secrets', ' ab', ' [mark]')] as const;
  expect(clean('- aaab', steps)).toBe('- [mark]');
});
