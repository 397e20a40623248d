import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TurnBudget } from '../turn-budget.ts';

/** Work that takes so many milliseconds, and says when it was done. */
function scene() {
  let now = 0;
  const turns = new TurnBudget(() => now);
  const done: string[] = [];
  const work = async (name: string, milliseconds: number) =>
    turns.spend(() => {
      done.push(name);
      now += milliseconds;
      return name;
    });
  return { done, work };
}

describe('the work on answers in one turn of the event loop', () => {
  it('is done at once for as long as the turn has time', () => {
    const { done, work } = scene();
    for (const name of ['a', 'b', 'c', 'd']) void work(name, 4);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('is done in turns of its own beyond that, in the order in which it came, and nobody goes ahead', async () => {
    const { done, work } = scene();
    const all = Promise.all(['a', 'b', 'c'].map(async (name) => work(name, 50)));
    for (let turn = 1; turn <= 2; turn += 1) {
      await nextTurn();
      done.push(`turn ${String(turn)}`);
      void work(`late ${String(turn)}`, 0);
    }
    expect(await all).toEqual(['a', 'b', 'c']);
    await nextTurn();
    await nextTurn();
    await nextTurn();
    expect(done.filter((name) => !name.startsWith('turn'))).toEqual(['a', 'b', 'c', 'late 1', 'late 2']);
    // What is not of answers had its turn between two of them.
    expect(done.indexOf('turn 1')).toBeLessThan(done.indexOf('c'));
  });

  it('begins anew with each turn', async () => {
    const { done, work } = scene();
    void work('a', 1_000);
    await nextTurn();
    void work('b', 1);
    expect(done).toEqual(['a', 'b']);
  });

  it('tells what goes wrong to whoever asked for it, and goes on', async () => {
    const { work } = scene();
    const turns = new TurnBudget(() => 0);
    await expect(turns.spend(() => { throw new Error('no'); })).rejects.toThrow('no');
    expect(await work('a', 1)).toBe('a');
  });
});
