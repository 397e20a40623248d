import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AgentLogError } from '../index.ts';
import { prepareOutcome, prepareStart } from '../record/to-draft.ts';
import type { PendingWrite } from '../sqlite/chain-transaction.ts';
import { GroupCommit, type Commit } from '../sqlite/group-commit.ts';
import { callId, intentOf, recordOf } from './fixtures.ts';

const NOW = { mayWait: false };
const LATER = { mayWait: true };

function start(number = 1): PendingWrite {
  return { kind: 'start', start: prepareStart(intentOf({ id: callId(number) })) };
}

function largeOutcome(): PendingWrite {
  const output = { content: [{ type: 'text', text: 'x'.repeat(250_000) }] } as const;
  return { kind: 'outcome', outcome: prepareOutcome(recordOf({ output })) };
}

/** What each transaction held; `before` may throw in its place. */
function createQueue(before: (transaction: number) => void = () => undefined, busyTimeoutMs = 0) {
  const transactions: PendingWrite[][] = [];
  let seq = 0;
  const commit: Commit = (writes) => {
    before(transactions.length);
    transactions.push([...writes]);
    return writes.map(() => ({ seq: (seq += 1), leaf: 'leaf' }));
  };
  return { transactions, queue: new GroupCommit({ commit, busyTimeoutMs }) };
}

