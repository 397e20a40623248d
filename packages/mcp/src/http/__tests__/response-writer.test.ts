import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ResponseWriter } from '../response-writer.ts';
import { Unread, type UnreadOf } from '../unread.ts';

const MIB = 1024 * 1024;

/** A client that takes nothing. */
class Stuck extends EventEmitter {
  destroyed = false;
  readonly socket = {};

  write(): boolean {
    return false;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function open(unread: UnreadOf): { readonly response: Stuck; readonly writer: ResponseWriter } {
  const response = new Stuck();
  const writer = new ResponseWriter(response as unknown as ServerResponse, { unread, timeoutMs: 60_000, maxWaitingBytes: 64 * MIB });
  return { response, writer };
}

describe('streams that nobody reads', () => {
  it('hold no more together than twice what one may, and one answer of any size', () => {
    const all = new Unread(8 * MIB, () => 2);
    const unread = all.of('a');
    const streams = Array.from({ length: 10 }, () => open(unread));
    for (let round = 0; round < 40; round += 1) for (const { writer } of streams) writer.write(Buffer.alloc(MIB));
    const left = streams.filter(({ response }) => !response.destroyed);
    expect(left.length).toBeLessThan(10);
    expect(unread.isOverfull).toBe(false);
    const late = open(unread);
    late.writer.write(Buffer.alloc(30 * MIB));
    expect(unread.isOverfull).toBe(true);
    expect(late.response.destroyed).toBe(false);
    // From here on no answer to it is kept that is not taken at once; to somebody else it is.
    const [next, other] = [open(unread), open(all.of('b'))];
    for (const { writer } of [next, other]) writer.write(Buffer.alloc(MIB));
    expect([next.response.destroyed, other.response.destroyed]).toEqual([true, false]);
    for (const { response } of [...streams, late, other]) response.destroy();
    expect(unread.isOverfull).toBe(false);
  });
});

describe('whoever waits for room', () => {
  it('goes on when there is some, or when nobody waits for its answer any more, and leaves nothing behind', async () => {
    const unread = new Unread(10, () => 1).of('a');
    unread.add(11);
    const gone = new AbortController();
    const waiting = [unread.untilTaken(gone.signal), unread.untilTaken(new AbortController().signal)];
    gone.abort();
    await waiting[0];
    unread.remove(1);
    await Promise.all(waiting);
    const listened = new AbortController();
    let listeners = 0;
    const add = listened.signal.addEventListener.bind(listened.signal);
    listened.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      const [, , options] = args;
      if (typeof options === 'object') options.signal?.addEventListener('abort', () => (listeners -= 1));
      add(...args);
    };
    unread.add(1);
    const last = unread.untilTaken(listened.signal);
    unread.remove(1);
    await last;
    expect(listeners).toBe(0);
  });
});
