import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../../errors.ts';
import { createScene, settle, type Attempt } from './scene.ts';

function codeOf({ refusal }: Attempt): string | undefined {
  return DevsError.is(refusal) ? refusal.code : undefined;
}

/** Ends each call that runs, in the order in which they began, and tells who that was. */
async function runAll({ attempts }: ReturnType<typeof createScene>): Promise<readonly string[]> {
  for (;;) {
    const count = attempts.filter(({ begunAt }) => begunAt !== undefined).length;
    for (const attempt of attempts) attempt.leave();
    await settle();
    if (attempts.filter(({ begunAt }) => begunAt !== undefined).length === count) break;
  }
  const begun = attempts.filter(({ turn }) => turn > 0).toSorted((one, other) => one.turn - other.turn);
  return begun.map(({ asking }) => asking.principal);
}

describe('where there is room', () => {
  it('a call begins before anything else happens, and no clock is read nor timer set for it', () => {
    const { ask, time } = createScene({ tools: { a: { atOnce: 1 } } });
    expect([ask().isImmediate, ask({ tool: 'a' }).isImmediate]).toEqual([true, true]);
    expect([time.timers, time.reads]).toEqual([0, 2]); // the scene's own, of when they began
  });

  it('64 calls of a principal run at once, each principal has its own, and the next begins when one ends', async () => {
    const { ask } = createScene({});
    const many = Array.from({ length: 65 }, () => ask());
    expect(many.filter(({ isImmediate }) => isImmediate)).toHaveLength(64);
    expect(ask({ principal: 'other' }).isImmediate).toBe(true);
    many[7]?.leave();
    await settle();
    expect(many[64]?.begunAt).toBeDefined();
  });
});

describe('turns', () => {
  it.each([
    ['one tool', { tools: { a: { atOnce: 1 } } }, ['a']],
    ['one server', { servers: { s: { atOnce: 1, tools: ['a', 'b'] } } }, ['a', 'b']],
  ])('a flood of one principal does not delay another at %s', async (_, limits, tools) => {
    const scene = createScene(limits);
    for (let index = 0; index < 20; index += 1) scene.ask({ principal: 'flood', tool: tools[index % tools.length] ?? '' });
    for (let index = 0; index < 3; index += 1) scene.ask({ principal: 'other', tool: 'a' });
    expect((await runAll(scene)).slice(0, 8).join(' ')).toBe('flood flood other flood other flood other flood');
  });

  it('one that comes later does not wait for all that another has brought', async () => {
    const scene = createScene({ tools: { a: { atOnce: 1 } } });
    for (let index = 0; index < 20; index += 1) scene.ask({ principal: 'flood', tool: 'a' });
    for (const attempt of scene.attempts.slice(0, 10)) {
      attempt.leave();
      await settle();
    }
    const late = scene.ask({ principal: 'late', tool: 'a' });
    await runAll(scene);
    expect(late.turn).toBe(13);
  });

  it('at another tool nobody waits for them, not even the same principal', () => {
    const { ask } = createScene({ tools: { a: { atOnce: 1 } } });
    for (let index = 0; index < 20; index += 1) ask({ tool: 'a' });
    expect([ask({ tool: 'b' }).isImmediate, ask({ principal: 'other', tool: 'b' }).isImmediate]).toEqual([true, true]);
  });

  it('who waits goes before who comes when time has made room, though the timer is late', async () => {
    const { ask, time } = createScene({ tools: { a: { perMinute: 1 } } });
    ask({ tool: 'a' });
    const first = ask({ tool: 'a' });
    await time.pass(59_999);
    expect(first.begunAt).toBeUndefined();
    time.jump(10);
    expect(ask({ tool: 'a' }).isImmediate).toBe(false);
    await settle();
    expect(first.begunAt).toBeDefined();
  });

  it('a call that its principal has no place for gets the next one, whatever else its principal calls', async () => {
    const { ask } = createScene({ principal: { atOnce: 1 }, tools: { a: { atOnce: 1 } } });
    const [elsewhere, running] = [ask({ principal: 'other', tool: 'a' }), ask()];
    const unlucky = ask({ tool: 'a' });
    const next = ask();
    elsewhere.leave(); // There is room for its tool, none for its principal: from now on it is owed one.
    await settle();
    const again = ask({ principal: 'other', tool: 'a' });
    expect(again.isImmediate).toBe(true);
    running.leave();
    await settle();
    expect([unlucky.begunAt, next.begunAt]).toEqual([undefined, undefined]);
    again.leave();
    await settle();
    expect(unlucky.begunAt).toBeDefined();
    unlucky.leave();
    await settle();
    expect(next.begunAt).toBeDefined();
  });

  it('what is kept for a call that goes away is free again', async () => {
    const { ask } = createScene({ principal: { atOnce: 1 }, tools: { a: { atOnce: 1 } } });
    const [elsewhere, running] = [ask({ principal: 'other', tool: 'a' }), ask()];
    const unlucky = ask({ tool: 'a' });
    const next = ask();
    elsewhere.leave();
    ask({ principal: 'other', tool: 'a' });
    running.leave();
    unlucky.cancel();
    await settle();
    expect([codeOf(unlucky), next.begunAt === undefined]).toEqual(['CALL_CANCELLED', false]);
  });
});

