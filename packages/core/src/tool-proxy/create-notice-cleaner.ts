import { DEFAULT_OUTPUT_CONFIG } from '../config/output-config.ts';
import { signNotice } from '../sanitization/steps/wrap.ts';
import type { OutputPolicy } from '../sanitization/output-policy.ts';
import { WorkBudget } from '../sanitization/pipeline/work-budget.ts';
import type { CallNotice } from '../tool-registry/upstream-call.ts';
import { NoticeCleaner } from './notice-cleaner.ts';

/** Of one message, 0.04 ms. With the steps of a result, a server could have each of thousands cleaned for 30 ms. */
const FREE_STEPS = 20_000;

/** Cleans what a server behind devs says outside of any call: as if every tool of it were untrusted. Undefined for what is no such word. */
export function createNoticeCleaner(policy: OutputPolicy): (notice: unknown, server?: string) => CallNotice | undefined {
  const steps = policy.stepsFor({ name: '', labels: [] }, DEFAULT_OUTPUT_CONFIG, true);
  const sign = (text: string) => signNotice(text, policy.noticeId);
  // Each by itself: a connection has no end at which its bounds would begin anew.
  return (notice, server) => new NoticeCleaner(new WorkBudget(FREE_STEPS)).clean(notice, { steps, isForeign: true, server, sign });
}
