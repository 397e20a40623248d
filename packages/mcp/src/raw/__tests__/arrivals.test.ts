import { describe, expect, it } from '@jest/globals';
import { Arrivals, type Arrival } from '../arrivals.ts';

const of = (method: string, bytes = 10): Arrival => ({ method, params: { method }, bytes, refusal: undefined });
const call = of('tools/call');

describe('the requests that are not answered yet', () => {
  it('counts them and their bytes, and tells of each that ends', () => {
    let ended = 0;
    const arrivals = new Arrivals(() => (ended += 1));
    arrivals.add(1, of('tools/list', 100));
    arrivals.add(2, call);
    expect([arrivals.count, arrivals.bytes, arrivals.ids]).toEqual([2, 110, [1, 2]]);
    arrivals.end(1);
    arrivals.end(1);
    arrivals.end(2);
    arrivals.end('never came');
    expect([arrivals.count, arrivals.bytes, ended]).toEqual([0, 0, 2]);
  });

  it.each([[1, '1'], ['1', 1], ['', 0], ['a', 'A']])('knows %j from %j', (id, other) => {
    const arrivals = new Arrivals();
    arrivals.add(id, call);
    expect([arrivals.has(id), arrivals.has(other)]).toEqual([true, false]);
    expect(arrivals.end(other)).toBeUndefined();
    expect(arrivals.count).toBe(1);
  });

  it('gives a call back at its end only when the gate has not seen it', () => {
    const arrivals = new Arrivals();
    arrivals.add('seen', call);
    arrivals.add('unseen', call);
    arrivals.add('list', of('tools/list'));
    expect(arrivals.take('seen')).toBe(call);
    expect(arrivals.end('seen')).toBeUndefined();
    expect(arrivals.end('unseen')).toBe(call);
    expect(arrivals.end('unseen')).toBeUndefined();
    expect(arrivals.end('list')).toBeUndefined();
  });

  it('ends all that the gate will never see, once', () => {
    const arrivals = new Arrivals();
    arrivals.add('seen', call);
    arrivals.add('unseen', call);
    arrivals.add('list', of('tools/list'));
    arrivals.take('seen');
    expect(arrivals.endUnseen()).toEqual([call]);
    expect(arrivals.endUnseen()).toEqual([]);
    expect(arrivals.ids).toEqual(['seen', 'list']);
  });

  it('lets what is cancelled end, but a call: the gate ends that', () => {
    const arrivals = new Arrivals();
    arrivals.add('call', call);
    arrivals.add('list', of('tools/list'));
    arrivals.endUnlessCall('call');
    arrivals.endUnlessCall('list');
    arrivals.endUnlessCall('never came');
    expect(arrivals.ids).toEqual(['call']);
  });

  it('knows the id of a subscription, and counts it not', () => {
    const arrivals = new Arrivals();
    arrivals.add('subscription', of('subscriptions/listen', 1_000));
    expect([arrivals.count, arrivals.bytes, arrivals.has('subscription')]).toEqual([0, 0, true]);
    arrivals.endUnlessCall('subscription');
    expect(arrivals.has('subscription')).toBe(false);
  });
});