describe('children', () => {
  it('take no place of their principal: the call that waits for them has it', () => {
    const { ask } = createScene({ principal: { atOnce: 1 } });
    expect([ask().isImmediate, ask({ isChild: true }).isImmediate, ask({ isChild: true }).isImmediate, ask().isImmediate]).toEqual([true, true, true, false]);
  });

  it('count for their tool, their server and the rate', () => {
    const { ask } = createScene({ principal: { perMinute: 3 }, tools: { a: { atOnce: 1 } }, servers: { s: { atOnce: 1, tools: ['b'] } } });
    expect([ask({ tool: 'a', isChild: true }), ask({ tool: 'a', isChild: true })].map(({ isImmediate }) => isImmediate)).toEqual([true, false]);
    expect([ask({ tool: 'b', isChild: true }), ask({ tool: 'b', isChild: true })].map(({ isImmediate }) => isImmediate)).toEqual([true, false]);
    expect([ask({ isChild: true }), ask({ isChild: true })].map(({ isImmediate }) => isImmediate)).toEqual([true, false]);
  });

  it('are not kept waiting for a call that waits for the one that has called them', async () => {
    const { ask, time } = createScene({ principal: { atOnce: 1, perMinute: 1 } });
    ask();
    await time.pass(30_000);
    ask();
    const child = ask({ isChild: true });
    await time.pass(30_000);
    expect(child.begunAt).toBeDefined();
  });
});

describe('what waits', () => {
  it('leaves the line at once when its caller goes away, and holds nothing', async () => {
    const { ask, time } = createScene({ principal: { atOnce: 1 } });
    const [first, second, third] = [ask(), ask(), ask()];
    second.cancel();
    first.leave();
    await settle();
    expect([codeOf(second), second.begunAt, third.begunAt === undefined, time.timers]).toEqual(['CALL_CANCELLED', undefined, false, 0]);
  });

  it('does not wait at all, if its caller had gone before', async () => {
    const { ask, time } = createScene({ principal: { atOnce: 1 } });
    const first = ask();
    const second = ask({ signal: AbortSignal.abort() });
    await settle();
    expect([codeOf(second), time.timers]).toEqual(['CALL_CANCELLED', 0]);
    first.leave();
    expect(ask().isImmediate).toBe(true);
  });

  it('is refused when its time is over, and told when to call again', async () => {
    const { ask, time } = createScene({ principal: { atOnce: 1 } });
    ask();
    const second = ask({ timeoutMs: 5_000 });
    await time.pass(4_999);
    expect(second.refusal).toBeUndefined();
    await time.pass(1);
    expect(second.refusal).toMatchObject({
      code: 'TOO_MANY_CALLS',
      repair: { retryAfterMs: 1_000 },
      suggestion: 'Wait for running calls, then call again in 1 second at the earliest.',
      decidedBy: 'limits.principal.atOnce',
    });
    expect(time.timers).toBe(0);
  });

  it('is refused at once when it is known that it cannot begin in its time', async () => {
    const { ask, time } = createScene({ tools: { a: { perMinute: 1 } } });
    ask({ tool: 'a' });
    await time.pass(10_500);
    const [hopeless, hopeful] = [ask({ tool: 'a', timeoutMs: 49_499 }), ask({ tool: 'a', timeoutMs: 49_501 })];
    expect(hopeless.refusal).toMatchObject({ code: 'TOO_MANY_CALLS', repair: { retryAfterMs: 50_000 }, decidedBy: 'tools."a".limits.perMinute' });
    await time.pass(49_500);
    expect(hopeful.begunAt).toBeDefined();
  });

  it('is bounded, for each principal: 1,024', async () => {
    const scene = createScene({ principal: { atOnce: 1 } });
    const { ask, attempts } = scene;
    for (let index = 0; index < 1_025; index += 1) ask();
    const [more, other] = [ask(), ask({ principal: 'other' })];
    expect([codeOf(more), other.isImmediate, attempts.filter(({ refusal }) => refusal !== undefined).length]).toEqual(['TOO_MANY_CALLS', true, 1]);
    attempts[500]?.cancel();
    await settle();
    expect(codeOf(ask())).toBeUndefined();
  });

  it('loses no place to a signal that throws', async () => {
    const scene = createScene({ principal: { atOnce: 1 } });
    const first = scene.ask();
    const broken = scene.ask({ signal: hostileSignal });
    first.leave();
    await settle();
    expect(broken.refusal).toBeDefined();
    expect(scene.ask().isImmediate).toBe(true);
  });
});

const hostileSignal = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => {
    throw new Error('hostile');
  },
} as unknown as AbortSignal;
