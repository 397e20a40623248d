import { describe, expect, it } from '@jest/globals';
import type { HeadPublisher } from '../head-delivery.ts';
import type { SignedHead } from '../signed-head.ts';
import { createHeadPlace } from './fixtures.ts';

describe('publish', () => {
  function createPublisher(name: string): HeadPublisher & { readonly got: SignedHead[]; readonly ended: (() => void)[]; failure?: Error } {
    return {
      name,
      got: [],
      ended: [],
      async publish(head) {
        if (this.failure !== undefined) throw this.failure;
        this.got.push(head);
        await new Promise<void>((resolve) => this.ended.push(resolve));
      },
    };
  }
  const headOf = (seq: number): SignedHead => ({ head: String(seq), signature: '' });

  it('brings one head at a time to each place, the newest next, and no place waits for another', async () => {
    using place = createHeadPlace();
    const [slow, quick] = [createPublisher('slow'), createPublisher('quick')];
    const keeper = place.keeper({ publishers: [slow, quick] });
    keeper.publish(headOf(1));
    quick.ended[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    for (const seq of [2, 3, 4]) keeper.publish(headOf(seq));
    expect(slow.got.map(({ head }) => head)).toEqual(['1']);
    expect(quick.got.map(({ head }) => head)).toEqual(['1', '2']);
    slow.ended[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(slow.got.map(({ head }) => head)).toEqual(['1', '4']);
    slow.ended[1]?.();
    quick.ended[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    quick.ended[2]?.();
    await keeper.settle();
    expect(quick.got.map(({ head }) => head)).toEqual(['1', '2', '4']);
  });

  it('says once that a place fails, until it works again', async () => {
    using place = createHeadPlace();
    const publisher = createPublisher('the moon');
    const keeper = place.keeper({ publishers: [publisher] });
    const send = async (failure: Error | undefined) => {
      if (failure === undefined) delete publisher.failure;
      else publisher.failure = failure;
      keeper.publish(headOf(1));
      publisher.ended.forEach((end) => end());
      await keeper.settle();
    };
    await send(new Error('no line'));
    await send(new Error('no line'));
    expect(place.problems).toEqual(['Heads of the call log cannot be published to the moon (Error: no line).']);
    await send(undefined);
    await send(new Error('no line'));
    expect(place.problems).toHaveLength(2);
  });

  it('does not wait for ever for a place that never answers', async () => {
    using place = createHeadPlace();
    const keeper = place.keeper({ publishers: [createPublisher('a hole')], patienceMs: 20 });
    keeper.publish(headOf(1));
    await keeper.settle();
    expect(place.problems).toEqual([]);
  });
});
