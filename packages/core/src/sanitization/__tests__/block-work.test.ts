import { describe, expect, it } from '@jest/globals';
import { boundaryTags } from '../steps/boundary-tags.ts';
import { markOverEdges } from '../results/marks-over-edges.ts';
import { redactText } from '../json/redact-secrets.ts';
import { SecretScanner } from '../secrets/secret-scanner.ts';
import { createSecretDetector } from '../secrets/secret-detector.ts';
import { Tally } from '../pipeline/tally.ts';
import { DEFAULT_TRIGGERS, triggers } from '../steps/triggers.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';

const block = (text: string) => ({ block: { type: 'text' as const, text }, isNotice: false });

describe('the work on many short texts', () => {
  it('counts what is read again over their edges, once for all that look there', () => {
    const work = new WorkBudget();
    const blocks = Array.from({ length: 100 }, () => block('<é_'.repeat(50)));
    markOverEdges(blocks, [boundaryTags, triggers(DEFAULT_TRIGGERS)], { tally: new Tally(), work });
    // 5,000 characters with an accent of 16 steps, and one view.
    expect(work.spent).toBe(5_000 * 16 + 900);
  });

  it('counts the searches of each, but no more in a long one', () => {
    const workOf = (units: number) => {
      const work = new WorkBudget();
      new SecretScanner().scan('a, b. '.repeat(units / 6), work);
      return work.spent;
    };
    expect([workOf(120), workOf(600), workOf(6_000), workOf(600_000)]).toEqual([0, 300, 1_000, 1_000]);
  });

  it('counts what hides a secret in a text for the log', () => {
    const work = new WorkBudget();
    redactText('\u001b[1ma'.repeat(10_000), { detector: createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) }), toolName: 't', work });
    expect(work.spent).toBeGreaterThanOrEqual(240_000);
  });
});
