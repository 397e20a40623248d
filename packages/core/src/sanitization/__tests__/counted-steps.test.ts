import { expect, it } from '@jest/globals';
import { boundaryTags } from '../boundary-tags.ts';
import { cleanWord } from '../clean-nested.ts';
import { foldedView } from '../folded-view.ts';
import { Glance } from '../glance.ts';
import { invisibles } from '../invisibles.ts';
import { createSecretDetector } from '../secrets/secret-detector.ts';
import { Tally } from '../tally.ts';
import type { TextStep } from '../text-step.ts';
import { triggers } from '../triggers.ts';
import { WorkBudget } from '../work-budget.ts';

// Each kind of work is counted (ADR 0061): what is not counted could be asked for without a bound.

const COUNT = 1_000;
const HEADER = ['eyJhbGciOi', 'JIUzI1NiJ9'].join('');
const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });

const stepOn = (step: TextStep) => (text: string, work: WorkBudget) => {
  step.rewrite(text, { replace: () => undefined }, new Glance(text, { work }));
};
const find = (text: string, work: WorkBudget) => void detector.find(text, { toolName: 'tool', work });

it.each<[string, (text: string, work: WorkBudget) => unknown, string, number]>([
  ['what may be the name of a tag', stepOn(boundaryTags), '<external co ', 120],
  ['a trigger', stepOn(triggers(['__ot'])), '__ot( ', 80],
  ['a form that is read', foldedView, '&lt; ', 60],
  ['what begins a form and is none', foldedView, '%', 6],
  ['what may be the header of a token', find, `${HEADER}. `, 500],
  ['a value behind a name of a setting', find, 'API_TOKEN=abcdefghijklmnop ', 430],
  ['a name that rules know', find, 'my_long_name_of_a_key: ', 528],
])('%s', (_name, act, piece, least) => {
  const work = new WorkBudget(Infinity);
  act(`&lt;${piece.repeat(COUNT)}`, work);
  expect(work.spent).toBeGreaterThanOrEqual(least * COUNT);
});

it.each<[string, (text: string, work: WorkBudget) => unknown, string, number]>([
  ['a view', foldedView, '&lt;', 960],
  ['a look for hidden characters', stepOn(invisibles), '\u200b', 400],
  ['a string', (text, work) => cleanWord(text, [], { tally: new Tally(), work }), 'a', 250],
  ['a string with an escape, which is read twice', (text, work) => cleanWord(text, [], { tally: new Tally(), work }), '\\u0041', 400],
  ['a piece of a text that is read without what is hidden in it', find, `gh\\u200bp_${'a'.repeat(40)}`, 2_400],
])('%s, however short it is', (_name, act, text, least) => {
  const work = new WorkBudget(Infinity);
  act(text, work);
  expect(work.spent).toBeGreaterThanOrEqual(least);
});