function sqliteError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('group commit', () => {
  it('writes all of one turn in one transaction, in the order in which they were asked for', async () => {
    const { queue, transactions } = createQueue();
    const receipts = await Promise.all([queue.add(start(1), NOW), queue.add(start(2), LATER), queue.add(start(3), NOW)]);
    expect(transactions).toHaveLength(1);
    expect(receipts.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('does not write for what may wait, but takes it with what may not', async () => {
    const { queue, transactions } = createQueue();
    const waiting = queue.add(start(1), LATER);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(transactions).toHaveLength(0);
    await queue.add(start(2), NOW);
    await waiting;
    expect(transactions.map((writes) => writes.length)).toEqual([2]);
  });

  it('writes what may wait after a while, though nothing comes', async () => {
    const { queue, transactions } = createQueue();
    await queue.add(start(1), LATER);
    expect(transactions).toHaveLength(1);
  });

  it('takes at most 512 records, and 8 MiB of text, in one transaction', async () => {
    const { queue, transactions } = createQueue();
    await Promise.all(Array.from({ length: 600 }, async (_, index) => queue.add(start(index), NOW)));
    await Promise.all(Array.from({ length: 40 }, async () => queue.add(largeOutcome(), NOW)));
    expect(transactions.map((writes) => writes.length)).toEqual([512, 88, 33, 7]);
  });

  it('waits for a lock, and takes what comes meanwhile in the next transaction', async () => {
    let locked = true;
    const { queue, transactions } = createQueue(() => {
      if (locked) throw sqliteError('SQLITE_BUSY');
    }, 60_000);
    const first = queue.add(start(1), NOW);
    await nextTurn();
    await nextTurn();
    const more = [queue.add(start(2), NOW), queue.add(start(3), NOW)];
    await nextTurn();
    locked = false;
    await Promise.all([first, ...more]);
    expect(transactions.map((writes) => writes.length)).toEqual([1, 2]);
  });

  it('says to each what came of it', async () => {
    const commit: Commit = () => [{ seq: 1, leaf: 'a' }, new AgentLogError('duplicate')];
    const queue = new GroupCommit({ commit, busyTimeoutMs: 0 });
    const writes = [queue.add(start(1), NOW), queue.add(start(2), NOW), queue.add(start(3), NOW)];
    const results = await Promise.allSettled(writes);
    expect(results).toMatchObject([{ value: { seq: 1 } }, { reason: { failure: 'duplicate' } }, { reason: { failure: 'failed' } }]);
  });

  it('refuses all of a transaction that fails, and writes the next', async () => {
    const { queue } = createQueue((transaction) => {
      if (transaction === 0 && failures > 0) {
        failures -= 1;
        throw sqliteError('SQLITE_FULL');
      }
    });
    let failures = 1;
    const results = await Promise.allSettled([queue.add(start(1), NOW), queue.add(start(2), LATER)]);
    expect(results).toMatchObject([{ reason: { failure: 'full' } }, { reason: { failure: 'full' } }]);
    await expect(queue.add(start(3), NOW)).resolves.toMatchObject({ seq: 1 });
  });

  it('is full when thousands wait, and not any more when they are written', async () => {
    let locked = true;
    const { queue } = createQueue(() => {
      if (locked) throw sqliteError('SQLITE_BUSY');
    }, 60_000);
    const writes = Array.from({ length: 4_096 + 512 }, async (_, index) => queue.add(start(index), NOW));
    expect(queue.isFull).toBe(true);
    locked = false;
    await Promise.all(writes);
    expect(queue.isFull).toBe(false);
  });

  it('does not write what nobody waits for any more, also when that comes while it waits for a lock', async () => {
    let locked = true;
    const { queue, transactions } = createQueue(() => {
      if (locked) throw sqliteError('SQLITE_BUSY');
    }, 60_000);
    const writes = [queue.add(start(1), NOW), queue.add(start(2), NOW)];
    await nextTurn();
    await nextTurn();
    writes.push(queue.add(start(3), NOW), queue.add(start(4), { mayWait: true, isKept: true }));
    for (const number of [1, 3, 4]) queue.abandon(callId(number));
    locked = false;
    const abandoned = { reason: { failure: 'abandoned' } };
    expect(await Promise.allSettled(writes)).toMatchObject([abandoned, { value: { seq: 1 } }, abandoned, { value: { seq: 2 } }]);
    expect(transactions).toEqual([[start(2)], [start(4)]]);
  });

  it('lets nobody wait for a lock once more for standing further behind', async () => {
    let attempts = 0;
    const { queue } = createQueue(() => {
      attempts += 1;
      throw sqliteError('SQLITE_BUSY');
    }, 100);
    const results = Promise.allSettled(Array.from({ length: 512 * 8 }, async (_, index) => queue.add(start(index), NOW)));
    await nextTurn();
    await nextTurn();
    await results;
    // The first waits: 1, 2, 4 and then 8 ms at a time. Each other asks once, or twice where a timer was early.
    expect(attempts).toBeLessThanOrEqual(20 + 7 * 2);
  });

  it.each([1, 2, 3])('writes what is asked for at any moment behind %i transactions', async (transactions) => {
    for (let ticks = 0; ticks <= 20; ticks += 1) {
      const { queue } = createQueue();
      const writes = Array.from({ length: 512 * (transactions - 1) + 1 }, async (_, index) => queue.add(start(index), NOW));
      await writes[0];
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      await queue.add(start(9_999), NOW);
      await Promise.all(writes);
    }
  });

  it('keeps what was answered for until it can be written, before what came later', async () => {
    let isFull = true;
    const { queue, transactions } = createQueue(() => {
      if (isFull) throw sqliteError('SQLITE_FULL');
    });
    const kept = queue.add(start(1), { mayWait: true, isKept: true });
    await expect(queue.add(start(2), NOW)).rejects.toMatchObject({ failure: 'full' });
    isFull = false;
    await Promise.all([queue.add(start(3), NOW), kept]);
    expect(transactions).toEqual([[start(1), start(3)]]);
    isFull = true;
    const lost = queue.add(start(4), { mayWait: true, isKept: true });
    lost.catch(() => undefined);
    expect(await queue.drain()).toBe(1);
    await expect(lost).rejects.toMatchObject({ failure: 'closed' });
  });

  it.each([
    ['many', 600, start],
    ['large ones', 40, largeOutcome],
  ])('lets nobody wait behind %s that were answered for and cannot be written', async (_name, count, write) => {
    const { queue } = createQueue(() => {
      throw sqliteError('SQLITE_BUSY');
    });
    const kept = Array.from({ length: count }, async (_, number) => queue.add(write(number + 1), { mayWait: true, isKept: true }).catch(() => undefined));
    await expect(queue.add(start(9_999), NOW)).rejects.toMatchObject({ failure: 'busy' });
    expect(await queue.drain()).toBe(count);
    await Promise.all(kept);
  });

  it('is full of few that are large, too', async () => {
    const { queue } = createQueue();
    const writes = Array.from({ length: 270 }, async () => queue.add(largeOutcome(), NOW));
    expect(queue.isFull).toBe(true);
    await Promise.all(writes);
    expect(queue.isFull).toBe(false);
  });

  it('drains what waits, also while it is writing', async () => {
    const { queue, transactions } = createQueue();
    const writes = [queue.add(start(1), LATER), queue.add(start(2), NOW)];
    await queue.drain();
    writes.push(queue.add(start(3), LATER));
    await queue.drain();
    await Promise.all(writes);
    expect(transactions).toHaveLength(2);
  });
});
