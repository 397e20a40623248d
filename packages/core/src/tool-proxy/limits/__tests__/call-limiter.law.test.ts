import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { DevsError } from '../../../errors.ts';
import { createScene, settle, type Attempt, type SceneLimits } from './scene.ts';

const MINUTE = 60_000;
const TOOLS = ['a', 'b', 'c', 'free'] as const;
/** `a` and `b` are of one server. */
const OF_SERVER: readonly string[] = ['a', 'b'];

const limits = fc.record(
  { atOnce: fc.integer({ min: 1, max: 3 }), perMinute: fc.option(fc.integer({ min: 1, max: 4 })) },
  { requiredKeys: [] },
);
const anyLimits = fc.record({ principal: limits, a: limits, c: limits, server: limits }).map(
  ({ principal, a, c, server }): SceneLimits => ({ principal, tools: { a, c }, servers: { s: { ...server, tools: OF_SERVER } } }),
);

const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      principal: fc.constantFrom('p', 'q', 'r'),
      tool: fc.constantFrom(...TOOLS),
      isChild: fc.boolean(),
      timeoutMs: fc.constantFrom(1, 5_000, 1e9, 1e9, 1e9),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'leave twice' as const), which: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const), milliseconds: fc.constantFrom(1, 999, 30_000, MINUTE) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;
type Scene = ReturnType<typeof createScene>;

/** What one limit covers, and how many of it there may be. */
function countersOf({ principal = {}, tools = {}, servers = {} }: SceneLimits) {
  const { s = { tools: [] } } = servers;
  return [
    ...['p', 'q', 'r'].flatMap((name) => [
      { atOnce: principal.atOnce ?? 64, perMinute: null, covers: ({ asking }: Attempt) => asking.principal === name && !asking.isChild },
      { atOnce: undefined, perMinute: principal.perMinute ?? null, covers: ({ asking }: Attempt) => asking.principal === name },
    ]),
    ...TOOLS.map((tool) => ({ atOnce: tools[tool]?.atOnce, perMinute: tools[tool]?.perMinute ?? null, covers: ({ asking }: Attempt) => asking.tool === tool })),
    { atOnce: s.atOnce, perMinute: s.perMinute ?? null, covers: ({ asking }: Attempt) => OF_SERVER.includes(asking.tool) },
  ];
}

async function play({ ask, attempts, time }: Scene, step: Step, left: Set<Attempt>): Promise<void> {
  if (step.do === 'ask') ask(step);
  else if (step.do === 'pass') await time.pass(step.milliseconds);
  else {
    const attempt = attempts[step.which % Math.max(1, attempts.length)];
    if (attempt === undefined) return;
    if (step.do === 'cancel') attempt.cancel();
    else if (attempt.begunAt !== undefined) {
      left.add(attempt);
      attempt.leave();
      if (step.do === 'leave twice') attempt.leave();
    }
  }
  await settle();
}

async function keepsLimits(said: SceneLimits, steps: readonly Step[]): Promise<void> {
  const scene = createScene(said);
  const { attempts, time } = scene;
  const counters = countersOf(said);
  const left = new Set<Attempt>();
  const check = () => {
    for (const { atOnce = Infinity, perMinute, covers } of counters) {
      const begun = attempts.filter((attempt) => attempt.begunAt !== undefined && covers(attempt));
      expect(begun.filter((attempt) => !left.has(attempt)).length).toBeLessThanOrEqual(atOnce);
      if (perMinute === null) continue;
      for (const { begunAt = 0 } of begun) expect(begun.filter((other) => (other.begunAt ?? 0) >= begunAt && (other.begunAt ?? 0) < begunAt + MINUTE).length).toBeLessThanOrEqual(perMinute);
    }
  };
  for (const step of steps) {
    await play(scene, step, left);
    check();
  }
  // Nobody waits for ever, once those before it end; and whoever was refused was told why.
  for (let rounds = 0; attempts.some(({ begunAt, refusal }) => begunAt === undefined && refusal === undefined); rounds += 1) {
    expect(rounds).toBeLessThan(attempts.length * 2 + 2);
    for (const attempt of attempts.filter(({ begunAt }) => begunAt !== undefined)) {
      left.add(attempt);
      attempt.leave();
    }
    await time.pass(MINUTE);
    check();
  }
  for (const attempt of attempts) attempt.leave();
  for (const { refusal } of attempts) expect(refusal === undefined || (DevsError.is(refusal) && ['TOO_MANY_CALLS', 'CALL_CANCELLED'].includes(refusal.code))).toBe(true);
  await time.pass(MINUTE);
  // No place was lost, whoever was cancelled or left twice; and no timer goes on.
  expect(time.timers).toBe(0);
  for (const principal of ['p', 'q', 'r']) {
    for (const tool of TOOLS) await hasAllPlaces(scene, counters, { principal, tool });
  }
}

/** As many as may, and not one more, begin without waiting. */
async function hasAllPlaces({ ask, time }: Scene, counters: ReturnType<typeof countersOf>, asking: { readonly principal: string; readonly tool: string }) {
  const whole = { ...asking, isChild: false, timeoutMs: 1e9 };
  const covering = counters.filter(({ covers }) => covers({ asking: whole } as Attempt));
  const places = Math.min(5, ...covering.flatMap(({ atOnce, perMinute }) => [atOnce ?? 5, perMinute ?? 5]));
  const asked = Array.from({ length: places + 1 }, () => ask(whole));
  expect(asked.map(({ isImmediate }) => isImmediate)).toEqual(asked.map((_, index) => index < places || places === 5));
  for (const attempt of asked.toReversed()) {
    attempt.cancel();
    attempt.leave();
  }
  await time.pass(MINUTE);
}

describe('whoever asks, leaves or goes away, in whatever order', () => {
  it('keeps every limit, starves nobody, and loses no place', async () => {
    await fc.assert(fc.asyncProperty(anyLimits, fc.array(anyStep, { maxLength: 40 }), keepsLimits), lawRuns(300));
  });
});
