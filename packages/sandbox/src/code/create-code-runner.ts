import type { CodeOutcome, CodePlan, CodeRunner, ProcessLimits } from '@devs/core';
import type { CodeEngine } from './code-engine.ts';
import { CodeRun } from './code-run.ts';

export interface CodeRunnerOptions {
  /** Of the project: making its image costs as much as a run. */
  readonly engine: CodeEngine;
  /** Of one run's process. Its `outputBytes` do not count: a run that is in order writes none. */
  readonly limits: ProcessLimits;
  /** Of one run. */
  readonly maxToolCalls: number;
  /** By which devs's own notices are told from what tools say: `OutputPolicy.noticeId`. */
  readonly noticeId: string;
}

/** Runs each code in its own sandbox, which holds Node and the engine, no file of the project, and no network. */
export function createCodeRunner(options: CodeRunnerOptions): CodeRunner {
  return Object.freeze({ run: async (plan: CodePlan) => run(plan, options) });
}

async function run(plan: CodePlan, { engine, limits, ...rules }: CodeRunnerOptions): Promise<CodeOutcome> {
  plan.signal.throwIfAborted();
  const image = await engine.image(limits);
  plan.signal.throwIfAborted();
  const confined = await engine.start({ ...limits, wallMs: Math.min(plan.timeoutMs ?? limits.wallMs, limits.wallMs) });
  const kill = () => confined.kill();
  plan.signal.addEventListener('abort', kill);
  try {
    if (confined.channel === undefined) throw new TypeError('A confined process has no channel.');
    if (plan.signal.aborted) kill();
    const outcome = await new CodeRun(confined.channel, plan, { ...rules, image }).outcome(confined);
    plan.signal.throwIfAborted();
    return outcome;
  } finally {
    plan.signal.removeEventListener('abort', kill);
    kill();
    await confined.exit;
  }
}
