import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, describeErrorCode, type DevsError, type ExclusiveLock, type LockWait } from '@devs/core';
import { inTurn } from '../in-turn.ts';
import { Playground } from './command-scene.ts';

/** Says what it was asked for, and whether it is held. */
class FakeLock implements ExclusiveLock {
  readonly waits: LockWait[] = [];
  isHeld = false;
  readonly #answer: 'free' | 'busy' | Error;

  constructor(answer: 'free' | 'busy' | Error) {
    this.#answer = answer;
  }

  async acquire(wait: LockWait): Promise<Disposable | undefined> {
    this.waits.push(wait);
    if (this.#answer === 'busy') return Promise.resolve(undefined);
    if (this.#answer !== 'free') throw this.#answer;
    this.isHeld = true;
    return Promise.resolve({ [Symbol.dispose]: () => void (this.isHeld = false) });
  }
}

const never = new AbortController().signal;
const turn = (ms: number, signal = never) => ({ until: performance.now() + ms, signal });

describe('the turn of a command', () => {
  it('is its own while it works, and over when it has given something or failed', async () => {
    const lock = new FakeLock('free');
    expect(await inTurn(lock, turn(1_000), async () => Promise.resolve(lock.isHeld))).toBe(true);
    expect(lock.isHeld).toBe(false);
    await expect(inTurn(lock, turn(1_000), async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(lock.isHeld).toBe(false);
  });

  it('is waited for no longer than the call may take, and the work gets what is left of that', async () => {
    const lock = new FakeLock('free');
    const leftMs = await inTurn(lock, turn(1_000), async (left) => Promise.resolve(left));
    expect(lock.waits).toEqual([{ patienceMs: expect.any(Number), signal: never }]);
    expect(lock.waits[0]?.patienceMs).toBeLessThanOrEqual(1_000);
    expect(leftMs).toBeLessThanOrEqual(lock.waits[0]?.patienceMs ?? 0);
    expect(await inTurn(lock, turn(-5), async (left) => Promise.resolve(left))).toBe(1);
    expect(lock.waits[1]?.patienceMs).toBe(0);
  });

  it.each([
    ['that others have all the time', new FakeLock('busy'), 'PROJECT_BUSY', /nothing was run/],
    ['that cannot be had at all', new FakeLock(new Error('no locks here')), 'COMMAND_REFUSED', /cannot be locked for a command; nothing was run/],
  ] as const)('%s: nothing is run, and the call may be made again', async (_name, lock, code, sentence) => {
    let begun = 0;
    const refused = await inTurn(lock, turn(1_000), async () => Promise.resolve((begun += 1))).catch((cause: DevsError) => cause);
    expect(refused).toMatchObject({ code, sentence: expect.stringMatching(sentence) });
    expect(describeErrorCode(code)).toMatchObject({ effect: 'none', retryAllowed: true, thrownByTools: true });
    expect(begun).toBe(0);
  });

  it('that nobody waits for any more ends with the reason of the signal, whatever the lock says', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(inTurn(new FakeLock(new Error('no locks here')), turn(1_000, signal), async () => Promise.resolve())).rejects.toThrow('cancelled');
  });

  it.each([
    ['its own limit', { timeoutMs: 300 }, {}, 300],
    ['the limit of the operator', { timeoutMs: 5_000 }, { timeoutMs: 400 }, 400],
    ['the limit of the operator, where it names none', {}, { timeoutMs: 400 }, 400],
  ])('bounds a command by %s, the wait included', async (_name, plan, options, most) => {
    using playground = new Playground();
    const lock = new FakeLock('busy');
    const config = { sandbox: { ...DEFAULT_CONFIG.sandbox, tools: 'off' as const } };
    await expect(playground.run({ argv: ['true'], ...plan }, { ...options, config, lock })).rejects.toMatchObject({ code: 'PROJECT_BUSY' });
    expect(lock.waits[0]?.patienceMs).toBeLessThanOrEqual(most);
    expect(lock.waits[0]?.patienceMs).toBeGreaterThan(0);
  });
});
