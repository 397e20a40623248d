import { expect, it, jest } from '@jest/globals';
import { cleanWord } from '../json/clean-nested.ts';
import { foldedView } from '../pipeline/folded-view.ts';
import { Glance } from '../pipeline/glance.ts';
import { Tally } from '../pipeline/tally.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';
import { createSecretDetector } from '../secrets/secret-detector.ts';
import { boundaryTags } from '../steps/boundary-tags.ts';
import { triggers } from '../steps/triggers.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { createPipeline, type PipelineWishes } from './pipeline-scene.ts';

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
  ['what may be an entry of a netrc', find, 'machine a login b password Xk9pQ7zRt1\n', 1_200],
  ['what may be a setting behind others', find, `${'uid=a;'.repeat(20)}pwd=Xk9pQ7;=;`, 1_600],
  ['a name that rules know', find, 'my_long_name_of_a_key: ', 528],
  ['a value of a manifest', find, 'kind: Secret\ndata:\n  a: b\n', 1_400],
  ['the kind of a manifest', find, 'kind: Secret\n---\n', 650],
])('%s', (_name, act, piece, least) => {
  const work = new WorkBudget(Infinity);
  act(`&lt;${piece.repeat(COUNT)}`, work);
  expect(work.spent).toBeGreaterThanOrEqual(least * COUNT);
});

it.each<[string, (text: string, work: WorkBudget) => unknown, string, number]>([
  ['a view', foldedView, `&lt;${'a'.repeat(256)}`, 960],
  ['the text of the view of a name or a value', foldedView, '&lt;', 410],
  ['a look for hidden characters', stepOn(invisibles), '\u200b', 400],
  ['a string', (text, work) => cleanWord(text, [], { tally: new Tally(), work }), 'a', 250],
  ['a string with an escape, which is read twice', (text, work) => cleanWord(text, [], { tally: new Tally(), work }), '"\\u0041"', 650],
  ['a string with an escape that is no document', (text, work) => cleanWord(text, [], { tally: new Tally(), work }), '\\u0041', 250],
  ['a piece of a text that is read without what is hidden in it', find, `gh\\u200bp_${'a'.repeat(40)}`, 2_400],
])('%s, however short it is', (_name, act, text, least) => {
  const work = new WorkBudget(Infinity);
  act(text, work);
  expect(work.spent).toBeGreaterThanOrEqual(least);
});

/** Units that a result brings steps for, and steps that it spends. */
function measure(raw: unknown, wishes?: PipelineWishes): { readonly units: number; readonly steps: number } {
  const [grant, spend] = [jest.spyOn(WorkBudget.prototype, 'grant'), jest.spyOn(WorkBudget.prototype, 'spend')];
  try {
    createPipeline(wishes)(raw);
    const sum = (calls: readonly (readonly [number])[]) => calls.reduce((total, [count]) => total + count, 0);
    return { units: sum(grant.mock.calls), steps: sum(spend.mock.calls) };
  } finally {
    jest.restoreAllMocks();
  }
}

it('each unit of a page', () => {
  const text = '<p>a</p>'.repeat(COUNT);
  const { steps } = measure({ content: [{ type: 'text', text, markup: 'html' }] }, { context: { authorship: 'own' } });
  expect(steps).toBeGreaterThanOrEqual(10 * text.length);
});

it('each string of structured content, whose JSON brings no second budget', () => {
  const list = Array.from({ length: COUNT }, (_, index) => `item ${String(index)}`);
  const { units, steps } = measure({ content: [], structuredContent: { list } });
  expect(steps).toBeGreaterThanOrEqual(350 * COUNT);
  expect(units).toBeLessThan(1.5 * JSON.stringify({ list }).length);
});
